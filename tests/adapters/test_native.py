import numpy as np
import pytest
from sklearn.base import BaseEstimator

from consurv.adapters import adapter_for
from consurv.adapters.native import ADAPTER
from consurv.errors import InvalidInput
from consurv.outcome import Outcome


class Exponential(BaseEstimator):
    """One rate for everybody."""

    def __init__(self, times=(1.0, 2.0)):
        self.times = times

    def fit(self, X, y):
        self.seen_ = y
        self.rate_ = y["event"].sum() / y["time"].sum()
        return self

    def predict_survival_function(self, X):
        survival = np.exp(-self.rate_ * np.asarray(self.times))
        return self.times, np.tile(survival, (len(X), 1))


class EarlyStopping(Exponential):
    def fit(self, X, y, X_val=None, y_val=None):
        self.validation_ = (X_val, y_val)
        return super().fit(X, y)


class HalfOfAValidationSet(Exponential):
    def fit(self, X, y, X_val=None):
        return super().fit(X, y)


class TakesOneInVain(EarlyStopping):
    uses_validation = False


class Bare:
    """No scikit-learn in sight."""

    def __init__(self):
        self.setting, self._private_ = 1, 2

    def fit(self, X, y):
        self.rate_ = 1.0

    def predict_survival_function(self, X):
        return [1.0], np.full((len(X), 1), 0.5)


class OnlyPredicts:
    def predict_survival_function(self, X):
        return [1.0], np.full((len(X), 1), 0.5)


class Slots(Bare):
    __slots__ = ()


class TestFit:
    def test_hands_over_a_structured_array_and_returns_the_same_object(self, small):
        model = Exponential()
        assert ADAPTER.fit(model, small.X, small.y) is model
        assert model.seen_.dtype.names == ("event", "time")
        np.testing.assert_array_equal(model.seen_["event"], small.y.event)
        np.testing.assert_array_equal(model.seen_["time"], small.y.time)

    def test_passes_a_validation_set_to_those_that_take_one(self, small):
        model = EarlyStopping()
        assert ADAPTER.takes_validation(model)
        ADAPTER.fit(model, small.X, small.y, (small.X[:5], small.y[:5]))
        X_val, y_val = model.validation_
        np.testing.assert_array_equal(X_val, small.X[:5])
        assert Outcome.of(y_val) == small.y[:5]

    def test_trains_those_that_take_one_without_it(self, small):
        assert ADAPTER.fit(EarlyStopping(), small.X, small.y).validation_ == (
            None,
            None,
        )

    @pytest.mark.parametrize(
        "model", [Exponential(), HalfOfAValidationSet(), TakesOneInVain()]
    )
    def test_keeps_a_validation_set_from_the_others(self, model, small):
        assert not ADAPTER.takes_validation(model)
        ADAPTER.fit(model, small.X, small.y, (small.X[:5], small.y[:5]))
        assert model.rate_ > 0
        assert getattr(model, "validation_", (None, None)) == (None, None)

    def test_refuses_what_only_predicts(self, small):
        assert not ADAPTER.takes_validation(OnlyPredicts())
        with pytest.raises(
            InvalidInput, match=r"OnlyPredicts has no fit.*conformalize"
        ):
            ADAPTER.fit(OnlyPredicts(), small.X, small.y)


class TestIsFitted:
    @pytest.mark.parametrize("model", [Exponential(), Bare(), Slots()])
    def test_turns_true_with_training(self, model, small):
        assert not ADAPTER.is_fitted(model)
        ADAPTER.fit(model, small.X, small.y)
        assert ADAPTER.is_fitted(model)

    def test_what_only_predicts_is_ready(self):
        assert ADAPTER.is_fitted(OnlyPredicts())


class TestClone:
    def test_keeps_the_settings_and_forgets_the_training(self, small):
        model = ADAPTER.fit(Exponential(times=(3.0, 4.0)), small.X, small.y)
        copy = ADAPTER.clone(model)
        assert copy.times == (3.0, 4.0)
        assert not ADAPTER.is_fitted(copy)
        assert ADAPTER.is_fitted(model)

    def test_says_what_is_missing(self):
        with pytest.raises(InvalidInput, match=r"Bare cannot be copied.*BaseEstimator"):
            ADAPTER.clone(Bare())


class TestCurves:
    def test_come_from_the_estimator(self, small):
        model = ADAPTER.fit(Exponential(), small.X, small.y)
        curves = adapter_for(model).curves(model, small.X)
        expected = np.exp(-model.rate_ * np.array([1.0, 2.0]))
        np.testing.assert_array_equal(
            curves.survival_at([1.0, 2.0]), np.tile(expected, (160, 1))
        )


class Quantiles(Exponential):
    """Gives percentile times beside curves."""

    levels_ = np.array([0.25, 0.5])

    def predict_percentile_times(self, X):
        return np.tile([3, 5], (len(X), 1))


class TestOwnPercentileTimes:
    def test_have_a_column_for_each_of_the_levels(self, small):
        model = Quantiles()
        assert ADAPTER.own_levels(model) is model.levels_
        times = ADAPTER.own_percentile_times(model, small.X)
        assert times.dtype == float
        np.testing.assert_array_equal(times, [[3, 5]] * 160)

    def test_need_the_method_and_the_levels(self):
        without_levels = Quantiles()
        without_levels.levels_ = None
        without_method = Exponential()
        without_method.levels_ = np.array([0.5])
        assert ADAPTER.own_levels(without_levels) is None
        assert ADAPTER.own_levels(without_method) is None

    def test_of_another_shape_are_refused(self, small):
        model = Quantiles()
        model.levels_ = np.array([0.25, 0.5, 0.75])
        with pytest.raises(InvalidInput, match=r"\(160, 2\) for 160 rows.* 3 levels"):
            ADAPTER.own_percentile_times(model, small.X)

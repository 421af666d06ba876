import numpy as np
import pandas as pd
import pytest

from consurv.adapters import Adapter, adapter_for
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput

TIMES = np.array([1.0, 2.0, 4.0])
SURVIVAL = np.array([[0.9, 0.5, 0.1], [0.8, 0.4, 0.2]])
X = np.zeros((2, 1))


class Step:
    """What scikit-survival's step functions look like."""

    def __init__(self, x, y):
        self.x, self.y, self.a, self.b = x, y, 1.0, 0.0
        self.domain = (0, None)

    def __call__(self, times):
        return self.y[np.searchsorted(self.x, times, side="right") - 1]


def curves_of(answer, X=X):
    def model(X):
        return answer

    return adapter_for(model).curves(model, X)


class TestAnswersOfModels:
    def test_a_pair_is_times_and_one_row_of_survival_per_subject(self):
        curves = curves_of((TIMES, SURVIVAL))
        assert curves.interpolation == "linear"
        np.testing.assert_allclose(curves.survival_at(TIMES), SURVIVAL)

    def test_survival_curves_are_passed_on_as_they_are(self):
        curves = SurvivalCurves(TIMES, SURVIVAL, interpolation="step")
        assert curves_of(curves) is curves

    def test_a_frame_holds_a_column_per_subject(self):
        frame = pd.DataFrame(SURVIVAL.T, index=TIMES, columns=["b", "a"])
        np.testing.assert_allclose(curves_of(frame).survival_at(TIMES), SURVIVAL)

    @pytest.mark.parametrize("container", [list, tuple, np.array])
    def test_step_functions_become_step_curves(self, container):
        functions = container([Step(TIMES, row) for row in SURVIVAL])
        if container is tuple:
            functions = (*functions, Step(TIMES, SURVIVAL[0]))
        curves = curves_of(functions, np.zeros((len(functions), 1)))
        assert curves.interpolation == "step"
        np.testing.assert_allclose(curves.survival_at(TIMES)[:2], SURVIVAL)

    def test_an_array_without_times_is_refused(self):
        with pytest.raises(
            InvalidInput, match=r"model answered with a ndarray of shape \(2, 3\)"
        ):
            curves_of(SURVIVAL)

    def test_nothing_is_refused(self):
        with pytest.raises(InvalidInput, match="a NoneType, which does not say"):
            curves_of(None)


class TestOneCurvePerRow:
    @pytest.mark.parametrize("n", [1, 3])
    def test_another_number_of_curves_is_refused(self, n):
        with pytest.raises(
            InvalidInput, match=f"model gave 2 survival curves for {n} rows of X"
        ):
            curves_of((TIMES, SURVIVAL), np.zeros((n, 1)))

    def test_lists_and_frames_have_rows_too(self):
        assert len(curves_of((TIMES, SURVIVAL), [[0.0], [1.0]])) == 2
        assert len(curves_of((TIMES, SURVIVAL), pd.DataFrame({"a": [1, 2]}))) == 2


class TestNewAdapters:
    def test_need_four_methods(self):
        class Ready(Adapter):
            def clone(self, estimator):
                return estimator

            def is_fitted(self, estimator):
                return True

            def fit(self, estimator, X, y, validation=None):
                return estimator

            def _predict(self, estimator, X):
                return TIMES, SURVIVAL

        assert not Ready().takes_validation(None)
        assert len(Ready().curves(None, X)) == 2


class TestPercentileTimes:
    def test_are_not_asked_of_a_model_that_gives_curves_alone(self):
        def model(X):
            return TIMES, SURVIVAL

        adapter = adapter_for(model)
        assert adapter.own_levels(model) is None
        with pytest.raises(InvalidInput, match="model gives curves, not percentile"):
            adapter.own_percentile_times(model, X)

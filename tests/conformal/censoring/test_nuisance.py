"""Models of censoring: whose outcomes, whose rows."""

import numpy as np
import pytest

from consurv import KaplanMeier, Outcome
from consurv.conformal.censoring.nuisance import (
    Nuisance,
    curves_of,
    flipped,
    out_of_fold,
)
from consurv.errors import InvalidInput
from consurv.models import CoxPH


class TestFlipped:
    def test_censoring_is_the_event(self):
        y = Outcome([1.0, 2.0, 3.0], [1, 0, 1])
        turned = flipped(y)
        assert turned.event.tolist() == [False, True, False]
        assert (turned.time == y.time).all()

    def test_events_come_before_censorings_at_the_same_time(self):
        # At 2 one of three dies and one of the two who are left is censored.
        y = Outcome([2.0, 2.0, 3.0], [1, 0, 1])
        assert KaplanMeier(flipped(y)).survival_at([2.0])[0] == 0.5
        naive = Outcome(y.time, ~y.event)
        assert KaplanMeier(naive).survival_at([2.0])[0] == pytest.approx(2 / 3)


class Remembers:
    """A model that knows the rows that it was trained on."""

    def fit(self, X, y):
        self.rows_, self.event_ = set(np.asarray(X)[:, 0].tolist()), y["event"]
        return self

    def get_params(self, deep=True):
        return {}

    def __sklearn_is_fitted__(self):
        return hasattr(self, "rows_")

    def predict_survival_function(self, X):
        return [1.0], [[0.5]] * len(X)


class TestOutOfFold:
    def data(self, n=40):
        X = np.arange(n, dtype=float)[:, None]
        return X, Outcome(np.arange(1.0, n + 1), np.arange(n) % 2)

    def test_nobody_is_seen_by_its_own_model(self):
        data, seen = self.data(), []
        parts = out_of_fold(Nuisance(Remembers()), data, 5, np.random.default_rng(0))
        for rows, models in parts:
            seen.extend(rows)
            assert not models.censoring.rows_ & set(data[0][rows, 0].tolist())
        assert sorted(seen) == list(range(40))

    def test_the_censoring_model_sees_censorings_as_events(self):
        X, y = self.data()
        found = Nuisance(Remembers(), Remembers()).fitted((X, y), None).models
        assert (found.censoring.event_ == ~y.event).all()
        assert (found.event.event_ == y.event).all()

    def test_one_censored_subject_is_too_few(self):
        X = np.zeros((9, 1))
        data = X, Outcome(np.arange(1.0, 10), [0] + [1] * 8)
        with pytest.raises(InvalidInput, match="1 censored subjects are too few"):
            next(out_of_fold(Nuisance(CoxPH()), data, 5, np.random.default_rng(0)))

    def test_fitted_models_are_used_as_they_are(self):
        X, y = self.data()
        fitted = Nuisance(Remembers()).fitted((X, y), None)
        assert fitted.fitted((X[:5], y[:5]), None) is fitted
        assert len(curves_of(fitted.models.censoring, X, [1, 2])) == 2

    def test_a_model_trained_before_goes_on(self):
        X, y = self.data()
        fitted = Nuisance(Remembers()).fitted((X, y), None)
        again = Nuisance(Remembers()).fitted(None, None, fitted.models)
        assert again.models.censoring is fitted.models.censoring

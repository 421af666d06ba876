"""Models of no known library, by the methods that they have."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from consurv import InvalidInput, SurvivalCurves
from consurv.adapters import adapter_for

TIMES = np.array([1.0, 2.0, 4.0])
X = np.array([[1.0], [2.0]])


def survival(X, times=TIMES):
    return np.exp(-np.outer(1 / X[:, 0], times))


def curves_of(model, X=X):
    return adapter_for(model).curves(model, X)


class Frame:
    def predict_surv_df(self, X):
        frame = pd.DataFrame(survival(X).T, index=TIMES)
        return frame.iloc[[2, 0, 1]]  # times in any order


class AtTimes:
    times = TIMES

    def predict_survival(self, X):
        return survival(X)


class AsksForTimes:
    def predict_survival(self, X, t):
        return survival(X, t)


class AsksForItsTimes(AsksForTimes):
    times_ = TIMES


class Gives:
    def __init__(self, make):
        self.make = make

    def predict_survival(self, X):
        return self.make(X)


class Quantiles:
    def predict_quantiles(self, X, alpha):
        return np.outer(X[:, 0], -np.log(1 - np.asarray(alpha)))


@pytest.mark.parametrize(
    "model",
    [
        Frame(),
        AtTimes(),
        AsksForItsTimes(),
        Gives(lambda X: (TIMES, survival(X))),
        Gives(lambda X: SurvivalCurves(TIMES, survival(X))),
        Gives(lambda X: pd.DataFrame(survival(X).T, index=TIMES)),
    ],
)
def test_curves_are_told_by_a_method(model):
    assert_allclose(curves_of(model).survival_at(TIMES), survival(X))


def test_quantiles_are_joined_by_lines():
    curves = curves_of(Quantiles())
    assert_allclose(curves.median(), np.log(2) * X[:, 0])
    assert_allclose(curves.survival_at(TIMES), survival(X), atol=1e-3)


def test_times_that_nobody_names_are_asked_for():
    with pytest.raises(InvalidInput, match=r"wants 't'.*lambda X: \(times, model\.pre"):
        curves_of(AsksForTimes())


def test_quantiles_of_another_shape_or_missing_are_refused():
    class Few(Quantiles):
        def predict_quantiles(self, X, alpha):
            return super().predict_quantiles(X, alpha)[:, :3]

    class Missing(Quantiles):
        def predict_quantiles(self, X, alpha):
            return super().predict_quantiles(X, alpha) * np.nan

    class Crossing(Quantiles):
        def predict_quantiles(self, X, alpha):
            return super().predict_quantiles(X, alpha)[:, ::-1]

    with pytest.raises(InvalidInput, match=r"shape \(2, 3\) for 2 rows and 99"):
        curves_of(Few())
    with pytest.raises(InvalidInput, match="what predict_quantiles of Missing gave"):
        curves_of(Missing())
    with pytest.raises(InvalidInput, match="cross in 2 rows"):
        curves_of(Crossing())

"""Columns that come in another order are taken by name."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from consurv import ConformalSurvival, Outcome
from consurv.models import CoxPH, GradientBoosting, WeibullAFT

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(80, 3)), columns=["a", "b", "c"])
Y = Outcome(time=RNG.exponential(np.exp(X["a"] - X["b"])), event=np.ones(80))
TURNED = X[["c", "a", "b"]]


@pytest.mark.parametrize("model", [CoxPH(), GradientBoosting(), WeibullAFT()])
def test_by_a_model(model):
    model.fit(X, Y)
    np.testing.assert_array_equal(model.predict(TURNED), model.predict(X))


def test_by_a_model_for_its_validation_set():
    CoxPH().fit(X, Y, TURNED, Y)


@pytest.mark.parametrize("turn", [lambda x: x, pl.from_pandas])
def test_by_the_post_process(turn):
    model = ConformalSurvival(CoxPH()).fit(turn(X), Y)
    np.testing.assert_array_equal(model.predict(turn(TURNED)), model.predict(turn(X)))


def test_by_the_post_process_around_a_function():
    def curves(rows):
        return [1.0, 2.0], np.exp(-np.outer(np.exp(rows["a"]), [1.0, 2.0]))

    model = ConformalSurvival(curves).conformalize(X, Y)
    np.testing.assert_array_equal(model.predict(TURNED), model.predict(X))


def test_by_the_post_process_for_a_model_fitted_in_another_order():
    sksurv = pytest.importorskip("sksurv.linear_model")
    fitted = sksurv.CoxPHSurvivalAnalysis().fit(X, Y.to_structured())
    turned = ConformalSurvival(fitted).conformalize(TURNED, Y)
    straight = ConformalSurvival(fitted).conformalize(X, Y)
    np.testing.assert_array_equal(turned.predict(X), straight.predict(TURNED))


def test_by_the_post_process_for_its_validation_set():
    one = ConformalSurvival(CoxPH(), conformal_set="validation").fit(X, Y, X, Y)
    two = ConformalSurvival(CoxPH(), conformal_set="validation").fit(X, Y, TURNED, Y)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


@pytest.mark.parametrize("names", [["a", "b", "d"], ["a", "b"], ["a", "b", "c", "d"]])
def test_other_names_are_refused(names):
    model = ConformalSurvival(CoxPH()).fit(X, Y)
    other = pd.DataFrame(np.zeros((2, len(names))), columns=names)
    for fitted in (model, model.estimator_):
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.predict(other)

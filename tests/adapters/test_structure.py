"""Models of other libraries keep their structure, and say what the library says."""

import lifelines
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sksurv.ensemble import (
    ComponentwiseGradientBoostingSurvivalAnalysis,
    GradientBoostingSurvivalAnalysis,
)
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis

from consurv import Outcome
from consurv.adapters import adapter_for
from consurv.adapters.structure import agrees
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import (
    LogLogistic,
    LogNormal,
    Proportional,
    Table,
    Weibull,
)

LEVELS = np.arange(1, 20) / 20


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    time = rng.exponential(np.exp(X[:, 0])) + 0.01
    limit = rng.exponential(3, 300) + 0.01
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["group"] = np.arange(300) % 3
    return frame, Outcome(time=np.minimum(time, limit), event=time <= limit)


def fit(fitter, X, y, **options):
    frame = X.assign(time=y.time, event=y.event)
    return fitter.fit(frame, duration_col="time", event_col="event", **options)


def curves_of(model, X):
    return adapter_for(model).curves(model, X)


class TestLifelines:
    @pytest.mark.parametrize("strata", [None, ["group"], "group"])
    def test_cox(self, sample, strata):
        X, y = sample
        model = fit(lifelines.CoxPHFitter(penalizer=0.1), X, y, strata=strata)
        new = X.iloc[::-1][:40]
        curves = curves_of(model, new)
        assert isinstance(curves._form, Proportional)
        times = model.baseline_cumulative_hazard_.index.to_numpy()
        theirs = model.predict_survival_function(new.reset_index(drop=True), times)
        theirs = theirs.reindex(columns=range(40)).to_numpy().T
        assert_allclose(curves.survival_at(times), theirs, atol=1e-12)
        table = SurvivalCurves(times, theirs, "step")
        assert_allclose(
            curves.percentile_times(LEVELS), table.percentile_times(LEVELS), rtol=1e-12
        )
        assert_allclose(curves.mean(), table.mean(), rtol=1e-12)

    def test_two_strata_at_once(self, sample):
        X, y = sample
        X = X.assign(sex=np.arange(300) % 2)
        model = fit(lifelines.CoxPHFitter(penalizer=0.1), X, y, strata=["group", "sex"])
        curves = curves_of(model, X)
        assert isinstance(curves._form, Proportional)
        times = model.baseline_cumulative_hazard_.index.to_numpy()
        theirs = model.predict_survival_function(X, times)[list(range(300))]
        assert_allclose(curves.survival_at(times), theirs.to_numpy().T, atol=1e-12)

    @pytest.mark.parametrize(
        "options",
        [
            {"baseline_estimation_method": "spline", "n_baseline_knots": 3},
            {"baseline_estimation_method": "piecewise", "breakpoints": [0.5, 2.0]},
        ],
    )
    def test_another_baseline_is_a_table(self, sample, options):
        X, y = sample
        model = fit(lifelines.CoxPHFitter(penalizer=0.1, **options), X, y)
        assert isinstance(curves_of(model, X[:5])._form, Table)

    @pytest.mark.parametrize(
        ("fitter", "law"),
        [
            (lifelines.WeibullAFTFitter, Weibull),
            (lifelines.LogNormalAFTFitter, LogNormal),
            (lifelines.LogLogisticAFTFitter, LogLogistic),
        ],
    )
    @pytest.mark.parametrize("ancillary", [False, True])
    def test_aft(self, sample, fitter, law, ancillary):
        X, y = sample
        model = fit(fitter(penalizer=0.1), X, y, ancillary=ancillary)
        new = X[:30]
        curves = curves_of(model, new)
        assert isinstance(curves._form, law)
        times = np.array([0.1, 0.5, 2.0, 10.0, 50.0])
        theirs = model.predict_survival_function(new, times=times).to_numpy().T
        assert_allclose(curves.survival_at(times), theirs, atol=1e-12)
        for level in (0.9, 0.5, 0.1):
            theirs = np.ravel(model.predict_percentile(new, p=level))
            ours = curves.percentile_times([level])[:, 0]
            assert_allclose(ours, theirs, rtol=1e-12)
        assert (curves.last_time == y.time.max()).all()


class TestSksurv:
    @pytest.mark.parametrize(
        "model",
        [
            CoxPHSurvivalAnalysis(alpha=0.1),
            CoxnetSurvivalAnalysis(fit_baseline_model=True),
            GradientBoostingSurvivalAnalysis(n_estimators=10, random_state=0),
            ComponentwiseGradientBoostingSurvivalAnalysis(n_estimators=10),
        ],
        ids=lambda model: type(model).__name__,
    )
    @pytest.mark.parametrize("as_array", [False, True])
    def test_cox_and_boosting(self, sample, model, as_array):
        X, y = sample
        X = X.to_numpy() if as_array else X
        model = model.fit(X, y.to_structured())
        curves = curves_of(model, X[:40])
        assert isinstance(curves._form, Proportional)
        theirs = model.predict_survival_function(X[:40], return_array=True)
        times = model.unique_times_
        assert_allclose(curves.survival_at(times), theirs, atol=1e-12)
        table = SurvivalCurves(times, theirs, "step")
        assert_allclose(
            curves.percentile_times(LEVELS), table.percentile_times(LEVELS), rtol=1e-11
        )

    def test_a_subclass_that_predicts_otherwise_is_a_table(self, sample):
        class Squared(CoxPHSurvivalAnalysis):
            def predict_survival_function(self, X, return_array=False):
                return super().predict_survival_function(X, return_array=True) ** 2

        X, y = sample
        model = Squared(alpha=0.1).fit(X, y.to_structured())
        curves = curves_of(model, X[:5])
        assert isinstance(curves._form, Table)
        assert_allclose(
            curves.survival_at(model.unique_times_),
            model.predict_survival_function(X[:5]),
            atol=1e-12,
        )


def test_other_times_do_not_agree():
    one, other = (SurvivalCurves([t], [[0.5]], "step") for t in (1.0, 2.0))
    assert not agrees(one, lambda rows: other)

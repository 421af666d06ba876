"""The conformal step alone; ``test_base`` has it inside the estimator."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sksurv.linear_model import CoxPHSurvivalAnalysis

from consurv import (
    FromEstimator,
    InvalidInput,
    KaplanMeier,
    NotConformalizedError,
    Outcome,
)
from consurv.conformal.censoring.margin import MarginRule
from consurv.conformal.policies import ConformalPart
from consurv.conformal.step import ConformalStep, choose_rule

LEVELS = np.array([0.25, 0.5, 0.75])
Y = Outcome(time=[1, 2, 3, 4, 5], event=[1, 1, 0, 1, 1])


def step_of(censoring, adjustment="time"):
    return ConformalStep(
        levels=LEVELS,
        rule=choose_rule(adjustment, censoring, None),
        censoring=censoring,
        n_samples=None,
        kaplan_meier="train",
        rearrange="exact",
        rng=np.random.default_rng(0),
    )


class TestChooseRule:
    def test_times_have_an_object_and_levels_a_name(self):
        assert isinstance(choose_rule("time", "margin", None), MarginRule)
        assert choose_rule("level", "self-consistent", None) == "self-consistent"

    def test_a_rule_of_the_other_kind_is_refused(self):
        with pytest.raises(InvalidInput, match="goes with adjustment='time'"):
            choose_rule("level", "margin", None)
        with pytest.raises(InvalidInput, match="unknown censoring rule 'uniform'"):
            choose_rule("time", "uniform", None)


class TestFind:
    def test_shifts(self):
        times = np.tile([6.0, 4.0, 2.0], (5, 1))
        part = ConformalPart(times, Y, in_training=False)
        found = step_of("uncensored").find([part], Y[:3], "validation")
        # Scores 6 - t, 4 - t and 2 - t of four events; k = 2, 3 and 4 of them.
        assert_array_equal(found.result.shifts, [2.0, 2.0, 1.0])
        assert (found.kind, found.censoring) == ("time", "uncensored")
        assert found.conformal_set == "validation"
        assert found.kaplan_meier == KaplanMeier(Y[:3])

    def test_levels(self):
        survival = np.array([0.9, 0.8, 0.4, 0.2, 0.1])
        part = ConformalPart(survival, Y, in_training=True)
        found = step_of("auto", "level").find([part], None, "given")
        assert (found.kind, found.censoring) == ("level", "uniform")
        # k = 2: the events at 0.1 and 0.2 would do, and half of the censored one.
        assert_array_equal(found.result.adjusted_levels, [0.2, 0.4, 0.9])
        assert found.kaplan_meier == KaplanMeier(Y)  # no other outcomes are known

    def test_a_rule_without_a_name_is_called_by_its_class(self):
        part = ConformalPart(np.tile([6.0, 4.0, 2.0], (5, 1)), Y, in_training=False)
        found = step_of(MarginRule()).find([part], None, "given")
        assert found.censoring == "MarginRule"


class TestImputer:
    def test_most_rules_have_none(self):
        step = step_of("margin")
        assert step.imputer is None
        assert step.with_imputer(None, None) is step

    def test_is_trained_unless_it_is_fitted(self, simulate):
        X, y = simulate(60, 0)
        step = step_of(FromEstimator(CoxPHSurvivalAnalysis()))
        trained = step.with_imputer((X, y), None)
        assert trained.imputer.predict(X).shape == (60,)
        assert trained.with_imputer(None, None).imputer is trained.imputer
        with pytest.raises(NotConformalizedError, match="is not fitted"):
            step.with_imputer(None, None)

    def test_an_earlier_one_stands_in_for_one_that_is_not_fitted(self, simulate):
        X, y = simulate(60, 0)
        earlier = CoxPHSurvivalAnalysis().fit(X, y.to_structured())
        step = step_of(FromEstimator(CoxPHSurvivalAnalysis()))
        assert step.with_imputer(None, None, earlier).imputer is earlier

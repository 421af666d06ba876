"""Adjustments of every kind: found, fitted rules, and a kind of one's own."""

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
from consurv.conformal.adjustments import adjustment_kind
from consurv.conformal.censoring.rules.margin import MarginRule
from consurv.conformal.parts.blocks import Block

LEVELS = np.array([0.25, 0.5, 0.75])
Y = Outcome(time=[1, 2, 3, 4, 5], event=[1, 1, 0, 1, 1])


def choose_rule(adjustment, censoring):
    return adjustment_kind(adjustment).choose_rule(censoring, None)


def make(block, censoring, adjustment="time", **how):
    kind = adjustment_kind(adjustment)
    rule = kind.choose_rule(censoring, None)
    said = kind.rule_name(rule, censoring)
    rng = np.random.default_rng(0)
    return kind.make([block], rule, rng, censoring=said, **how)


class TestChooseRule:
    def test_times_have_an_object_and_levels_a_name(self):
        assert isinstance(choose_rule("time", "margin"), MarginRule)
        assert choose_rule("level", "self-consistent") == "self-consistent"

    def test_a_rule_of_the_other_kind_is_refused(self):
        with pytest.raises(InvalidInput, match="goes with adjustment='time'"):
            choose_rule("level", "margin")
        with pytest.raises(InvalidInput, match="unknown censoring rule 'uniform'"):
            choose_rule("time", "uniform")


class TestMake:
    def test_shifts(self):
        block = Block(np.tile([6.0, 4.0, 2.0], (5, 1)), LEVELS, Y)
        found = make(block, "uncensored", training=Y[:3], conformal_set="validation")
        # Scores 6 - t, 4 - t and 2 - t of four events; k = 2, 3 and 4 of them.
        assert_array_equal(found.shifts, [2.0, 2.0, 1.0])
        assert (found.kind, found.censoring) == ("time", "uncensored")
        assert found.conformal_set == "validation"
        assert found.kaplan_meier == KaplanMeier(Y[:3])

    def test_levels(self):
        survival = np.repeat([[0.9], [0.8], [0.4], [0.2], [0.1]], 2, axis=1)
        block = Block(survival, LEVELS, Y, in_training=True)
        found = make(block, "uniform", "level")
        assert (found.kind, found.censoring) == ("level", "uniform")
        # k = 2: the events at 0.1 and 0.2 would do, and half of the censored one.
        assert_array_equal(found.adjusted_levels, [0.2, 0.4, 0.9])
        assert found.kaplan_meier == KaplanMeier(Y)  # no other outcomes are known

    def test_a_rule_without_a_name_is_called_by_its_class(self):
        block = Block(np.tile([6.0, 4.0, 2.0], (5, 1)), LEVELS, Y)
        assert make(block, MarginRule()).censoring == "MarginRule"


class TestImputer:
    def test_most_rules_have_none(self):
        rule = MarginRule()
        assert rule.imputer is None
        assert rule.fitted(None, None) is rule

    def test_is_trained_unless_it_is_fitted(self, simulate):
        X, y = simulate(60, 0)
        rule = FromEstimator(CoxPHSurvivalAnalysis())
        trained = rule.fitted((X, y), None)
        assert trained.imputer.predict(X).shape == (60,)
        assert trained.fitted(None, None).imputer is trained.imputer
        with pytest.raises(NotConformalizedError, match="is not fitted"):
            rule.fitted(None, None)

    def test_an_earlier_one_stands_in_for_one_that_is_not_fitted(self, simulate):
        X, y = simulate(60, 0)
        earlier = CoxPHSurvivalAnalysis().fit(X, y.to_structured())
        rule = FromEstimator(CoxPHSurvivalAnalysis())
        assert rule.fitted(None, None, earlier).imputer is earlier

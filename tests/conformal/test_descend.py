"""Levels from the highest down, and those that the events do not tell."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consurv.conformal import TimeAdjustment
from consurv.conformal.adjustments.shifts import descend, find_shifts
from consurv.conformal.censoring.rules import RULES
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.masses import LevelMass
from consurv.errors import CalibrationWarning
from consurv.outcome import Outcome


class Recorded:
    """A sweep of ten points at every level that writes down what it is asked."""

    n_subjects, n_infinite = 10, 0

    def __init__(self):
        self.log = []

    def at(self, p):
        self.log.append(("at", p))
        return LevelMass(np.arange(10.0) + 100 * p)

    def learn(self, p, shift):
        self.log.append(("learn", p, shift))


class Lost(Recorded):
    """A sweep whose mass is reached before any event from some level on."""

    def at(self, p):
        return LevelMass(np.arange(10.0), fixed=20.0 if p < 2 else 0.0)


class TestDescend:
    def test_goes_down_and_tells_each_level_before_the_next(self):
        sweep = Recorded()
        steps = descend([sweep], np.array([0.5, 0.2, 0.9]))
        # k = ⌈5.5⌉ = 6, ⌈2.2⌉ = 3, ⌈9.9⌉ = 10 of 0 … 9.
        assert steps.shifts.tolist() == [5, 102, 209]
        assert sweep.log == [
            ("at", 2),
            ("learn", 2, 209),
            ("at", 0),
            ("learn", 0, 5),
            ("at", 1),
            ("learn", 1, 102),
        ]

    def test_levels_below_the_last_identified_take_its_shift(self):
        sweep = Lost()
        steps = descend([sweep], np.array([0.1, 0.2, 0.6, 0.8]))
        assert steps.identified.tolist() == [False, False, True, True]
        assert steps.shifts.tolist() == [6, 6, 6, 8]
        assert sweep.log[-1] == ("learn", 0, 6)

    def test_if_none_is_identified_nothing_moves(self):
        steps = descend([Lost()], np.array([0.1, 0.2]))
        assert steps.shifts.tolist() == [0, 0]


def short_follow_up(n=200, horizon=9.0):
    """Everybody is censored at the horizon, where 43 % are still alive."""
    rng = np.random.default_rng(0)
    levels = np.arange(1, 10) / 10
    time = 10 * rng.weibull(1.5, n)
    q = np.tile(11 * (-np.log(levels)) ** (1 / 1.4), (n, 1))
    return Block(q, levels, Outcome(np.minimum(time, horizon), time <= horizon))


class TestUnidentifiedLevels:
    @pytest.mark.parametrize("rule", ["self-consistent", "local"])
    def test_are_told_and_take_the_last_shift(self, rule):
        block = short_follow_up()
        with pytest.warns(CalibrationWarning, match=r"levels 0\.1, 0\.2.* last level"):
            result = find_shifts([block], RULES[rule](), np.random.default_rng())
        first = int(np.argmax(result.identified))
        assert block.levels[first] == 0.5
        assert result.identified[first:].all()
        assert not result.identified[:first].any()
        assert_array_equal(result.shifts[:first], result.shifts[first])

    @pytest.mark.parametrize("rule", ["auto", "kaplan-meier"])
    def test_are_marked_where_a_rule_goes_on_without_events(self, rule):
        block, rng = short_follow_up(), np.random.default_rng()
        result = find_shifts([block], RULES[rule](), rng)
        assert_array_equal(result.identified, block.levels > 0.45)

    def test_there_are_none_without_censoring(self):
        block = short_follow_up(horizon=np.inf)
        result = find_shifts([block], RULES["local"](), np.random.default_rng())
        assert result.identified.all()

    def test_a_result_made_without_saying_so_has_all_levels_identified(self):
        one = np.ones(1)
        result = TimeAdjustment(levels=one / 2, shifts=one, n_conformal=5)
        assert_array_equal(result.identified, [True])

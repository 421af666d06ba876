"""The raw curve, recalibrated, speaks for a censored subject."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import SurvivalCurves
from consurv.conformal.adjustments.adjust import adjust
from consurv.conformal.adjustments.shifts import conformal_shifts, find_shifts
from consurv.conformal.censoring.laws.recalibrated import RecalibratedLaw
from consurv.conformal.censoring.raw_curves import RawCurves
from consurv.conformal.censoring.rules.auto import AutoRule
from consurv.conformal.censoring.rules.from_estimator import FromCurves
from consurv.conformal.parts.blocks import Block
from consurv.errors import CalibrationWarning
from consurv.outcome import Outcome
from tests.conformal.masses import Mass

LEVELS = np.arange(1, 20) / 20
quiet = pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")


def weibull_set(n, seed, *, stretch=1.0, slope=1.0, censoring=0.0):
    """A model with the times *stretch* and the effect of x *slope* times the true."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    time = 10 * np.exp(0.7 * x) * rng.weibull(1.5, n)
    limit = rng.exponential(14 * np.exp(censoring * x))
    q = stretch * 10 * np.exp(0.7 * slope * x)[:, None] * (-np.log(LEVELS)) ** (2 / 3)
    return q, Outcome(np.minimum(time, limit), time <= limit), x


def true_levels(q, x, shifts):
    """Return P(T > q') on average over the subjects."""
    times = adjust(q, LEVELS, shifts).percentile_times(LEVELS)
    scale = 10 * np.exp(0.7 * x)[:, None]
    return np.exp(-((times / scale) ** 1.5)).mean(axis=0)


class TestLaw:
    @pytest.mark.parametrize("whole", [False, True])
    def test_equals_that_of_the_same_curves(self, whole):
        # The search of another law, with every curve given node by node.
        rng = np.random.default_rng(0)
        q, y, _ = weibull_set(300, 1)
        if whole:
            q, y = np.ceil(q), Outcome(np.ceil(y.time), y.event)
        rule = AutoRule().learn([Block(q, LEVELS, y)])
        nodes = rule.curves.nodes(q)[:, 1:]
        levels = rule.levels[rule.strata.of(Block(q, LEVELS, y)), 1:]
        curves = FromCurves(SurvivalCurves(nodes, levels))
        wanted = conformal_shifts(q, LEVELS, y, censoring=curves)
        found = find_shifts([Block(q, LEVELS, y)], AutoRule(), rng).shifts
        assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)

    def test_of_a_right_model_is_that_of_the_raw_curves(self):
        q, y, _ = weibull_set(2000, 2)
        levels = AutoRule().learn([Block(q, LEVELS, y)]).levels
        raw = np.exp(-RawCurves(LEVELS).hazards)
        assert_allclose(levels[:, 1:-1], np.tile(raw[:-1], (20, 1)), atol=0.05)

    def test_follows_the_events_where_the_model_is_off(self):
        # Times twice too long: S_true = S_raw to the power 2^1.5.
        q, y, _ = weibull_set(2000, 3, stretch=2.0)
        levels = AutoRule().learn([Block(q, LEVELS, y)]).levels
        true = np.exp(-RawCurves(LEVELS).hazards * 2**1.5)
        assert_allclose(levels[:, 1:], np.tile(true, (20, 1)), atol=0.05)

    def test_a_point_mass_where_the_curve_has_ended(self):
        times = np.array([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])
        levels = np.array([[1.0, 0.5, 0.0]])
        law = RecalibratedLaw(times, levels, np.zeros(2, int), np.array([1.5, 9.0]))
        assert_array_equal(law.at_c, [0.25, 0.0])

    def test_vertical_drops(self):
        times = np.array([[0.0, 1.0, 1.0, 2.0]])
        levels = np.array([[1.0, 0.8, 0.4, 0.0]])
        law = RecalibratedLaw(times, levels, np.zeros(1, int), np.array([0.5]))
        mass = Mass(law, np.array([5.0]))
        # P(T ≥ x | T > 0.5) for x = 5 − s; S(0.5) = 0.9.
        found = [mass.mass(5 - x) for x in (0.3, 0.75, 1.0, 1.5, 2.0, 3.0)]
        assert_allclose(found, [1, 0.85 / 0.9, 0.8 / 0.9, 0.2 / 0.9, 0, 0], atol=1e-15)


class TestShifts:
    def test_without_censoring_it_is_the_plain_quantile(self):
        q, y, _ = weibull_set(99, 4)
        seen = Outcome(y.time, np.ones(99))
        plain = conformal_shifts(q, LEVELS, seen, censoring="uncensored")
        assert_array_equal(conformal_shifts(q, LEVELS, seen, censoring="auto"), plain)

    @pytest.mark.parametrize(
        ("off", "limit"),
        [
            ({}, 0.5),
            ({"stretch": 1.6}, 0.5),
            ({"slope": 1.6}, 1.0),
            ({"slope": 0.4}, 1.0),
        ],
    )
    @pytest.mark.parametrize("censoring", [0.0, -0.7, 0.7])
    def test_curves_come_out_calibrated(self, off, limit, censoring):
        q, y, x = weibull_set(3000, 5, censoring=censoring, **off)
        shifts = conformal_shifts(q, LEVELS, y, censoring="auto")
        error = 1e3 * np.mean((true_levels(q, x, shifts) - LEVELS) ** 2)
        assert error < limit

    def test_tails_without_end_leave_the_search_exact(self):
        # Curves that are all but steps at first have tails that end beyond 1e15.
        q, y, _ = weibull_set(1000, 6)
        q[:200, 5:] = 1e-6
        block = Block(q, LEVELS, y)
        part = AutoRule().learn([block]).contribution(block, np.random.default_rng(0))
        assert part.law.times.max() > 1e15
        shifts = conformal_shifts(q, LEVELS, y, censoring="auto")
        for p, level in enumerate(LEVELS):
            law = Mass(part.law, q[part.law_rows, p])
            scores = q[part.point_rows, p] - part.point_times
            k, eps = np.ceil(level * 1001 - 1e-9), 1e-6 * max(1.0, abs(shifts[p]))
            at, before = (
                law.mass(s) + np.count_nonzero(scores <= s)
                for s in (shifts[p] + 1e-9, shifts[p] - eps)
            )
            assert before < k <= at + 1e-6

    def test_no_event_leaves_the_curves_as_they_are(self):
        q, _, _ = weibull_set(400, 6)
        soon = Outcome(np.full(400, 1e-3), np.zeros(400))
        with pytest.warns(CalibrationWarning, match="rest on the raw curves alone"):
            shifts = conformal_shifts(q, LEVELS, soon, censoring="auto")
        assert_allclose(shifts / q.mean(axis=0), 0, atol=0.05)

    @quiet
    @pytest.mark.parametrize("n", [2, 3, 7, 20])
    def test_few_subjects(self, n):
        q, y, _ = weibull_set(n, 7)
        y = Outcome(y.time, np.arange(n) % 2 == 0)
        assert np.isfinite(conformal_shifts(q, LEVELS, y, censoring="auto")).all()

    @quiet
    def test_a_constant_model(self):
        _, y, _ = weibull_set(200, 8)
        q = np.full((200, 19), 5.0)
        assert np.isfinite(conformal_shifts(q, LEVELS, y, censoring="auto")).all()

    def test_crossing_and_negative_rows(self):
        q, y, _ = weibull_set(300, 9)
        q += np.random.default_rng(0).normal(0, 4, q.shape)
        assert np.isfinite(conformal_shifts(q, LEVELS, y, censoring="auto")).all()

    def test_infinite_rows_sway_nobody_else(self):
        q, y, _ = weibull_set(300, 9)
        wanted = conformal_shifts(q[30:], LEVELS, y[30:], censoring="auto")
        q[:30] = np.inf
        with pytest.warns(CalibrationWarning, match="30 subjects have infinite"):
            found = conformal_shifts(q, LEVELS, y, censoring="auto")
        assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)

    @pytest.mark.parametrize(
        "levels", [[0.5], [0.9, 0.5, 0.1], np.arange(1, 100) / 100]
    )
    def test_any_number_of_levels(self, levels):
        levels = np.asarray(levels)
        rng = np.random.default_rng(10)
        x = rng.normal(size=1500)
        time = 10 * np.exp(0.7 * x) * rng.weibull(1.5, 1500)
        limit = rng.exponential(14, 1500)
        y = Outcome(np.minimum(time, limit), time <= limit)
        q = 10 * np.exp(0.7 * x)[:, None] * (-np.log(levels)) ** (2 / 3)
        shifts = conformal_shifts(q, levels, y, censoring="auto")
        true = np.exp(
            -(((q - shifts).clip(0) / (10 * np.exp(0.7 * x))[:, None]) ** 1.5)
        )
        assert_allclose(true.mean(axis=0), levels, atol=0.05)

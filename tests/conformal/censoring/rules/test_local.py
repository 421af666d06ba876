"""Kaplan–Meier among subjects of similar risk, then the adjusted curve."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.adjustments.shifts import conformal_shifts, find_shifts
from consurv.conformal.censoring.rules.local import LocalRule
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.search import rank
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

LEVELS = np.arange(1, 10) / 10
quiet = pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")


def weibull_set(n, seed, *, whole=False):
    rng = np.random.default_rng(seed)
    scale = np.exp(0.4 * rng.normal(size=n))
    time, limit = 10 * scale * rng.weibull(2, n), 2 + rng.exponential(14, n)
    q = 12 * scale[:, None] * (-np.log(LEVELS)) ** (1 / 1.8)
    time, event = np.minimum(time, limit), time <= limit
    if whole:
        q, time = np.ceil(q), np.ceil(time)
    return q, Outcome(time, event)


def by_definition(q, y, rule):
    """Return the shifts of design.md's formula, level by level, with dense search."""
    n, c = len(y), y.time[~y.event]
    order = np.argsort(q[:, 4], kind="stable")
    wanted = max(y.n_events // rule.events_per_stratum, 1)
    edges = np.unique(q[order, 4][(np.arange(1, wanted) * n) // wanted])
    stratum = np.searchsorted(edges[edges > q[:, 4].min()], q[:, 4], side="right")
    curves = [KaplanMeier(y[stratum == g]) for g in range(stratum.max() + 1)]
    ends = [max(km.times[km.at_risk >= rule.at_risk], default=0.0) for km in curves]
    shifts, nodes, seen = np.zeros(9), [np.zeros(n)], [1.0]
    for p in range(8, -1, -1):

        def mass(s, p=p):
            total = np.count_nonzero(q[y.event, p] - y.time[y.event] <= s)
            for i, j in enumerate(np.flatnonzero(~y.event)):
                km, end = curves[stratum[j]], ends[stratum[j]]
                times = [*(node[j] for node in nodes), max(q[j, p] - s, nodes[-1][j])]
                x, a = times[-1], max(c[i], end)
                if x <= c[i]:
                    total += 1
                elif x <= a:
                    total += float(km.survival_before(x) / km.survival_at(c[i]))
                else:
                    at_a = np.interp(a, times, [*seen, LEVELS[p]])
                    w = km.survival_at(end) / km.survival_at(c[i]) if a > c[i] else 1
                    total += float(w) * LEVELS[p] / at_a
            return total

        lo, hi = -30.0, 30.0
        while hi - lo > 1e-6:
            middle = (lo + hi) / 2
            reached = mass(middle) >= rank(LEVELS[p], n) - 1e-9
            lo, hi = (lo, middle) if reached else (middle, hi)
        shifts[p] = hi
        nodes.append(np.maximum(q[:, p] - hi, nodes[-1]))
        seen.append(LEVELS[p])
    return shifts


class TestDefinition:
    @pytest.mark.parametrize("whole", [False, True])
    def test_equals_the_formula(self, whole):
        q, y = weibull_set(50, 1, whole=whole)
        rule = LocalRule(events_per_stratum=15, at_risk=6)
        block = Block(q, LEVELS, y)
        result = find_shifts([block], rule, np.random.default_rng())
        assert result.identified.all()
        wanted = by_definition(q, y, rule)
        assert_allclose(result.shifts, wanted, rtol=0, atol=3e-6)

    def test_one_common_curve_makes_it_kaplan_meier(self):
        # One stratum, and K goes as far as the level: nothing else has a say.
        q, y = weibull_set(400, 2)
        q = np.tile(np.median(q, axis=0), (400, 1))
        local = conformal_shifts(q[:, 4:], LEVELS[4:], y, censoring="local")
        marginal = conformal_shifts(q[:, 4:], LEVELS[4:], y, censoring="kaplan-meier")
        assert_array_equal(local, marginal)

    def test_without_censoring_it_is_the_plain_quantile(self):
        q, y = weibull_set(99, 3)
        seen = Outcome(y.time, np.ones(99))
        plain = conformal_shifts(q, LEVELS, seen, censoring="uncensored")
        found = conformal_shifts(q, LEVELS, seen, censoring="local")
        assert_array_equal(found, plain)

    @quiet
    @pytest.mark.parametrize("n", [2, 5, 12])
    def test_few_subjects_are_one_stratum(self, n):
        q, y = weibull_set(n, 4)
        y = Outcome(y.time, np.arange(n) > 0)
        shifts = conformal_shifts(q, LEVELS, y, censoring="local")
        assert np.isfinite(shifts).all()

    def test_without_anyone_at_risk_the_curve_speaks_alone(self):
        q, y = weibull_set(150, 5)
        nobody = LocalRule(at_risk=10**6)
        found = conformal_shifts(q[:, 2:], LEVELS[2:], y, censoring=nobody)
        alone = conformal_shifts(q[:, 2:], LEVELS[2:], y, censoring="self-consistent")
        assert_allclose(found, alone, rtol=1e-9)

    def test_no_event_is_an_error(self):
        y = Outcome([1, 2, 3], [0, 0, 0])
        with pytest.raises(InvalidInput, match=r"no event.*'local'"):
            conformal_shifts([[1.0], [2.0], [3.0]], [0.5], y, censoring="local")

    def test_a_stratum_without_events_is_left_to_the_curves(self):
        q, y = weibull_set(200, 6)
        late = q[:, 4] > np.median(q[:, 4])
        y = Outcome(y.time, y.event & ~late)
        rule = LocalRule(events_per_stratum=30)
        shifts = conformal_shifts(q[:, 5:], LEVELS[5:], y, censoring=rule)
        assert np.isfinite(shifts).all()

"""P(T ≥ q'(ρ)) = k/(N + 1) exactly, for a fresh conformal set without censoring.

N + 1 exchangeable scores without ties: the new one is among the k smallest with
probability k/(N + 1). A rank one too high would be off by 1/(N + 1).
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv.conformal.adjustments.adjust import adjust
from consurv.conformal.adjustments.shifts import conformal_shifts
from consurv.conformal.quantile.search import rank
from consurv.outcome import Outcome

LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.9, 0.95])
SIZES = [19, 30, 99]


def make_subjects(rng, shape):
    """Return percentile times of a poor model, (…, P), and true times."""
    x = rng.normal(size=shape)
    true = np.exp(0.8 * x) * rng.weibull(1.3 + 0.5 * (x > 0), shape)
    q = np.exp(0.4 * x)[..., None] * (-np.log(LEVELS)) + 0.2 * x[..., None] ** 2
    return q, true


@pytest.mark.slow
class TestRankRule:
    @pytest.mark.parametrize("n", SIZES)
    def test_coverage_is_k_over_n_plus_one(self, n):
        repetitions, chunk = 200_000, 10_000
        ranks = np.array([min(rank(level, n), n) for level in LEVELS])
        rng = np.random.default_rng(n)
        covered = np.zeros(len(LEVELS))
        for _ in range(repetitions // chunk):
            q, true = make_subjects(rng, (chunk, n + 1))
            scores = q - true[..., None]
            ordered = np.sort(scores[:, :n], axis=1)
            shift = ordered[:, ranks - 1, np.arange(len(LEVELS))]
            covered += (scores[:, n] <= shift).sum(axis=0)
        share, wanted = covered / repetitions, ranks / (n + 1)
        error = np.sqrt(wanted * (1 - wanted) / repetitions)  # at most 0.0011
        assert (np.abs(share - wanted) < 4 * error).all()
        # Tight enough: the neighbouring rank is at least 8 standard errors away.
        assert (8 * error < 1 / (n + 1)).all()


@pytest.mark.slow
class TestShifts:
    @pytest.mark.parametrize("n", SIZES)
    @pytest.mark.parametrize("rule", ["uncensored", "kaplan-meier"])
    @pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")
    def test_coverage_through_the_function_itself(self, n, rule):
        # T = x + E with E exponential and q(ρ) = x + a(ρ): the coverage of a new
        # subject given the shift is exp(b − a), so no second simulation is needed.
        # It varies as Beta(k, N + 1 − k), with the variance p(1 − p)/(N + 2).
        repetitions = 4_000
        a = 1 + np.arange(len(LEVELS)) / 4
        everyone, rng = np.ones(n, dtype=bool), np.random.default_rng(n)
        mean = np.zeros(len(LEVELS))
        for _ in range(repetitions):
            x = rng.uniform(1, 5, n)
            y = Outcome(x + rng.exponential(size=n), everyone)
            shifts = conformal_shifts(x[:, None] + a, LEVELS, y, censoring=rule)
            mean += np.exp(shifts - a) / repetitions
        ranks = np.array([min(rank(level, n), n) for level in LEVELS])
        wanted = ranks / (n + 1)
        error = np.sqrt(wanted * (1 - wanted) / (n + 2) / repetitions)
        assert (np.abs(mean - wanted) < 4 * error).all()
        assert (12 * error < 1 / (n + 1)).all()  # the next rank is far away

    def test_adjusted_curves_cover(self):
        # The same through adjust: the share of new subjects that reach their own
        # adjusted percentile time, over many conformal sets of 99.
        n, repetitions, fresh = 99, 1_500, 200
        rng = np.random.default_rng(1)
        reached = np.zeros((repetitions, len(LEVELS)))
        for i in range(repetitions):
            q, true = make_subjects(rng, n)
            shifts = conformal_shifts(q, LEVELS, Outcome(true, np.ones(n)))
            q, true = make_subjects(rng, fresh)
            curves = adjust(q, LEVELS, shifts)
            kept = ~curves.rearranged
            # Rearranged rows have no such theorem; here they are few.
            assert kept.mean() > 0.5
            adjusted = np.maximum(q - shifts, 0)
            assert_allclose(curves.percentile_times(LEVELS)[kept], adjusted[kept])
            reached[i] = np.mean(true[:, None] >= adjusted, axis=0)
        wanted = np.array([rank(level, n) for level in LEVELS]) / (n + 1)
        error = reached.std(axis=0) / np.sqrt(repetitions)
        assert (np.abs(reached.mean(axis=0) - wanted) < 4 * error).all()

"""What calibration follows from what: facts about D-cal and KM-cal, by simulation.

KM-cal is the mean squared difference between the mean predicted curve and the
Kaplan–Meier curve of the test set, up to its last time.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.integrate import trapezoid

from consurv.conformal.adjustments import shifts
from consurv.conformal.adjustments.adjust import adjust
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.metrics.d_calibration import d_calibration
from consurv.outcome import Outcome

# The rule that these tests are about; others are named where they are meant.
conformal_shifts = partial(shifts.conformal_shifts, censoring="kaplan-meier")


def mean_curve(curves, times):
    return curves.survival_at(times).mean(axis=0)


def km_calibration(y, curves):
    km = KaplanMeier(y)
    times = np.linspace(0, km.t_max, 400)
    gap = mean_curve(curves, times) - km.survival_at(times)
    return trapezoid(gap**2, times) / km.t_max


def kaplan_meier_as_model(km, n):
    return SurvivalCurves(km.times, np.tile(km.survival, (n, 1)), "step")


@pytest.mark.slow
class TestKaplanMeierAsAModel:
    @staticmethod
    def make(n, rng):
        true, censoring = 10 * rng.weibull(1.5, n), rng.exponential(15, n)
        return Outcome(np.minimum(true, censoring), true <= censoring)

    def test_both_calibrations_go_to_zero(self):
        # Each is of the order of 1/n (two empirical distributions are compared).
        rng = np.random.default_rng(0)
        for n in (50, 400, 3200):
            d_cal, km_cal = [], []
            for _ in range(4):
                km, y = KaplanMeier(self.make(n, rng)), self.make(n, rng)
                curves = kaplan_meier_as_model(km, n)
                d_cal.append(float(d_calibration(y, curves)))
                km_cal.append(km_calibration(y, curves))
            # Expected below 2·mean(ρ(1 − ρ))/n = 0.37/n and, with some censoring,
            # about as much; three times that is far outside of chance for a mean of 4.
            assert np.mean(d_cal) < 1.2 / n
            assert np.mean(km_cal) < 1.2 / n

    def test_on_true_times_only_if_censoring_is_independent(self):
        # Subjects leave shortly before their event would come: Kaplan–Meier takes
        # them for ordinary survivors. By the observed outcomes it is calibrated; the
        # true times come much earlier than it says.
        rng = np.random.default_rng(1)
        n = 2000
        true = 10 * rng.weibull(1.5, n)
        leaves = rng.random(n) < 0.5
        y = Outcome(np.where(leaves, 0.9 * true, true), ~leaves)
        curves = kaplan_meier_as_model(KaplanMeier(y), n)
        observed = float(d_calibration(y, curves))
        actual = float(d_calibration(Outcome(true, np.ones(n)), curves))
        assert observed < 1e-3
        assert actual > 0.01


def conformalize(make, q, levels, n, rng):
    """Return fresh outcomes and their adjusted curves, from a set of n subjects."""
    x, y = make(n, rng)
    shifts = conformal_shifts(q(x, levels), levels, y)
    x, fresh = make(4000, rng)
    return fresh, adjust(q(x, levels), levels, shifts)


@pytest.mark.slow
class TestConformalizedCurves:
    SIZES = ((60, 9), (600, 39), (6000, 199))

    def test_right_up_to_a_common_shift_they_become_km_calibrated(self):
        # T = 5 + x + W. The model has W too late and too wide: a shift b(ρ) that is
        # the same for all subjects.
        def make(n, rng):
            x = rng.uniform(0, 6, n)
            true, censoring = 5 + x + 4 * rng.weibull(1.5, n), rng.uniform(4, 30, n)
            return x, Outcome(np.minimum(true, censoring), true <= censoring)

        def q(x, levels):
            return 6 + x[:, None] + 7 * (-np.log(levels)) ** 0.5

        rng = np.random.default_rng(2)
        mean_scores = []
        for n, percentiles in self.SIZES:
            levels = np.arange(1, percentiles + 1) / (percentiles + 1)
            runs = [conformalize(make, q, levels, n, rng) for _ in range(3)]
            mean_scores.append(np.mean([km_calibration(y, c) for y, c in runs]))
        assert mean_scores[0] > 3 * mean_scores[1]
        assert mean_scores[1] > mean_scores[2]
        # What is left is the noise of 4000 fresh outcomes, some 1e-4; raw: 0.04.
        assert mean_scores[2] < 2e-4

    def test_otherwise_d_calibration_does_not_imply_it(self):
        # T = 12 + x + W, and the model has the sign of x wrong: q = 12 − x + ... The
        # adjusted time is −x plus a quantile of T + x = 12 + 2x + W. At every level
        # the right share of all subjects reaches it, but the curves together have the
        # spread of 2x − x', five times that of x, however large the conformal set.
        def make(n, rng):
            x = rng.uniform(0, 10, n)
            return x, Outcome(12 + x + rng.exponential(1, n), np.ones(n))

        def q(x, levels):
            return 12 - x[:, None] - np.log(levels)

        rng = np.random.default_rng(3)
        levels = np.arange(1, 100) / 100
        y, curves = conformalize(make, q, levels, 20_000, rng)
        assert (curves.n_clipped, curves.n_rearranged) == (0, 0)
        assert float(d_calibration(y, curves)) < 5e-4
        assert km_calibration(y, curves) > 0.01


class TestOneCalibration:
    def test_km_calibration_is_its_integrated_numerator_with_one_group(self):
        # 1-cal with one group compares at a time t the expected number of events,
        # Σ(1 − S_i(t)), with the estimated one, N(1 − S_KM(t)). The square of the
        # difference is the numerator of its statistic.
        rng = np.random.default_rng(4)
        n = 300
        true, censoring = rng.exponential(5, n), rng.exponential(7, n)
        y = Outcome(np.minimum(true, censoring), true <= censoring)
        grid = np.linspace(0.1, 20, 50)
        rate = rng.uniform(0.1, 0.4, (n, 1))
        curves = SurvivalCurves(grid, np.exp(-rate * grid))
        km = KaplanMeier(y)

        def numerator(times):
            expected = (1 - curves.survival_at(times)).sum(axis=0)
            observed = n * (1 - km.survival_at(times))
            return (observed - expected) ** 2

        times = np.linspace(0, km.t_max, 400)
        integrated = trapezoid(numerator(times), times) / (n**2 * km.t_max)
        assert km_calibration(y, curves) == pytest.approx(integrated, rel=1e-12)

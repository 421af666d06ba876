import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom

from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.metrics import d_calibration
from consurv.report.bands import binomial_band, greenwood_band, observed_fraction


class TestBinomialBand:
    def test_holds_at_least_the_coverage_and_no_tail_more_than_half_the_rest(self):
        levels = np.arange(1, 20) / 20
        lower, upper = binomial_band(57, levels, 0.9)
        below = binom.cdf(np.rint(57 * lower) - 1, 57, levels)
        above = binom.sf(np.rint(57 * upper), 57, levels)
        assert (below <= 0.05).all()
        assert (above <= 0.05).all()

    def test_covers_a_calibrated_model_as_often_as_it_says(self):
        rng = np.random.default_rng(3)
        n, repeats, level = 200, 4000, 0.3
        lower, upper = binomial_band(n, [level], 0.95)
        share = (rng.random((repeats, n)) <= level).mean(axis=1)
        inside = np.mean((share >= lower) & (share <= upper))
        exact = binom.cdf(n * upper, n, level) - binom.cdf(n * lower - 1, n, level)
        assert_allclose(inside, exact[0], atol=3 * np.sqrt(0.05 * 0.95 / repeats))

    def test_is_too_wide_rather_than_too_narrow_with_censoring(self, predicted):
        rng = np.random.default_rng(5)
        shares = []
        for _ in range(200):
            time = rng.exponential(10 * np.exp(predicted.X[:, 0]))
            late = rng.exponential(10.0, size=len(time))
            y = (time <= late, np.minimum(time, late))
            result = d_calibration(y, predicted.good, n_bins=4)
            shares.append(result.cumulative[0])
        lower, upper = binomial_band(200, [0.25], 0.95)
        assert np.mean((shares >= lower) & (shares <= upper)) >= 0.97

    def test_what_is_certain_has_no_range(self):
        lower, upper = binomial_band([5, 7], [0.0, 1.0])
        assert lower.tolist() == upper.tolist() == [0.0, 1.0]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((0, [0.5]), "n must be at least 1, got 0"),
            ((5, [0.5], 95), "coverage=95 is not valid; it must be a number strictly"),
            ((5, [0.5, 1.5]), r"probabilities must lie in \[0, 1\], got 1.5"),
        ],
    )
    def test_refuses_what_is_no_share(self, arguments, message):
        with pytest.raises(InvalidInput, match=message):
            binomial_band(*arguments)


class TestGreenwoodBand:
    def test_equals_the_formula_by_hand(self):
        # S(2) = 0.8 of 5, variance of log(-log S): 1 / (5 · 4) / (log 0.8)².
        km = KaplanMeier(([1, 1, 0, 1, 0], [2, 3, 3, 5, 6]))
        lower, upper = greenwood_band(km, coverage=0.95)
        width = 1.959963984540054 * np.sqrt(1 / 20) / -np.log(0.8)
        assert_allclose(lower[0], 0.8 ** np.exp(width), rtol=1e-12)
        assert_allclose(upper[0], 0.8 ** np.exp(-width), rtol=1e-12)

    def test_agrees_with_scikit_survival(self, predicted):
        sksurv = pytest.importorskip("sksurv.nonparametric")
        y = predicted.y
        times, _, (lower, upper) = sksurv.kaplan_meier_estimator(
            y.event, y.time, conf_level=0.9, conf_type="log-log"
        )
        km = KaplanMeier(y)
        alive = km.survival > 0
        ours = greenwood_band(km, coverage=0.9)
        assert_allclose(times, km.times)
        assert_allclose(ours[0][alive], lower[alive], rtol=1e-10)
        assert_allclose(ours[1][alive], upper[alive], rtol=1e-10)

    def test_is_one_before_the_first_event_and_unknown_where_the_curve_is_zero(self):
        lower, upper = greenwood_band(KaplanMeier(([0, 1, 1], [1, 2, 4])))
        assert (lower[0], upper[0]) == (1.0, 1.0)
        assert 0 < lower[1] < 0.5 < upper[1] < 1
        assert np.isnan([lower[2], upper[2]]).all()

    def test_refuses_a_coverage_in_percent(self):
        with pytest.raises(InvalidInput, match="coverage=95 is not valid"):
            greenwood_band(KaplanMeier(([1, 1], [1, 2])), coverage=95)


class TestObservedFraction:
    def test_is_one_without_censoring_before_the_time(self):
        km = KaplanMeier(([1, 1, 0, 1, 0], [2, 3, 4, 5, 6]))
        assert_allclose(observed_fraction(km, 3.5), 1.0, rtol=1e-12)

    def test_counts_the_subjects_who_would_tell_as_much(self):
        # S(5) = 5/6 · 3/4 · 1/2; its variance is S² (1/30 + 1/12 + 1/2).
        km = KaplanMeier(([1, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]))
        survival = 0.3125
        variance = survival**2 * (1 / 30 + 1 / 12 + 1 / 2)
        wanted = survival * (1 - survival) / variance / 6
        assert_allclose(observed_fraction(km, 5.5), wanted, rtol=1e-12)

    @pytest.mark.parametrize("time", [0.5, 1.0, 4.0, 9.0])
    def test_is_one_where_the_curve_is_one_or_zero(self, time):
        assert observed_fraction(KaplanMeier(([0, 1, 1], [1, 2, 4])), time) == 1.0

    def test_makes_the_band_cover_under_heavy_censoring(self):
        rng = np.random.default_rng(11)
        inside, plain = [], []
        for _ in range(400):
            time, late = rng.exponential(1.0, 150), rng.exponential(0.5, 150)
            km = KaplanMeier((time <= late, np.minimum(time, late)))
            survival = km.survival_at(0.7)
            for n, hits in (
                (round(150 * observed_fraction(km, 0.7)), inside),
                (150, plain),
            ):
                lower, upper = binomial_band(n, [np.exp(-0.7)])
                hits.append(lower[0] <= survival <= upper[0])
        assert np.mean(inside) > 0.91
        assert np.mean(plain) < 0.88

"""SurvivalEVAL as oracle: the same numbers, and each difference of definition."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.datasets import load_dataset
from consurv.metrics.ici import integrated_calibration_index
from consurv.metrics.km_calibration import km_calibration
from consurv.metrics.one_calibration import one_calibration
from consurv.outcome import Outcome

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    evaluators = pytest.importorskip("SurvivalEVAL.evaluators")
    single_time = pytest.importorskip(
        "SurvivalEVAL.evaluations.calibration.single_time"
    )


def one_of_peer(y, curves, time, *, num_bins=10, adjust_variance=False):
    """p-value and details of SurvivalEVAL's 1-calibration."""
    risk = 1 - curves.survival_at([time])[:, 0]
    return single_time.one_calibration(
        risk,
        y.time,
        y.event.astype(int),
        time,
        num_bins=num_bins,
        adjust_variance=adjust_variance,
        return_details=True,
    )


def peer(y, curves):
    """SurvivalEVAL on the same curves, in the form in which ours are stored."""
    return evaluators.SurvivalEvaluator(
        curves.survival,
        curves.times,
        y.time,
        y.event.astype(int),
        interpolation={"linear": "Linear", "pchip": "Pchip"}[curves.interpolation],
    )


def as_own(curves):
    times = np.tile(curves.times, (len(curves), 1))
    return SurvivalCurves(times, curves.survival, curves.interpolation)


def simulated(seed=0, n=300, *, censored=True, whole=False, last=60.0):
    """Weibull outcomes, most of them censored, and curves that are a little wrong."""
    rng = np.random.default_rng(seed)
    scale = 10 * np.exp(rng.normal(0, 0.4, n))
    event_time = scale * rng.weibull(1.3, n)
    censoring = rng.exponential(7, n) if censored else np.full(n, np.inf)
    time = np.minimum(event_time, censoring)
    y = Outcome(np.ceil(time) if whole else time, event_time <= censoring)
    times = np.linspace(0, last, 40)
    return y, SurvivalCurves(times, np.exp(-((times / scale[:, None]) ** 1.1)))


def real(name):
    """A real dataset with curves of a crude model: the quartiles of one feature."""
    data = load_dataset(name)
    y = Outcome.of(data.y)
    numbers = data.X.select_dtypes("number")
    number = numbers[numbers.nunique().idxmax()].to_numpy(float)
    group = np.digitize(number, np.quantile(number, [0.25, 0.5, 0.75]))
    times = np.linspace(0, y.time.max(), 50)
    kms = [KaplanMeier(y[group == g]).survival_at(times) for g in range(4)]
    return y, SurvivalCurves(times, np.array(kms)[group])


DATA = {
    "heavy censoring": lambda: simulated(1),
    "heavy censoring and ties": lambda: simulated(2, whole=True),
    "no censoring": lambda: simulated(3, censored=False),
    "VALCT": lambda: real("VALCT"),
    "GBSG": lambda: real("GBSG"),
}


@pytest.mark.parametrize("data", DATA)
class TestKMCalibrationAgrees:
    def test_at_the_times_of_events(self, data):
        y, curves = DATA[data]()
        assert float(km_calibration(y, curves, grid="event")) == pytest.approx(
            peer(y, curves).km_calibration(), rel=1e-8
        )

    def test_on_grids_of_their_own_with_tails(self, data):
        # Cut off at a third, so that most of the mean curve is last lines.
        y, curves = DATA[data]()
        y, curves = y[:300], curves[:300]
        cut = as_own(SurvivalCurves(curves.times[:13], curves.survival[:, :13]))
        assert float(km_calibration(y, cut, grid="event")) == pytest.approx(
            peer(y, cut).km_calibration(), rel=1e-8
        )


class TestKMCalibrationDiffers:
    def test_on_a_shared_grid_that_ends_early_it_extends_the_last_segment(self):
        # One of its two numbers for the same curves is ours: that of the last line
        # through (0, 1), which every curve of this package follows on any grid.
        y, curves = simulated(3, censored=False, last=8.0)
        assert y.time.max() > curves.times[-1]
        shared, own = peer(y, curves), peer(y, as_own(curves))
        assert float(km_calibration(y, curves)) == pytest.approx(
            own.km_calibration(), rel=1e-8
        )
        assert shared.km_calibration() != pytest.approx(own.km_calibration(), rel=0.05)
        mean = curves.survival.mean(axis=0)
        slope = (mean[-1] - mean[-2]) / (curves.times[-1] - curves.times[-2])
        times = np.append(0.0, np.unique(y.time))
        extended = np.where(
            times > curves.times[-1],
            np.clip(mean[-1] + slope * (times - curves.times[-1]), 0, 1),
            np.interp(times, curves.times, mean),
        )
        squares = (KaplanMeier(y).survival_at(times) - extended) ** 2
        area = np.sum(np.diff(times) * (squares[1:] + squares[:-1]) / 2)
        assert shared.km_calibration() == pytest.approx(area / times[-1], rel=1e-8)

    def test_it_stops_at_the_last_event_and_divides_by_it(self):
        y, curves = simulated(8)
        everything = km_calibration(y, curves)
        last = y.time[y.event].max()
        assert last < y.time.max()
        assert everything.times[-1] == y.time.max()
        assert float(everything) != pytest.approx(
            peer(y, curves).km_calibration(), rel=0.01
        )
        # Without censoring there is nothing to leave out.
        y, curves = simulated(3, censored=False)
        assert float(km_calibration(y, curves)) == pytest.approx(
            peer(y, curves).km_calibration(), rel=1e-8
        )

    def test_it_averages_pchip_curves_before_it_interpolates(self):
        # The mean of monotone cubics is not the monotone cubic of the means; on grids
        # of their own it averages after, as we always do.
        y, linear = simulated(3, n=100, censored=False)
        few = np.r_[0, 3, 9, 20, 39]
        curves = SurvivalCurves(linear.times[few], linear.survival[:, few], "pchip")
        shared = peer(y, curves).km_calibration()
        own = peer(y, as_own(curves)).km_calibration()
        ours = float(km_calibration(y, curves))
        assert ours == pytest.approx(float(km_calibration(y, as_own(curves))), rel=1e-9)
        assert ours != pytest.approx(shared, rel=1e-6)
        # Its own-grid form joins the averages by a second cubic through the same
        # points, which it then reads only at those points.
        assert ours == pytest.approx(own, rel=1e-8)


class TestOneCalibrationAgrees:
    @pytest.mark.parametrize(
        ("ours", "theirs"), [("predicted", False), ("greenwood", True)]
    )
    @pytest.mark.parametrize("seed", range(4))
    def test_without_equal_predictions(self, seed, ours, theirs):
        y, curves = simulated(seed, n=503, whole=seed % 2 == 1)
        p_value, details = one_of_peer(y, curves, 6.0, adjust_variance=theirs)
        result = one_calibration(y, curves, 6.0, variance=ours)
        assert float(result) == pytest.approx(details["statistics"], rel=1e-8)
        assert result.p_value == pytest.approx(p_value, rel=1e-7)
        assert result.sizes.tolist() == list(details["bin_sizes"])
        for mine, event in (
            (result.expected, details["expected_probabilities"]),
            (result.observed, details["observed_probabilities"]),
        ):
            np.testing.assert_allclose(1 - mine, event, rtol=1e-8, atol=1e-12)

    def test_past_the_last_observation_of_a_group(self):
        y = Outcome(time=[1, 3, 2, 9], event=[1, 0, 1, 0])
        curves = SurvivalCurves([4.0], [[0.3], [0.4], [0.8], [0.9]])
        theirs = one_of_peer(y, curves, 4.0, num_bins=2)[1]
        with pytest.warns(UserWarning, match="nobody was under observation"):
            result = one_calibration(y, curves, 4.0, n_groups=2)
        np.testing.assert_allclose(
            1 - result.observed, theirs["observed_probabilities"]
        )


class TestOneCalibrationDiffers:
    def test_it_takes_one_degree_of_freedom_less_for_many_groups(self):
        y, curves = simulated(0, n=600)
        theirs = one_of_peer(y, curves, 6.0, num_bins=16)
        result = one_calibration(y, curves, 6.0, n_groups=16)
        assert float(result) == pytest.approx(theirs[1]["statistics"], rel=1e-8)
        assert theirs[1]["degrees_of_freedom"] == 14
        assert result.p_value > theirs[0]

    def test_it_splits_equal_predictions_by_the_order_of_rows(self):
        y, curves = simulated(0, n=400)
        coarse = SurvivalCurves([6.0], curves.survival_at([6.0]).round(1))
        order = np.argsort(y.time)
        ours, theirs = [], []
        for rows in (np.arange(400), order):
            ours.append(float(one_calibration(y[rows], coarse[rows], 6.0, n_groups=4)))
            details = one_of_peer(y[rows], coarse[rows], 6.0, num_bins=4)[1]
            theirs.append(details["statistics"])
        assert ours[0] == pytest.approx(ours[1], rel=1e-12)
        assert theirs[0] != pytest.approx(theirs[1], rel=0.01)


class TestCalibrationIndex:
    @pytest.mark.parametrize("shift", [0.0, 0.12, -0.1])
    def test_is_close_to_the_spline_of_the_hazard(self, shift):
        # Another smoother, so only the order of the numbers can agree.
        y, curves = simulated(5, n=4000)
        predicted = np.clip(curves.survival_at([6.0]) + shift, 0.01, 0.99)
        moved = SurvivalCurves([6.0], predicted)
        theirs = single_time.integrated_calibration_index(
            1 - predicted[:, 0], y.time, y.event.astype(int), 6.0
        )
        ours = integrated_calibration_index(y, moved, 6.0)
        assert float(ours) == pytest.approx(theirs["ICI"], abs=0.02)
        assert ours.e50 == pytest.approx(theirs["E50"], abs=0.025)
        assert ours.e90 == pytest.approx(theirs["E90"], abs=0.04)

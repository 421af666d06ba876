"""The kind "recalibrated": what it mends, what it leaves, and where it gives up."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kendalltau

from consurv import (
    CalibrationWarning,
    ConformalSurvival,
    InvalidInput,
    Outcome,
    SurvivalCurves,
    load_adjustment,
    save_adjustment,
)
from consurv.conformal.adjustments import adjustment_kind
from consurv.conformal.parts.blocks import Block
from consurv.conformal.reading.raw_model import RawModel
from consurv.conformal.recalibration.shapes import FINE_LEVELS, read_curves
from consurv.report import plot_adjustment, write_report

LEVELS = np.arange(1, 20) / 20
KIND = adjustment_kind("recalibrated")
# Small sets leave the lowest levels open, and say so.
pytestmark = pytest.mark.filterwarnings("ignore:too few events lie at or beyond")


def data(n, seed, stretch=1.0, effect=0.7):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    time = 10 * np.exp(0.7 * x) * rng.weibull(1.5, n)
    limit = rng.exponential(25, n)
    scale = stretch * 10 * np.exp(effect * x)[:, None]
    ends = np.zeros(n), np.full(n, np.inf)
    q = scale * (-np.log(FINE_LEVELS)) ** (1 / 1.5)
    y = Outcome(np.minimum(time, limit), time <= limit)
    return np.column_stack([q, *ends]), y


def find(reading, y, split=1, levels=LEVELS):
    parts = np.array_split(np.arange(len(y)), split)
    blocks = [Block(reading[rows], levels, y[rows]) for rows in parts]
    return KIND.make(blocks, "likelihood", np.random.default_rng(0))


def numbers(found):
    stored = found.recalibration.to_stored()
    return np.concatenate([np.atleast_1d(v) for v in stored.values()])


def steps_of(reading, y, width=3.0):
    """Whole times, and curves that drop at every third of them."""
    reading = reading.copy()
    reading[:, :-2] = np.ceil(reading[:, :-2] / width) * width
    return reading, Outcome(np.ceil(y.time), y.event)


class TestMends:
    @pytest.mark.parametrize("stretch", [1.5, 0.6])
    def test_what_is_wrong_in_proportion_at_every_risk(self, stretch):
        reading, y = data(1500, 0, stretch)
        found = find(reading, y)
        times = found.apply(reading).percentile_times(LEVELS)
        right = data(1500, 0)[0][:, :-2]
        order = np.argsort(right[:, 25])
        truth = SurvivalCurves.from_percentile_times(right, FINE_LEVELS)
        truth = truth.percentile_times(LEVELS)
        for rows in np.array_split(order, 5):
            ratio = np.median(times[rows] / truth[rows], axis=0)
            assert_allclose(ratio, 1, atol=0.08)

    def test_what_depends_on_risk(self):
        reading, y = data(1500, 1, effect=0.35)
        found = find(reading, y)
        contrast = np.exp(found.recalibration.time_map.numbers[1])
        assert contrast == pytest.approx(2, rel=0.1)
        low, high = (found.recalibration.factors(LEVELS, z) for z in (-1, 1))
        assert (low < 0.9).all()
        assert (high > 1.1).all()

    @pytest.mark.slow
    def test_a_right_model_is_left_nearly_as_it_is(self):
        # Mean squared error of the mean survival over a grid of times, times 1000.
        grid, errors = np.linspace(0.5, 40, 40), []
        new, _ = data(500, 999)
        truth = SurvivalCurves.from_percentile_times(new[:, :-2], FINE_LEVELS)
        expected = truth.survival_at(grid)
        for seed in range(30):
            curves = find(*data(120, seed)).apply(new)
            wrong = curves.survival_at(grid) - expected
            errors.append(1e3 * (wrong.mean(axis=0) ** 2).mean())
        assert np.mean(errors) < 1.0
        assert np.median(errors) < 0.2

    def test_times_too_short_where_some_are_cured(self):
        rng = np.random.default_rng(0)
        n, grid = 500, np.geomspace(0.01, 6, 200)
        scale = np.exp(0.5 * rng.normal(size=n))[:, None]
        time = scale[:, 0] * rng.weibull(1.5, n)
        time[rng.uniform(size=n) < 0.4] = np.inf
        limit = rng.uniform(1, 6, n)
        y = Outcome(np.minimum(time, limit), time <= limit)
        truth, raw = (
            0.4 + 0.6 * np.exp(-((grid / (a * scale)) ** 1.5)) for a in (1, 0.6)
        )
        model = SurvivalCurves(grid, raw)
        found = find(read_curves(model), y)
        assert_allclose(np.exp(found.recalibration.time_map.numbers[0]), 1.67, rtol=0.1)
        left = np.mean((found.apply_to(model).survival_at(grid) - truth) ** 2)
        assert left < 0.1 * np.mean((raw - truth) ** 2)

    def test_a_right_model_of_events_in_two_waves(self):
        """A law with a plateau is wide; what is narrow in it stays."""
        rng = np.random.default_rng(1)
        n, grid = 4000, np.linspace(0.01, 12, 1200)
        x = rng.normal(size=n)
        hazard = 0.7 * (1 - np.exp(-((grid / 0.5) ** 2))) + (grid / 8) ** 6
        risk = np.exp(0.3 * x)
        wanted = rng.exponential(size=n) / risk
        time = np.interp(wanted, hazard, grid)
        limit = rng.uniform(5, 15, n)
        y = Outcome(np.minimum(time, limit), time <= limit)
        raw = SurvivalCurves(grid, np.exp(-np.outer(risk, hazard)))
        reading = read_curves(raw)
        curves = find(reading, y).apply(reading)
        times = np.linspace(0.2, 10, 50)
        off = np.abs(curves.survival_at(times) - raw.survival_at(times)).mean()
        assert off < 0.015

    def test_curves_that_are_far_too_wide_where_the_follow_up_soon_ends(self):
        """Nobody has an event before time 2, half have one until 2.67, the end.

        Windows as wide as the raw law would all hold the time just after the end: a law
        that has nothing but this time would explain everybody.
        """
        rng = np.random.default_rng(0)
        n, median = 1000, np.log(2)
        scale = np.exp(0.7 * rng.normal(size=(n, 1)))

        def model(scale):
            times = np.linspace(0.01, 30, 600)
            return times, np.exp(-median * times / (2 + median * scale))

        time = 2 + scale[:, 0] * rng.exponential(size=n)
        y = Outcome(np.minimum(time, 2.67), time <= 2.67)
        found = ConformalSurvival(model).conformalize(scale, y)
        times = np.array([2.1, 2.3, 2.5, 2.66])
        survival = found.predict_survival_function(scale).survival_at(times)
        truth = np.exp(-(times - 2) / scale)
        assert_allclose(survival.mean(axis=0), truth.mean(axis=0), atol=0.03)

    @pytest.mark.parametrize("seed", range(3))
    def test_a_right_model_where_some_are_cured(self, seed):
        """Windows of late events do not reach over the plateau."""
        rng = np.random.default_rng(seed)
        n, times = 1500, np.linspace(0.01, 40, 400)
        cured = 1 / (1 + np.exp(-0.3 - 0.7 * rng.normal(size=(n, 1))))

        def model(share):
            return times, share + (1 - share) * np.exp(-times / 3)

        time = np.where(rng.random(n) < cured[:, 0], np.inf, rng.exponential(3, n))
        limit = rng.uniform(2, 15, n)
        y = Outcome(np.minimum(time, limit), time <= limit)
        found = ConformalSurvival(model).conformalize(cured, y)
        assert not found.recalibration_.time_map.numbers.any()
        assert found.recalibration_.ratios.is_none


class TestBeyondTheLevels:
    """Curves have nodes above the highest level asked for, and below the lowest."""

    def test_rare_events_are_not_too_early(self):
        """A line from 1 to .95 would be seven times too high early on."""
        rng = np.random.default_rng(0)
        x = rng.normal(size=4000)
        hazard = 0.03 * np.exp(0.7 * x)
        time = np.cbrt(rng.exponential(size=4000) / hazard)
        q = np.cbrt(-np.log(FINE_LEVELS) / hazard[:, None])
        ends = np.zeros(4000), np.full(4000, np.inf)
        y = Outcome(np.minimum(time, 1.0), time <= 1)
        found = find(np.column_stack([q, *ends]), y)
        times = np.array([0.25, 0.5, 0.75, 1.0])
        curves = found.apply(np.column_stack([q, *ends]))
        risk = 1 - curves.survival_at(times).mean(axis=0)
        truth = -np.expm1(-np.outer(hazard, times**3)).mean(axis=0)
        assert_allclose(risk[1:], truth[1:], rtol=0.25)
        assert risk[0] < 0.002

    def test_the_tail_does_not_end_at_once(self):
        reading, y = data(600, 1)
        curves = find(reading, y).apply(reading)
        q = curves.percentile_times([0.05, 0.025, 0.01])
        wanted = (np.log([0.025, 0.01]) / np.log(0.05)) ** (1 / 1.5)
        assert_allclose(q[:, 1:] / q[:, :1], np.tile(wanted, (600, 1)), rtol=0.02)

    @pytest.mark.parametrize("levels", [[0.5], [0.999, 0.98, 0.9, 0.005]])
    def test_levels_of_ones_own_stay(self, levels):
        reading, y = data(300, 2)
        found = find(reading, y, levels=np.array(levels))
        nodes = found.node_levels
        assert (np.diff(nodes) < 0).all()
        assert set(levels) <= set(nodes)
        assert nodes.max() >= max(levels)
        assert_array_equal(found.apply(reading).percentile_times(nodes)[:, 0] > 0, True)

    def test_early_levels_lie_within_the_grid(self):
        reading, y = data(300, 3)
        found = find(reading, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found.check_asked(np.array([0.99, 0.5]))
        with pytest.warns(CalibrationWarning, match=r"outside the grid .* to 0\.998"):
            found.check_asked(np.array([0.999]))


class TestKeeps:
    @pytest.mark.parametrize("limit", ["two visits", "between visits"])
    def test_a_right_model_of_visits_stays_right(self, limit):
        """Events are found at visits; some are censored between them."""
        rng = np.random.default_rng(0)
        n, visit = 300, 3.0
        scale = 6 * np.exp(0.7 * rng.normal(size=n))
        time = np.ceil(scale * rng.exponential(size=n) / visit) * visit
        last = 2 * visit if limit == "two visits" else rng.exponential(20, n)
        y = Outcome(np.minimum(time, last), time <= last)
        q = np.ceil(-np.log(FINE_LEVELS) * scale[:, None] / visit) * visit
        reading = np.column_stack([q, np.zeros(n), np.full(n, np.inf)])
        found = find(reading, y)
        assert found.recalibration.unit * found.recalibration.scale == visit
        curves = found.apply(reading)
        grid = visit * np.arange(1, 10) + 0.1
        truth = np.exp(-np.floor(grid / visit) * visit / scale[:, None])
        assert np.mean((curves.survival_at(grid) - truth) ** 2) < 0.0006

    @pytest.mark.parametrize("coarse", [False, True])
    def test_order_of_medians_and_monotone_times(self, coarse):
        rng = np.random.default_rng(2)
        reading, y = data(400, 2, 1.3)
        # Wrong by a bend that only ratios can follow.
        median = np.log(reading[:, 25])
        reading[:, :-2] *= np.exp(0.4 * (median - median.mean()) ** 2)[:, None]
        reading[:, :-2] *= rng.gamma(20, 0.05, (400, 1))
        if coarse:
            reading, y = steps_of(reading, y)
        found = find(reading, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            curves = found.apply(reading)
        assert curves.n_rearranged == curves.n_clipped == 0
        times = found.recalibration.times(reading, np.linspace(0.99, 0.01, 99))
        assert (np.diff(times, axis=1) >= 0).all()
        if not coarse:
            raw = reading[:, list(FINE_LEVELS).index(0.5)]
            assert kendalltau(curves.median(), raw).statistic >= 0.985

    def test_blocks_do_not_show(self):
        reading, y = data(600, 3, 1.4, effect=0.5)
        one, many = find(reading, y), find(reading, y, split=7)
        assert_allclose(numbers(many), numbers(one), atol=1e-9)
        assert_array_equal(many.identified, one.identified)
        stepped, months = steps_of(reading, y)
        one, many = find(stepped, months), find(stepped, months, split=4)
        assert one.recalibration.unit * one.recalibration.scale == 1.0
        assert_allclose(numbers(many), numbers(one), atol=1e-6)

    @pytest.mark.parametrize("unit", [2.0**30, 2.0**-30, 1e9, 1e-9])
    @pytest.mark.parametrize("coarse", [False, True])
    def test_the_unit_of_time_does_not_matter(self, unit, coarse):
        reading, y = data(250, 4, 1.4, effect=0.5)
        if coarse:
            reading, y = steps_of(reading, y)
        scaled = reading.copy()
        scaled[:, :-2] *= unit
        other = find(scaled, Outcome(y.time * unit, y.event))
        times = other.apply(scaled).percentile_times(LEVELS)
        expected = find(reading, y).apply(reading).percentile_times(LEVELS)
        assert_allclose(times / unit, expected, rtol=1e-6)
        if unit != 1e9 and unit != 1e-9:  # a power of two changes no bit
            assert_array_equal(times / unit, expected)

    @pytest.mark.parametrize("seed", [76, 83, 97])
    def test_the_order_of_subjects_hardly_matters_where_the_likelihood_is_rough(
        self, seed
    ):
        """Nobody has an event before time 2, and medians are half noise."""
        rng, n = np.random.default_rng(seed), 60
        scale = np.exp(0.7 * rng.normal(size=n))
        time, limit = 2 + scale * rng.exponential(size=n), rng.uniform(0, 9, n)
        y = Outcome(np.minimum(time, limit), time <= limit)
        q = 2 - scale[:, None] * np.log(FINE_LEVELS)
        q *= np.exp(rng.normal(size=(n, 1)))
        reading = np.column_stack([q, np.zeros(n), np.full(n, np.inf)])
        mixed = rng.permutation(n)
        times, again = (
            found.apply(reading).percentile_times(LEVELS)
            for found in (find(reading, y), find(reading[mixed], y[mixed]))
        )
        # Rounding decides which of several kinks the search rests at.
        assert_allclose(again, times, rtol=0.1)

    def test_where_contrasts_turn_the_order_is_kept_and_nobody_is_worse_off(self):
        """The shape of the law depends on the feature: hazards cross."""
        rng = np.random.default_rng(0)
        n = 2000
        x = rng.normal(size=n)
        time = 5 * rng.weibull(np.exp(0.6 * x))
        y = Outcome(np.minimum(time, 12), time <= 12)
        # A model of proportional hazards, with a contrast of its own.
        q = 5 * np.exp(-0.3 * x)[:, None] * -np.log(FINE_LEVELS)
        reading = np.column_stack([q, np.zeros(n), np.full(n, np.inf)])
        curves = find(reading, y).apply(reading)
        grid = np.linspace(0.25, 12, 48)
        truth = np.exp(-((grid / 5) ** np.exp(0.6 * x)[:, None]))
        raw = np.exp(-grid / (5 * np.exp(-0.3 * x)[:, None]))
        before, after = (
            np.mean((s - truth) ** 2) for s in (raw, curves.survival_at(grid))
        )
        assert after < 0.9 * before
        tau = kendalltau(curves.median(), q[:, FINE_LEVELS == 0.5][:, 0]).statistic
        assert tau > 0.98

    def test_whole_times_stay_whole(self):
        reading, y = steps_of(*data(300, 5, 1.3))
        times = find(reading, y).apply(reading).percentile_times(LEVELS)
        assert_allclose(times, np.rint(times), atol=1e-9)


class TestEdges:
    @pytest.mark.parametrize("events", [0, 1])
    def test_no_event_or_one(self, events):
        reading, y = data(30, 6)
        reading, _ = steps_of(reading, y)
        censored = Outcome(y.time, np.arange(30) < events)
        with pytest.warns(CalibrationWarning, match="(no|only one) event was observed"):
            found = find(reading, censored)
        raw = SurvivalCurves.from_percentile_times(reading[:, :-2], FINE_LEVELS)
        assert_allclose(
            found.apply(reading).percentile_times(LEVELS),
            raw.percentile_times(LEVELS),
            rtol=1e-12,
        )
        assert (found.kaplan_meier is None) == (events == 0)
        assert "Few events in the conformal set" in dict(found.cautions())

    @pytest.mark.parametrize("n", [2, 3, 4, 6, 10])
    @pytest.mark.parametrize("events", [2, 3])
    def test_few(self, n, events):
        reading, y = data(n, 7, 2.0)
        y = Outcome(y.time, np.arange(n) < events)
        times = find(reading, y).apply(reading).percentile_times(LEVELS)
        assert np.isfinite(times).all()
        assert (np.diff(times, axis=1) < 0).all()

    def test_all_censored_before_any_event(self):
        reading, y = data(200, 8, 1.5)
        y = Outcome(np.where(y.event, 0.01, y.time), y.event)
        times = find(reading, y).apply(reading).percentile_times(LEVELS)
        assert np.isfinite(times).all()
        early = Outcome(np.where(y.event, 50.0, 0.1), y.event)
        found = find(reading, early)
        assert np.isfinite(found.apply(reading).percentile_times(LEVELS)).all()

    def test_curves_that_drop_at_once_or_never(self):
        reading, y = data(200, 9, 1.5)
        whole = find(reading[20:], y[20:])
        reading[:10, :-2] = 0.0
        reading[10:20, :-2] = np.inf
        reading[10:20, -2] = 1.0
        reading[20:30, :3] = 0.0
        with pytest.warns(CalibrationWarning, match="20 subjects have curves that"):
            found = find(reading, y)
        assert found.n_without_shape == 20
        assert "Curves that do not count" in dict(found.cautions())
        difference = numbers(found)[48:53] - numbers(whole)[48:53]
        assert np.abs(difference).max() < 0.1
        curves = found.apply(reading)
        assert_array_equal(curves.median()[:10], np.zeros(10))
        times = curves.percentile_times(LEVELS)
        assert np.isinf(times[10:20]).all()
        assert np.isfinite(times[20:]).all()

    def test_levels_that_a_curve_never_reaches_stay_infinite(self):
        reading, y = data(300, 10, 1.5)
        reading[:50, 40:48] = np.inf
        found = find(reading, y)
        times = found.apply(reading).percentile_times(LEVELS)
        assert np.isinf(times[:50, 0]).all()
        assert np.isfinite(times[:50, 9:]).all()
        assert np.isfinite(times[50:]).all()

    def test_one_curve_for_all(self):
        reading, y = data(300, 11, 1.6)
        reading[:] = reading[0]
        found = find(reading, y)
        ratios = found.recalibration.ratios
        assert not ratios.slopes.any()
        assert ratios.bend == 0
        assert found.recalibration.guard.share == 0
        assert np.ptp(found.apply(reading).median()) == 0

    def test_curves_that_end_early(self):
        reading, y = data(400, 12)
        q, end = reading[:, :-2], np.exp(-((12 / (reading[:, 25] / 0.7832)) ** 1.5))
        line = 12 * (1 - FINE_LEVELS) / (1 - end[:, None])
        q = np.where(end[:, None] > FINE_LEVELS, line, np.minimum(q, 12))
        cut = np.column_stack([q, end, np.full(400, 12.0)])
        found = find(cut, y)
        assert found.n_ending > 300
        assert "Raw curves that end early" in dict(found.cautions())
        times = found.apply(cut).percentile_times([0.25])[:, 0]
        truth = reading[:, list(FINE_LEVELS).index(0.25)]
        assert np.median(np.abs(np.log(times / truth))) < 0.15

    def test_levels_without_events_are_said(self):
        reading, y = data(400, 13)
        y = Outcome(np.minimum(y.time, 3.0), y.event & (y.time < 3))
        with pytest.warns(CalibrationWarning, match="too few events lie at or beyond"):
            found = find(reading, y)
        assert not found.identified[0]
        assert found.identified[-1]
        assert "Levels that too few events identify" in dict(found.cautions())


class TestThroughThePackage:
    @pytest.fixture
    def model(self, simulate, true_model):
        def twice(X):
            times, survival = true_model(X)
            return 2 * np.asarray(times), survival

        post = ConformalSurvival(twice, adjustment="recalibrated")
        return post.conformalize(*simulate(300, 0))

    def test_conformal_survival(self, model, simulate):
        X, _ = simulate(50, 1)
        raw, calibrated = model.predict_both(X)
        assert_allclose(calibrated.median() / raw.median(), 0.5, rtol=0.15)
        assert model.adjustment_.censoring == "likelihood"
        assert model.recalibration_ is model.adjustment_.recalibration
        assert "times x 0.5" in repr(model.recalibration_)
        again = model.adjustment_.apply_to(raw)
        assert_allclose(again.median(), calibrated.median(), rtol=1e-12)
        assert_array_equal(model.predict_survival_function(X[:0]).median(), [])

    def test_other_rules_are_refused(self):
        for rule in ("kaplan-meier", "likelihood"):
            with pytest.raises(InvalidInput, match="handles censoring itself"):
                KIND.choose_rule(rule, None)
        with pytest.raises(InvalidInput, match="draws nothing"):
            KIND.choose_rule("auto", 10)

    @pytest.mark.parametrize("form", ["json", "npz"])
    @pytest.mark.parametrize("coarse", [False, True])
    def test_stored_form_is_the_same_bit_for_bit(self, tmp_path, form, coarse):
        reading, y = data(300, 14, 1.3, effect=0.3)
        if coarse:
            reading, y = steps_of(reading, y)
        found = find(reading, y)
        save_adjustment(found, tmp_path / f"a.{form}")
        loaded = load_adjustment(tmp_path / f"a.{form}")
        assert_array_equal(numbers(loaded), numbers(found))
        assert_array_equal(loaded.identified, found.identified)
        assert_array_equal(loaded.apply(reading).times, found.apply(reading).times)
        assert (loaded.dof, loaded.n_events) == (found.dof, found.n_events)

    def test_no_curve_is_stored_where_there_was_no_event(self, tmp_path):
        reading, y = data(30, 15)
        with pytest.warns(CalibrationWarning, match="no event"):
            found = find(reading, Outcome(y.time, np.zeros(30)))
        save_adjustment(found, tmp_path / "a.json")
        assert load_adjustment(tmp_path / "a.json").kaplan_meier is None

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("map_numbers", [0.0] * 4, "map_numbers has 4 values, not 5"),
            ("map_numbers", [0.0, 0, 0, 0, -1], "the delay -1 is negative"),
            ("map_centre", [np.nan, 0.0], "NaN"),
            ("risk_medians", [1.0, 1.0], "risk_medians does not rise"),
            ("risk_medians", [1.0, 2.0, 3.0], "lengths differ"),
            ("ratio_borders", [0.1, 0.2], "ratio_borders must begin with 0"),
            ("ratio_bend", np.inf, "ratio_bend=inf is not valid"),
            ("order_share", 0.5, "has no knots"),
            ("time_unit", -1.0, "time_unit=-1.0 is not valid"),
            ("fine_levels", [0.2, 0.5, 0.7], "falling"),
            ("dof", None, "dof=None is not valid"),
        ],
    )
    def test_broken_numbers_are_refused(self, name, value, message):
        stored = find(*data(100, 16, 1.5)).to_stored()
        if name in ("risk_medians", "ratio_borders") and len(value) == 2:
            for other in stored:
                if other.startswith(name.split("_")[0]) and other != "ratio_bend":
                    stored[other] = [0.0, 1.0]
        with pytest.raises(InvalidInput, match=message):
            KIND.from_stored(stored | {name: value})

    def test_what_is_missing_is_named(self):
        stored = find(*data(100, 16, 1.5)).to_stored()
        del stored["risk_scores"]
        with pytest.raises(InvalidInput, match="it lacks risk_scores"):
            KIND.from_stored(stored)

    def test_wrong_reading(self):
        found = find(*data(100, 17, 1.5))
        with pytest.raises(InvalidInput, match="give curves to apply_to"):
            found.apply(np.ones((3, 19)))

    @pytest.mark.parametrize("scale", [0.7, 1e-12], ids=["law", "points"])
    def test_predicts_what_it_applies_to_a_reading(self, scale):
        X = np.random.default_rng(4).normal(size=(5000, 1))
        raw = RawModel(lambda X: SurvivalCurves.from_aft(X[:, 0], scale))
        found = find(*data(300, 18, 1.5))
        expected = found.apply(found.read_new(raw, X))
        assert_allclose(found.predict(raw, X).times, expected.times, rtol=1e-9)

    def test_float32_curves(self, model, simulate, true_model):
        X, y = simulate(300, 0)
        times, survival = true_model(X)
        curves = SurvivalCurves(2 * times, survival.astype(np.float32))
        found = find(read_curves(curves), y)
        assert_allclose(
            found.recalibration.time_map.numbers,
            model.recalibration_.time_map.numbers,
            atol=1e-3,
        )

    def test_picture_has_three_lines(self, model):
        from matplotlib.figure import Figure

        ax = plot_adjustment(model.adjustment_, ax=Figure().subplots())
        named = [text.get_text() for text in ax.get_legend().get_texts()]
        assert named == ["high risk", "middle", "low risk"]
        both = {"one": model.adjustment_, "two": model.adjustment_}
        ax = plot_adjustment(both, colours={"two": "red"}, ax=Figure().subplots())
        named = [text.get_text() for text in ax.get_legend().get_texts()]
        assert named[3] == "two, high risk"
        assert ax.get_lines()[4].get_color() == "red"

    def test_report(self, model, simulate, tmp_path):
        path = write_report(
            model, *simulate(100, 2), tmp_path / "r.html", n_bootstrap=20
        )
        text = path.read_text()
        assert "recalibrated by likelihood" in text
        assert "none can cross" in text

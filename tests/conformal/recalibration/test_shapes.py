"""Raw curves as shapes: tails, drops, hazards and their inverse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import ConformalSurvival, Outcome, SurvivalCurves
from consurv.conformal.recalibration.drops import spread_drops, spread_start
from consurv.conformal.recalibration.hazards import hazard_at, residual_at
from consurv.conformal.recalibration.shapes import FINE_LEVELS, Shapes, read_curves
from consurv.curves.representations.given import Given
from consurv.curves.representations.weibull import Weibull


def shapes_of(curves):
    return Shapes.read(read_curves(curves), FINE_LEVELS)


def test_a_weibull_curve_is_a_line_and_its_tails_too(readings):
    reading, _ = readings(20, 0)
    shapes, rows = Shapes.read(reading, FINE_LEVELS)
    assert_array_equal(rows, np.arange(20))
    for e in (-30.0, -4.0, -0.3, 0.0, 0.4, 2.0, 8.0):
        hazard, slope = hazard_at(shapes, np.full(20, e))
        shape = np.diff(shapes.log_hazards[[0, -1]]) / np.ptp(shapes.nodes, axis=1)
        line = np.log(np.log(2)) + shape * e
        assert_allclose(np.log(hazard), np.clip(line, -40, 6), atol=1e-9)
        assert_allclose(slope, hazard * shape, rtol=1e-9)


def test_residual_is_the_inverse_of_hazard(readings):
    reading, _ = readings(50, 1)
    shapes, _ = Shapes.read(reading, FINE_LEVELS)
    rng = np.random.default_rng(2)
    y = rng.uniform(-9, 3, (50, 4))
    e = residual_at(shapes, y)
    for column in range(4):
        hazard, _ = hazard_at(shapes, e[:, column])
        assert_allclose(np.log(hazard), y[:, column], atol=1e-9)
    rows = np.array([3, 3, 40])
    some, _ = hazard_at(shapes, e[rows, 0], rows)
    assert_allclose(np.log(some), y[rows, 0], atol=1e-9)


def test_hazards_slope_by_differences(readings):
    reading, _ = readings(30, 3)
    shapes, _ = Shapes.read(np.ceil(reading), FINE_LEVELS)
    e = np.random.default_rng(4).normal(size=30)
    up, down = (hazard_at(shapes, e + h)[0] for h in (1e-6, -1e-6))
    assert_allclose(hazard_at(shapes, e)[1], (up - down) / 2e-6, rtol=1e-4)


class TestEnds:
    def test_a_curve_that_ends_goes_on_as_it_came(self):
        times = np.linspace(0.01, 4, 400)
        curves = SurvivalCurves(times, np.exp(-times / 5)[None, :])
        shapes, _ = shapes_of(curves)
        assert_allclose(shapes.t_end, 4.0)
        q = np.exp(shapes.log_median[:, None] + shapes.nodes)
        assert_allclose(q, -5 * np.log(FINE_LEVELS)[None, :], rtol=2e-3)

    def test_a_law_goes_on_for_ever(self):
        law = Weibull(np.array([2.0]), np.array([0.5]), last_time=3.0)
        assert_array_equal(law.end_level(), [0.0])
        shapes, _ = shapes_of(SurvivalCurves._of(law))
        assert_array_equal(shapes.t_end, [np.inf])

    def test_given_survival(self):
        form = SurvivalCurves([2.0, 4.0], [[0.8, 0.4]])._form
        assert_allclose(Given(form, np.array([2.0])).end_level(), [0.5])
        assert_array_equal(Given(form, np.array([5.0])).end_level(), [0.0])

    @pytest.mark.parametrize("last", [1 - 1e-9, 0.9995, 0.99])
    def test_a_curve_that_hardly_drops_is_exponential(self, last):
        shapes, rows = shapes_of(SurvivalCurves([10.0], [[last]]))
        assert_array_equal(rows, [0])
        expected = 10 * np.log(2) / -np.log(last)
        assert_allclose(np.exp(shapes.log_median), expected, rtol=0.05)


class TestRowsWithoutShape:
    def test_never_drops_or_drops_at_once(self):
        curves = SurvivalCurves([0.0, 5.0], [[1, 1], [0, 0], [0.4, 0], [0.9, 0]])
        shapes, rows = shapes_of(curves)
        assert_array_equal(rows, [2, 3])
        assert np.isfinite(shapes.nodes).all()

    def test_a_level_that_is_never_reached(self):
        times = [[3.0, np.inf], [3.0, 9.0]]
        curves = SurvivalCurves.from_percentile_times(times, [0.6, 0.2])
        shapes, rows = shapes_of(curves)
        assert_array_equal(rows, [0, 1])
        assert np.isfinite(shapes.nodes).all()
        assert_array_equal(np.isfinite(shapes.lowest), [True, False])
        assert shapes.t_end[0] == pytest.approx(3.0)


class TestStart:
    """Nobody has an event at 0, whatever a model of quantiles may say."""

    def test_a_fall_at_0_is_spread_up_to_the_next_node(self):
        # S falls to 0.6 at once and then evenly to 0 at 12: the first 40 % become a
        # line from (0, 1) to the first level below 0.6 that is read, 0.575.
        curves = SurvivalCurves.from_percentile_times([[0.0, 12]], [0.6, 0.0001])
        shapes, _ = shapes_of(curves)
        q = np.exp(shapes.log_median[0] + shapes.nodes[0])
        first = np.flatnonzero(FINE_LEVELS < 0.6 - 1e-9)[0]
        rate = q[first] / (1 - FINE_LEVELS[first])
        assert_allclose(q[:first], rate * (1 - FINE_LEVELS[:first]), rtol=1e-12)
        assert q[0] > 1e-4

    def test_curves_that_start_at_1_stay(self):
        q = np.array([[1.0, 2, 3]])
        assert spread_start(q, np.array([0.9, 0.5, 0.1]), q[:, -1]) is q

    def test_a_model_with_negative_quantiles_is_mended_not_ruined(self):
        # A quantile regression says q(ρ) = max(0, m + z(ρ)) with a third below 0.
        rng = np.random.default_rng(3)
        x = rng.uniform(1, 3, 600)
        levels = np.arange(1, 20) / 20
        wrong = np.maximum(0, x[:, None] + 4 * (0.45 - levels)[None] * x[:, None])
        curves = SurvivalCurves.from_percentile_times(wrong[:, ::-1], levels[::-1])
        y = Outcome(time=rng.weibull(2, 600) * x, event=np.ones(600))
        post = ConformalSurvival.from_curves(curves[:400], y[:400])
        new = post.calibrate(curves[400:])
        truth = np.exp(-((1 / x[400:]) ** 2))
        error = np.abs(new.survival_at([1.0])[:, 0] - truth).mean()
        raw = np.abs(curves[400:].survival_at([1.0])[:, 0] - truth).mean()
        assert error < 0.05 < 0.1 < raw


def test_drops_are_spread_and_survival_at_them_stays():
    q = np.array([[1.0, 1, 4, 4, 4, 7], [1, 2, 3, 4, 5, 6]])
    times, stepped = spread_drops(q)
    assert_allclose(times, [[0.5, 1, 2, 3, 4, 7], [1, 2, 3, 4, 5, 6]])
    assert_array_equal(stepped, [True, False])


def test_float32_curves():
    times = np.linspace(0.1, 60, 200)
    survival = np.exp(-times / np.array([[10.0], [30.0]]))
    double, _ = shapes_of(SurvivalCurves(times, survival))
    single, _ = shapes_of(SurvivalCurves(times, survival.astype(np.float32)))
    assert_allclose(single.nodes, double.nodes, atol=1e-4)


def test_take_and_concatenate(readings):
    reading, _ = readings(9, 5)
    shapes, _ = Shapes.read(reading, FINE_LEVELS)
    joined = Shapes.concatenate(
        [shapes.take(slice(0, 4)), shapes.take(np.arange(4, 9))]
    )
    assert_array_equal(joined.nodes, shapes.nodes)
    assert len(joined) == 9


@pytest.mark.parametrize("law", ["weibull", "log-normal", "log-logistic"])
def test_laws_have_the_shapes_that_would_be_read_off_them(law):
    rng = np.random.default_rng(3)
    curves = SurvivalCurves.from_aft(rng.normal(2, 1, 30), rng.uniform(0.3, 2, 30), law)
    expected, _ = Shapes.read(read_curves(curves), FINE_LEVELS, 8.0)
    found = Shapes.of_law(curves._form, FINE_LEVELS, 8.0)
    for name in ("log_median", "log_width", "nodes", "t_end", "lowest", "stepped"):
        assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)


@pytest.mark.parametrize(
    ("location", "scale"),
    [(1.0, 1e-10), (1.0, 5.0), (40.0, 1.0), (-np.inf, 1.0), (np.inf, 1.0)],
    ids=["narrow", "wide", "far", "at once", "never"],
)
def test_laws_that_need_mending_are_read_like_other_curves(location, scale):
    law = Weibull(np.array([1.0, location]), np.array([1.0, scale]))
    assert Shapes.of_law(law, FINE_LEVELS, 1.0) is None


def test_nodes_are_stored_by_columns_whatever_had_to_be_mended(readings):
    reading, _ = readings(40, 4)
    coarse, ends = reading.copy(), reading.copy()
    coarse[:20, :-2] = np.ceil(reading[:20, :-2])
    ends[:20, -2:] = 0.5, 3.0
    for some in (reading, coarse, np.ceil(reading), ends):
        shapes, _ = Shapes.read(some, FINE_LEVELS)
        assert shapes.nodes.flags.f_contiguous


def test_residuals_at_close_nodes_and_on_nodes():
    # More nodes in a cell of the guess than one, and values on the nodes themselves.
    y = np.array([-3.0, -2.9999, -2.9998, 0.0, 1.0])
    nodes = np.asfortranarray([[0.0, 1, 2, 3, 4], [0.0, 2, 4, 6, 8]])
    none = np.full(2, np.inf)
    shapes = Shapes(none, np.zeros(2), nodes, y, none, none, none > 0)
    wanted = np.array([*y, -2.99985, 0.5])
    e = residual_at(shapes, np.broadcast_to(wanted, (2, 7)))
    expected = np.array([0, 1, 2, 3, 4, 1.5, 3.5])
    assert_allclose(e, [expected, 2 * expected], atol=1e-9)


def test_one_subject_is_read_as_among_many(readings):
    """Few values are searched for one by one, many by a table of guesses."""
    reading, _ = readings(60, 3)
    shapes, _ = Shapes.read(reading, FINE_LEVELS)
    inner = shapes.log_hazards[[1, 20, -1]]  # on nodes, too
    wanted = np.concatenate([np.linspace(-9, 3, 20), inner, np.nextafter(inner, -9)])
    many = residual_at(shapes, np.broadcast_to(wanted, (60, len(wanted))))
    for row in range(60):
        one = residual_at(shapes.take(np.array([row])), wanted[None, :])
        assert_array_equal(one[0], many[row])

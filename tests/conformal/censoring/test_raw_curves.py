"""Raw curves as nodes at common hazards."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.censoring.raw_curves import RawCurves

LEVELS = np.arange(1, 20) / 20


class TestNodes:
    def test_go_through_the_percentile_times(self):
        curves = RawCurves(LEVELS)
        q = 10 * (-np.log(LEVELS)) ** (1 / 1.5)
        nodes = curves.nodes(q[None, :])[0, 1:]
        assert (np.diff(nodes) > 0).all()
        own = np.isin(nodes, q)
        assert own.sum() == 19
        assert_allclose(np.exp(-curves.hazards[own]), LEVELS[::-1], rtol=1e-14)

    def test_beyond_the_lowest_level_go_on_as_a_weibull_law(self):
        curves = RawCurves(LEVELS)
        q = 10 * (-np.log(LEVELS)) ** (1 / 1.5)
        nodes = curves.nodes(q[None, :])[0, 1:]
        tail = curves.hazards > 3
        assert tail.sum() > 10
        assert_allclose(nodes[tail], 10 * curves.hazards[tail] ** (1 / 1.5), rtol=1e-9)

    def test_before_the_highest_level_are_on_the_line_from_time_0(self):
        curves = RawCurves(LEVELS)
        nodes = curves.nodes(np.linspace(20, 2, 19)[None, :])[0, 1:]
        head = curves.hazards < -np.log(0.951)
        assert_allclose(1 - np.exp(-curves.hazards[head]), nodes[head] * 0.05 / 2)

    def test_crossing_negative_and_infinite_times_are_put_in_order(self):
        curves = RawCurves(np.array([0.8, 0.5, 0.2]), largest=6.0)
        q = np.array([[4.0, 3.0, 6.0], [-1.0, 2.0, 5.0], [1.0, np.inf, np.inf]])
        nodes = curves.nodes(q)
        assert np.isfinite(nodes).all()
        assert (np.diff(nodes, axis=1) >= 0).all()
        assert (nodes[2] > 1e6 - 1).any()

    def test_one_level_and_flat_rows(self):
        for levels in ([0.5], [0.9, 0.1]):
            curves = RawCurves(np.array(levels))
            nodes = curves.nodes(np.array([[0.0] * len(levels), [3.0] * len(levels)]))
            assert np.isfinite(nodes).all()
            assert nodes.shape == (2, 1 + len(curves.hazards))


class TestPlace:
    def test_hazards_add_up_to_that_of_the_curve(self):
        rng = np.random.default_rng(0)
        curves = RawCurves(LEVELS)
        q = 10 * (-np.log(LEVELS)) ** (1 / 1.5) * np.ones((200, 1))
        time = 10 * rng.weibull(1.5, 200)
        place = curves.place(curves.nodes(q), time, rng.random(200) < 0.5)
        assert_array_equal(place.row, np.arange(200))
        assert_array_equal(place.cell, place.first)
        starts = np.cumsum(curves.widths) - curves.widths
        spent = starts[place.cell] + place.hazard
        assert_allclose(spent, (time / 10) ** 1.5, rtol=0.06, atol=0.01)

    def test_at_a_node_an_event_ends_the_cell_and_a_censoring_begins_one(self):
        curves = RawCurves(np.array([0.8, 0.5]))
        nodes = curves.nodes(np.array([[2.0, 6.0]] * 2))
        at = int(np.flatnonzero(nodes[0, 1:] == 2)[0])
        place = curves.place(nodes, np.full(2, 2.0), np.array([True, False]))
        assert_array_equal(place.cell, [at, at + 1])
        assert_array_equal(place.events, [1, 0])
        assert_allclose(place.hazard, [curves.widths[at], 0])

    def test_past_the_last_node(self):
        curves = RawCurves(np.array([0.8, 0.5]))
        nodes = curves.nodes(np.array([[2.0, 6.0], [0.0, 0.0]]))
        place = curves.place(nodes, np.array([1e9, 1.0]), np.array([True] * 2))
        assert_array_equal(place.cell, len(curves.hazards) - 1)
        assert_allclose(place.hazard, curves.widths[-1])


class TestDrops:
    """An event at a time that several nodes share."""

    def test_is_spread_in_proportion_to_the_drop(self):
        # The curve drops from 0.8 to 0.2 at time 2, through nodes at 0.7 and 0.2.
        curves = RawCurves(np.array([0.8, 0.7, 0.2]))
        nodes = curves.nodes(np.array([[2.0, 2.0, 2.0]] * 2))
        at = int(np.flatnonzero(nodes[0, 1:] == 2)[0])
        place = curves.place(nodes, np.full(2, 2.0), np.array([True, False]))
        # The censored one is past the drop.
        assert_array_equal(place.first, [at + 1, at + 3])
        assert_array_equal(place.row, [1, 0, 0])
        assert_array_equal(place.cell, [at + 3, at + 1, at + 2])
        assert_allclose(place.events, [0, 1 / 6, 5 / 6])
        # −log U of U even on (0.2, 0.8) is by calculus 0.6859 on average.
        mean = 1 - (0.8 * np.log(0.8) - 0.2 * np.log(0.2)) / 0.6
        before = curves.hazards[at]
        assert_allclose(before + place.hazard[1:].sum(), mean)

    @pytest.mark.parametrize("n_times", [14, 24, 200])
    def test_a_right_model_on_a_lattice_has_the_events_that_it_expects(self, n_times):
        rng, unit = np.random.default_rng(1), 3 / n_times
        scale = np.exp(rng.normal(0, 0.5, 20_000))
        event_time = unit * np.ceil(scale * rng.weibull(1.5, 20_000) / unit)
        limit = unit * np.ceil(rng.exponential(1.5, 20_000) / unit)
        time, event = np.minimum(event_time, limit), event_time <= limit
        q = scale[:, None] * (-np.log(LEVELS)) ** (1 / 1.5)
        curves = RawCurves(LEVELS)
        place = curves.place(curves.nodes(unit * np.ceil(q / unit)), time, event)
        passed = np.append(0.0, curves.hazards)[place.first]
        expected = passed.sum() + place.hazard.sum()
        assert_allclose(place.events.sum(), event.sum())
        # Charged to the first of the tied cells it was 1.12 with 14 times. What is
        # left: whoever is censored at a drop's time counts at the last level before
        # its lower end.
        assert event.sum() / expected == pytest.approx(1, abs=0.03)

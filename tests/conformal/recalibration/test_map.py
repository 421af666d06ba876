"""Stage (a): the likelihood of the map, its gradient, and what it finds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import ConformalSurvival, Outcome
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks
from consurv.conformal.recalibration.hazards import hazard_at
from consurv.conformal.recalibration.likelihood import (
    Sums,
    likelihood_sums,
    seen_probability,
)
from consurv.conformal.recalibration.map_fit import fit_map
from consurv.conformal.recalibration.shapes import FINE_LEVELS
from consurv.conformal.recalibration.shrinkage import ridge_for, settled
from consurv.conformal.recalibration.survey import Gathered, Here, survey
from consurv.conformal.recalibration.time_map import TimeMap
from consurv.models import CoxPH

NUMBERS = np.array([-0.2, 0.1, -0.1, 0.15, 0.1])


def subjects(reading, y, parts=1):
    cut = np.array_split(np.arange(len(y)), parts)
    return survey(Blocks(Block(reading[r], np.array([0.5]), y[r]) for r in cut))


def sums(found, time_map):
    parts = [likelihood_sums(sample, time_map) for sample in found.samples]
    return Sums(*(np.sum(column, axis=0) for column in zip(*parts, strict=True)))


def test_terms_by_hand(readings):
    reading, y = readings(40, 0)
    everyone = subjects(reading, y)
    (sample,) = everyone.samples
    time_map = TimeMap(NUMBERS, everyone.facts.centre)
    total, shapes, seen = 0.0, sample.shapes, sample.seen
    for j in range(40):
        one = shapes.take(slice(j, j + 1))
        low, high = (
            np.exp(-hazard_at(one, time_map.residual(one, t[j : j + 1]))[0][0])
            for t in (seen.low, seen.high)
        )
        p = low - high if y.event[j] else high
        total += np.log(0.98 * p + 0.02 * sample.broad[j])
    assert_allclose(likelihood_sums(sample, time_map).value, total, rtol=1e-12)


@pytest.mark.parametrize("whole", [False, True])
def test_gradient_by_differences(readings, whole):
    reading, y = readings(300, 1)
    if whole:
        reading[:, :-2] = np.ceil(reading[:, :-2] / 3) * 3
        y = Outcome(np.ceil(y.time), y.event)
    everyone = subjects(reading, y)
    assert (everyone.facts.unit > 0) == whole
    centre = everyone.facts.centre
    found = sums(everyone, TimeMap(NUMBERS, centre))
    for k in range(5):
        step = 1e-6 * np.eye(5)[k]
        up, down = (
            sums(everyone, TimeMap(NUMBERS + s, centre)).value for s in (step, -step)
        )
        assert_allclose(found.gradient[k], (up - down) / 2e-6, rtol=2e-4, atol=1e-3)


def test_information_is_the_sum_of_outer_products(readings):
    reading, y = readings(30, 2)
    everyone, each = subjects(reading, y), subjects(reading, y, parts=30).samples
    time_map = TimeMap(NUMBERS, everyone.facts.centre)
    single = [likelihood_sums(s, time_map) for s in each]
    outer = sum(np.outer(s.gradient, s.gradient) for s in single)
    assert_allclose(sums(everyone, time_map).information, outer, rtol=1e-9)


def test_early_events_keep_their_digits():
    p = seen_probability(np.array([True]), np.array([1e-18]), np.array([3e-18]))
    assert_allclose(p, 2e-18, rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "number", "value"),
    [
        ({"stretch": 1.5}, 0, np.log(1 / 1.5)),
        ({"stretch": 0.6}, 0, np.log(1 / 0.6)),
        ({"effect": 0.35}, 1, np.log(2)),
    ],
)
def test_finds_what_is_wrong_and_leaves_the_rest(readings, change, number, value):
    reading, y = readings(3000, 3, **change)
    time_map, dof = fit_map(subjects(reading, y))
    expected = np.eye(5)[number] * value
    assert_allclose(time_map.numbers, expected, atol=0.06)
    assert 0.8 < dof < 4


def test_finds_a_delay(readings):
    reading, y = readings(3000, 4)
    reading[:, :-2] += 6.0
    everyone = subjects(reading, y)
    time_map, _ = fit_map(everyone)
    assert everyone.scale * time_map.delay == pytest.approx(6.0, rel=0.15)


def test_a_right_model_is_left_alone(readings):
    reading, y = readings(400, 5)
    time_map, dof = fit_map(subjects(reading, y))
    assert np.abs(time_map.numbers).max() < 0.1
    assert dof < 1.5


def test_slopes_are_left_out_where_all_curves_are_alike(readings):
    reading, y = readings(200, 6, stretch=1.7)
    reading[:] = reading[0]
    time_map, _ = fit_map(subjects(reading, y))
    assert_array_equal(time_map.numbers[[1, 3]], [0, 0])


class Counted(Here):
    """Subjects who count how often they are asked."""

    def __init__(self, reading, y, far):
        known = subjects(reading, y)
        super().__init__(known.samples, known.scale, known.follow_up)
        self.far, self.rounds = far, 0

    def ask(self, question, *, part=False):
        self.rounds += 1
        return super().ask(question, part=part)


def test_from_afar_the_way_is_the_same(readings):
    """Several shorter steps are asked for at once where one has led down."""
    reading, y = readings(600, 8, stretch=1.6)
    reading[:, :-2] = np.ceil(reading[:, :-2] / 3) * 3
    near, far = (Counted(reading, y, far) for far in (False, True))
    found = [fit_map(everyone)[0].numbers for everyone in (near, far)]
    assert_array_equal(*found)
    assert far.rounds < near.rounds


def marks_of(question, found):
    return found.ask(Gathered(question), part=True).marks


def test_the_part_depends_neither_on_the_split_nor_on_the_order(readings):
    reading, y = readings(11_000, 7)
    mixed = np.random.default_rng(0).permutation(11_000)
    orders = (subjects(reading, y), subjects(reading[mixed], y[mixed], parts=7))
    one, other = (marks_of(lambda s: s.outcome.time, found) for found in orders)
    assert_array_equal(one, other)
    assert len(one) == 5000


def test_those_who_are_the_same_are_in_or_out_together(readings):
    reading, y = readings(50, 7)
    many = np.repeat(np.arange(50), 300)
    found = subjects(reading[many], y[many])
    assert len(found.facts.marks) == 50
    assert len(marks_of(lambda s: s.outcome.time, found)) == 15_000


def test_few_are_all_the_part(readings):
    assert not subjects(*readings(9_999, 7)).is_part


def test_a_number_below_two_standard_errors_does_not_count():
    variance, ridge = np.array([1.0]), np.array([0.0])
    theta = np.array([1.9])
    for _ in range(200):
        weight = ridge_for(theta, variance, ridge)
        theta, variance = 1.9 / (1 + weight), 1 / (1 + weight)
        ridge = weight
    assert_array_equal(settled(theta, variance, ridge)[0], [0.0])


def test_an_event_soon_after_0_does_not_stop_the_search(readings):
    """The slope of a delay that is left out has no bound there."""
    reading, y = readings(300, 3, stretch=1.5)
    soon = y.time.copy()
    soon[np.flatnonzero(y.event)[0]] = 1e-44
    plain, early = (
        fit_map(everyone)[0].numbers
        for everyone in (
            subjects(reading, y),
            subjects(reading, Outcome(soon, y.event)),
        )
    )
    assert plain[0] < -0.2
    assert_allclose(early, plain, atol=0.1)


def test_proportional_hazards_are_read_by_risk_as_one_by_one():
    """More rows than are read at once come in the order of risk, and go back."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(5000, 1))
    y = Outcome(rng.exponential(np.exp(0.8 * X[:, 0])), rng.random(5000) < 0.8)
    post = ConformalSurvival(CoxPH().fit(X[:500], y[:500]), adjustment="recalibrated")
    curves = post.conformalize(X[:500], y[:500]).predict_survival_function(X)
    for part in (slice(0, 1), slice(2100, 2160), slice(4990, 5000)):
        alone = post.predict_survival_function(X[part])
        assert_array_equal(alone.times, curves[part].times)


@pytest.mark.parametrize(
    ("narrow", "unit"),
    [(1 / 30, 1.0), (0.2, 365.0), (0.2, 1 / 365), (1.0, 365.0), (1.0, 1 / 365)],
)
def test_curves_that_exclude_what_happened_are_mended(readings, narrow, unit):
    reading, y = readings(300, 5)
    middle = np.flatnonzero(FINE_LEVELS <= 0.5)[0]
    log = np.log(reading[:, :-2])
    median = log[:, middle : middle + 1]
    reading[:, :-2] = unit * np.exp(median + narrow * (log - median))
    found, _ = fit_map(subjects(reading, y))
    assert_allclose(found.numbers[2], -np.log(narrow), atol=0.25)
    assert_allclose(found.numbers[0], -np.log(unit), atol=0.25)
    assert_allclose(found.numbers[1], 0.0, atol=0.2)

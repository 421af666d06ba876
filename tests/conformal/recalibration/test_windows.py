"""Outcomes as windows, and the unit of whole times."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import fisk

from consurv import Outcome
from consurv.conformal.recalibration.hazards import hazard_at
from consurv.conformal.recalibration.shapes import FINE_LEVELS, Shapes
from consurv.conformal.recalibration.windows import Grain, Windows, whole_unit


def unit_of(time):
    return whole_unit(np.unique(time), len(time))


def test_whole_months_have_a_unit_and_continuous_times_none():
    rng = np.random.default_rng(0)
    months = np.ceil(rng.exponential(20, 300))
    assert unit_of(months) == 1.0
    assert unit_of(months[:100] / 12) == 1 / 12
    assert unit_of(rng.exponential(20, 300)) == 0.0
    assert unit_of(np.ones(2)) == 0.0  # so few may be tied by chance
    assert unit_of(np.repeat(np.arange(1.0, 2102), 2)) == 0.0


def test_one_or_two_distinct_times_are_a_lattice():
    """A study of two visits, or of one."""
    assert unit_of(np.repeat([0.5, 1.0], 20)) == 0.5
    assert unit_of(np.repeat([6.0, 8.0], 20)) == 2.0
    assert unit_of(np.full(40, 0.25)) == 0.25
    assert unit_of(np.repeat([1.0, np.pi], 20)) == 0.0
    assert unit_of(np.repeat([0.5, 1.0], 2)) == 0.0


def test_rounding_makes_no_unit_and_hides_none():
    """Ages or years were subtracted: times are equal but for their last bit."""
    rng = np.random.default_rng(1)
    tenths = np.round(np.maximum(rng.exponential(4, 1000), 0.1), 1)
    entry = np.round(rng.uniform(40, 70, 1000), 1)
    times = (entry + tenths) - entry
    assert len(np.unique(times)) > 1.2 * len(np.unique(tenths))
    assert_allclose(unit_of(times), 0.1)
    # Some of them differ from all others by rounding alone.
    few = np.array([0.3, 0.1 + 0.2, 1.7, 2.9, 3.1, np.pi])
    assert unit_of(np.repeat(few, 2)) == 0.0


def test_windows_of_events_and_censored(readings):
    reading, y = readings(40, 1)
    shapes, _ = Shapes.read(reading, FINE_LEVELS)
    windows = Windows.of(y, shapes, Grain(0.0))
    assert_array_equal(windows.low[~y.event], y.time[~y.event])
    assert_array_equal(windows.high[~y.event], y.time[~y.event])
    # Of a Weibull law, whose log H is a line, they have one width in log time.
    ratio = np.log(windows.high / windows.low)[y.event]
    assert_allclose(ratio, 0.4 * np.exp(shapes.log_width[y.event]), rtol=1e-9)
    whole = Windows.of(y, shapes, Grain(2.0))
    assert_allclose(whole.low[y.event], np.maximum(y.time - 2, 0.1)[y.event])
    assert_array_equal(whole.high[y.event], y.time[y.event])
    # The others were event-free at the last visit, or had none so far.
    passed = np.floor(y.time[~y.event] / 2) * 2
    expected = np.where(passed > 0, passed, np.minimum(0.1, y.time[~y.event]))
    assert_allclose(whole.low[~y.event], expected)
    assert_array_equal(whole.high[~y.event], whole.low[~y.event])
    # A time that is whole but for rounding stays what it is.
    near = Outcome(np.array([6 - 1e-9, 6 + 1e-9]), [0, 0])
    windows = Windows.of(near, shapes.take([0, 0]), Grain(2.0))
    assert_array_equal(windows.high, near.time)


def test_windows_follow_a_law_of_two_parts():
    """Half of the events come in the first year, the others in the tenth."""
    q = np.where(FINE_LEVELS > 0.5, 1 - FINE_LEVELS, 9.5 - FINE_LEVELS)
    reading = np.append(q, [0.0, np.inf])[None, :]
    shapes, _ = Shapes.read(reading, FINE_LEVELS)
    inside = np.array([0.2, 9.25])
    y = Outcome(inside, [1, 1])
    shapes = shapes.take([0, 0])
    windows = Windows.of(y, shapes, Grain(0.0))
    rise = 0.2 * (np.log(np.log(4)) - np.log(np.log(4 / 3)))
    for side, sign in ((windows.low, -1), (windows.high, 1)):
        hazard, _ = hazard_at(shapes, np.log(side) - shapes.log_median)
        own, _ = hazard_at(shapes, np.log(inside) - shapes.log_median)
        assert_allclose(np.log(hazard / own), sign * rise, rtol=1e-6)
    # Beside a window of one width in log time they are narrow where the law is.
    assert windows.high[1] / windows.low[1] < 1.1
    assert 0.2 * np.exp(shapes.log_width[1]) > 0.5


def test_windows_on_a_plateau_are_no_wider_than_elsewhere():
    """Most events come in the first year, hardly any in the next forty."""
    q = np.where(FINE_LEVELS > 0.5, 1 - FINE_LEVELS, 0.5 + 400 * (0.5 - FINE_LEVELS))
    shapes, _ = Shapes.read(np.append(q, [0.0, np.inf])[None, :], FINE_LEVELS)
    windows = Windows.of(Outcome([5.0], [1]), shapes, Grain(0.0))
    assert np.exp(shapes.log_width) > 5
    exponential = np.log(np.log(4) / np.log(4 / 3))
    assert_allclose(np.log(5 / windows.low), 0.2 * exponential)
    assert_allclose(np.log(windows.high / 5), 0.2 * exponential)


def test_events_that_a_curve_excludes_have_windows_of_one_width():
    reading = np.append(10 + (1 - FINE_LEVELS), [0.0, np.inf])[None, :]
    shapes, _ = Shapes.read(reading, FINE_LEVELS)
    y = Outcome([0.1, 40.0], [1, 1])
    windows = Windows.of(y, shapes.take([0, 0]), Grain(0.0))
    half = np.exp(0.2 * np.exp(shapes.log_width[0]))
    assert_allclose(windows.low, y.time / half)
    assert_allclose(windows.high, y.time * half)


def test_nobody_is_followed_past_the_end_of_its_curve():
    windows = Windows(np.array([1.0, 4]), np.array([2.0, 6]), np.array([True, True]))
    seen = windows.until(np.array([5.0, 5.0]), np.array([5.0, 5.1]))
    assert_array_equal(seen.event, [True, False])
    assert_array_equal(seen.low, [1.0, 5.0])
    assert_array_equal(seen.high, [2.0, 5.0])


def test_the_broad_law_is_log_logistic_and_never_nothing(readings):
    reading, y = readings(60, 2)
    shapes, _ = Shapes.read(reading, FINE_LEVELS)
    windows = Windows.of(y, shapes, Grain(0.0))
    law = fisk(2.2 / 3 / np.exp(shapes.log_width), scale=np.exp(shapes.log_median))
    between = law.cdf(windows.high) - law.cdf(windows.low)
    expected = np.where(y.event, between, law.sf(windows.high))
    assert_allclose(windows.broad(shapes), expected, rtol=1e-9)
    far = Outcome(np.where(np.arange(60) % 2, 1e-30, 1e30), np.ones(60))
    narrow = Shapes.read(
        np.column_stack([np.full((60, 48), 5.0), np.zeros(60), np.full(60, np.inf)]),
        FINE_LEVELS,
    )[0]
    assert (Windows.of(far, narrow, Grain(0.0)).broad(narrow) > 0).all()

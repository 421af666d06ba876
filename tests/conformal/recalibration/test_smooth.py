"""Smooth curves are read at few levels, and say the same as all of them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv.conformal.recalibration.order import OrderGuard
from consurv.conformal.recalibration.ratios import BORDERS, HazardRatios
from consurv.conformal.recalibration.recalibration import Recalibration
from consurv.conformal.recalibration.risk import RiskScale
from consurv.conformal.recalibration.shapes import FINE_LEVELS, Shapes, read_curves
from consurv.conformal.recalibration.smooth import levels_that_matter, smooth_shapes
from consurv.conformal.recalibration.time_map import TimeMap
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations.proportional import Proportional
from consurv.curves.representations.steps import Steps
from consurv.curves.representations.weibull import Weibull

ALL = np.arange(len(FINE_LEVELS))
FIELDS = "log_median", "log_width", "nodes", "t_end", "lowest", "stepped"


def baseline(k=20_000, last=60.0, power=1.3):
    times = last * np.linspace(0, 1, k + 1)[1:] ** 2
    return Steps(times, power * np.log(times / 5))


def recalibration(*, ratios):
    scale = RiskScale.of(np.linspace(-1, 1, 400))
    mended = HazardRatios.none(scale)
    if ratios:
        slopes = np.linspace(0.2, -0.1, len(BORDERS))
        mended = replace(mended, levels=slopes / 2, slopes=slopes, bend=0.05)
    mapped = TimeMap(np.array([0.1, -0.2, 0.1, 0.05, 0.01]), np.array([0.2, 0.3]))
    return Recalibration(FINE_LEVELS, mapped, mended, OrderGuard.none(), scale=4.0)


@pytest.mark.parametrize("law", ["weibull", "log-normal", "log-logistic"])
def test_laws_have_the_shapes_that_would_be_read_off_them(law):
    rng = np.random.default_rng(3)
    curves = SurvivalCurves.from_aft(rng.normal(2, 1, 30), rng.uniform(0.3, 2, 30), law)
    expected, _ = Shapes.read(read_curves(curves), FINE_LEVELS, 8.0)
    found = smooth_shapes(curves._form, FINE_LEVELS, ALL, 8.0)
    for name in FIELDS:
        assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)


def test_fine_baselines_have_the_shapes_that_would_be_read_off_them():
    form = Proportional(
        [baseline(), baseline(power=0.9)],
        np.random.default_rng(0).normal(0, 0.5, 40),
        np.arange(40) % 2,
    )
    reading = read_curves(SurvivalCurves._of(form))
    expected, _ = Shapes.read(reading, FINE_LEVELS, 8.0)
    found = smooth_shapes(form, FINE_LEVELS, ALL, 8.0)
    for name in FIELDS:
        assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)


@pytest.mark.parametrize(
    ("location", "scale"),
    [(1.0, 1e-10), (1.0, 5.0), (40.0, 1.0), (-np.inf, 1.0), (np.inf, 1.0)],
    ids=["narrow", "wide", "far", "at once", "never"],
)
def test_laws_that_need_mending_are_read_like_other_curves(location, scale):
    law = Weibull(np.array([1.0, location]), np.array([1.0, scale]))
    few = levels_that_matter(FINE_LEVELS, np.array([0.5]))
    for columns in (ALL, few):
        assert smooth_shapes(law, FINE_LEVELS, columns, 1.0) is None


@pytest.mark.parametrize(
    ("steps", "log_risk"),
    [
        (baseline(last=3.0), 0.0),
        (baseline(), -9.0),
        (baseline(), 12.0),
        (baseline(k=50), 0.0),
        (Steps(np.r_[1.0, 2, 3], np.full(3, -np.inf)), 0.0),
    ],
    ids=["ends", "ends for the lowest risk", "drops early", "drops", "never falls"],
)
def test_baselines_that_end_or_drop_are_read_like_other_curves(steps, log_risk):
    form = Proportional([steps], np.array([0.0, log_risk]))
    assert smooth_shapes(form, FINE_LEVELS, ALL, 1.0) is None


def test_jumps_at_nearly_one_time_are_a_drop():
    fine = baseline()
    times = fine.times[1:].copy()
    late = np.flatnonzero((fine.log_hazard[1:] > -1) & (fine.log_hazard[1:] < 0))
    times[late] = times[late[0]] * (1 + np.linspace(0, 1e-9, len(late)))
    form = Proportional([Steps(times, fine.log_hazard[1:])], np.zeros(1))
    assert fine.falls_gently(np.zeros(1), FINE_LEVELS)
    assert not form.falls_gently(FINE_LEVELS)


def test_a_level_between_fine_ones_needs_both():
    found = FINE_LEVELS[levels_that_matter(FINE_LEVELS, np.array([0.51, 0.3]))]
    assert found.tolist() == [0.998, 0.75, 0.525, 0.5, 0.3, 0.25, 0.01]


@pytest.mark.parametrize("ratios", [False, True])
@pytest.mark.parametrize(
    "levels", [np.arange(19, 0, -1) / 20, np.r_[0.999, 0.47, 0.005]]
)
@pytest.mark.parametrize("last", [60.0, 6.0])
def test_few_levels_say_what_all_say(ratios, levels, last):
    rng = np.random.default_rng(1)
    form = Proportional([baseline(last=last)], rng.normal(0, 0.7, 9_000))
    curves, mend = SurvivalCurves._of(form), recalibration(ratios=ratios)
    found = np.empty((len(form), len(levels)))
    mend.times_of_curves(curves, levels, found)
    assert_allclose(found, mend.times(read_curves(curves), levels), rtol=1e-12)

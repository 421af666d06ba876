"""Curves of every form as plain numbers, and back."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consurv import SurvivalCurves
from consurv.curves.kept import form_of, state_of
from consurv.curves.representations import (
    LogLogistic,
    LogNormal,
    Proportional,
    Steps,
    Weibull,
)
from consurv.keep import dump_plain, load_plain

TIMES = np.linspace(0.5, 20, 30)
RNG = np.random.default_rng(0)
SCALES = RNG.uniform(2, 9, (5, 1))
TABLE = np.exp(-TIMES / SCALES)
BASELINES = [
    Steps(np.array([1.0, 4.0, 9.0]), np.log([0.2, 0.7, 2.0])),
    Steps(np.array([2.0, 3.0]), np.log([0.5, 0.9])),
]


def law(kind):
    return SurvivalCurves._of(kind(RNG.normal(size=5), RNG.uniform(0.1, 1, 5), 7.0))


FORMS = {
    "linear": SurvivalCurves(TIMES, TABLE),
    "step": SurvivalCurves(TIMES, TABLE, "step"),
    "pchip": SurvivalCurves(TIMES, TABLE, "pchip"),
    "float32": SurvivalCurves(TIMES, TABLE.astype(np.float32)),
    "own grids": SurvivalCurves(TIMES * SCALES, TABLE),
    "endless": SurvivalCurves.from_percentile_times(
        [[1, np.inf, np.inf]], [3, 2, 1] / np.array(4)
    ),
    "one baseline": SurvivalCurves._of(Proportional(BASELINES[:1], RNG.normal(size=5))),
    "strata": SurvivalCurves._of(
        Proportional(BASELINES, RNG.normal(size=5), np.array([0, 1, 1, 0, 1]))
    ),
    "weibull": law(Weibull),
    "lognormal": law(LogNormal),
    "loglogistic": law(LogLogistic),
    "pchip given": SurvivalCurves(TIMES, TABLE, "pchip").conditional_on(2.0),
    "law given": law(Weibull).conditional_on(2.0),
}


@pytest.mark.parametrize("curves", FORMS.values(), ids=FORMS)
def test_answers_are_the_same_bits(curves):
    state = load_plain(dump_plain(curves.to_kept()))
    again = SurvivalCurves.from_kept(state)
    assert type(again._form) is type(curves._form)
    levels = np.linspace(0.02, 0.98, 49)
    assert_array_equal(again.percentile_times(levels), curves.percentile_times(levels))
    times = np.linspace(0, 60, 121)
    assert_array_equal(again.survival_at(times), curves.survival_at(times))
    assert_array_equal(again.mean(), curves.mean())
    assert_array_equal(again.last_time, curves.last_time)


def table(**changes):
    return {**state_of(FORMS["linear"]._form), **changes}


def strata(**changes):
    return {**state_of(FORMS["strata"]._form), **changes}


BAD = {
    "times that fall": (table(times=np.linspace(1, 0, 31)), "that are none"),
    "rising": (table(survival=np.full((5, 31), 0.5).cumsum(axis=1)), "are none"),
    "outside": (table(survival=np.full((5, 31), 2.0)), "leave"),
    "other lengths": (table(times=np.arange(4.0)), "times do not fit"),
    "interpolation": (table(interpolation="wavy"), "times do not fit"),
    "slopes": (table(rates=np.ones(3)), "slopes do not fit"),
    "strata beyond": (strata(stratum=np.array([0, 1, 2, 0, 1])), "strata"),
    "few strata": (strata(stratum=np.array([0, 1])), "strata"),
    "no baseline": (strata(baselines=[]), "risks"),
    "short baseline": (
        strata(baselines=[[np.arange(3.0), np.arange(2.0)]], stratum=None),
        "a baseline whose times",
    ),
    "law": (
        {**state_of(FORMS["weibull"]._form), "scale": np.ones(2)},
        "laws whose numbers",
    ),
    "conditions": (
        {**state_of(FORMS["law given"]._form), "time": np.ones(2)},
        "conditions that do not fit",
    ),
}


@pytest.mark.parametrize(("state", "why"), BAD.values(), ids=BAD)
def test_what_are_no_curves_is_refused(state, why):
    with pytest.raises(ValueError, match=why):
        form_of(state)

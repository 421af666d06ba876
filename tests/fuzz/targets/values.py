"""Outcomes and curves from arrays in every form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from consurv import Outcome, SurvivalCurves, adjust, conformal_shifts
from tests.fuzz.arrays import forms
from tests.fuzz.invariants import (
    check_curves,
    check_outcome,
    same_curves,
    same_outcome,
)
from tests.fuzz.oracle import Fate, judge
from tests.fuzz.registry import Draw, target

TIME = np.array([0.25, 3.0, 2.5, 7.0, 1.5, 4.0])
EVENT = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
GRID = np.array([0.0, 1.0, 2.5, 6.0])
SURVIVAL = np.array(
    [[1.0, 0.75, 0.5, 0.25], [1.0, 0.5, 0.5, 0.0], [1.0, 1.0, 1.0, 1.0]]
)
CURVES = SurvivalCurves(GRID, SURVIVAL)
LEVELS = np.array([0.25, 0.5, 0.75])
TIMES = np.array([[3.0, 2.0, 1.0], [9.0, 4.0, 2.5], [7.0, 2.0, 2.0], [8.0, 3.0, 1.0]])
# Numbers at the ends of what a float holds.
EXTREMES = st.sampled_from(
    [0.0, -0.0, 5e-324, 1e-310, 2.3e-308, 1e-300, 1.0, 2.0, 1e15, 1e300, 1.7e308]
)


@target
def outcome_time(draw: Draw) -> None:
    given = draw(forms(TIME))
    judge(
        "Outcome(time)",
        repr(given),
        given.fate,
        lambda: Outcome(time=given.value, event=EVENT),
        lambda y: same_outcome(y, TIME, EVENT),
    )


@target
def outcome_event(draw: Draw) -> None:
    clean = draw(st.sampled_from([EVENT, EVENT.astype(bool), EVENT.astype(np.uint8)]))
    # Of bool some forms are no floats, but all that are taken mean the same.
    given = draw(forms(clean.astype(float)))
    judge(
        "Outcome(event)",
        repr(given),
        given.fate,
        lambda: Outcome(time=TIME, event=given.value),
        lambda y: same_outcome(y, TIME, EVENT),
    )


@target
def outcome_extremes(draw: Draw) -> None:
    time = np.array(draw(st.lists(EXTREMES, min_size=1, max_size=5)))
    event = np.array(
        draw(st.lists(st.booleans(), min_size=len(time), max_size=len(time)))
    )
    judge(
        "Outcome(extremes)",
        f"time={time.tolist()}",
        Fate.EITHER,
        lambda: Outcome(time=time, event=event),
        lambda y: same_outcome(y, time, event),
    )


def _structured(time: Any, event: Any, names: list[str]) -> Any:
    columns = [np.asarray(event), np.asarray(time)]
    return np.rec.fromarrays(columns, names=names)


CONTAINERS: dict[str, tuple[Any, Fate]] = {
    "a frame": (pd.DataFrame({"time": TIME, "event": EVENT}), Fate.TAKEN),
    "Arrow-backed": (
        pd.DataFrame({"time": TIME, "event": EVENT == 1}).convert_dtypes(
            dtype_backend="pyarrow"
        ),
        Fate.TAKEN,
    ),
    "nullable": (
        pd.DataFrame({"time": TIME, "event": EVENT == 1}).convert_dtypes(),
        Fate.TAKEN,
    ),
    "polars": (pl.DataFrame({"time": TIME, "event": EVENT}), Fate.TAKEN),
    "pyarrow": (pa.table({"time": TIME, "event": EVENT == 1}), Fate.TAKEN),
    "structured": (_structured(TIME, EVENT == 1, ["event", "time"]), Fate.TAKEN),
    "sksurv names": (_structured(TIME, EVENT == 1, ["cens", "futime"]), Fate.EITHER),
    "a pair": ((EVENT, TIME), Fate.TAKEN),
    "a pair the other way round": ((TIME, EVENT), Fate.REFUSED),
    "a triple": ((EVENT, TIME, TIME), Fate.REFUSED),
    "two times": (
        pd.DataFrame(np.c_[TIME, EVENT, TIME], columns=["time", "event", "time"]),
        Fate.REFUSED,
    ),
    "time and Time": (
        pd.DataFrame({"time": TIME, "event": EVENT, "Time": TIME + 1}),
        Fate.REFUSED,
    ),
    "two levels of columns": (
        pd.DataFrame(
            np.c_[TIME, EVENT],
            columns=pd.MultiIndex.from_tuples([("y", "time"), ("y", "event")]),
        ),
        Fate.EITHER,
    ),
    "no names": (pd.DataFrame(np.c_[TIME, EVENT]), Fate.REFUSED),
    "only a time": (pd.DataFrame({"time": TIME}), Fate.REFUSED),
    "no columns": (pd.DataFrame(), Fate.REFUSED),
    "a matrix": (np.c_[EVENT, TIME], Fate.REFUSED),
    "a dict": ({"time": TIME, "event": EVENT}, Fate.EITHER),
    "a list of pairs": (list(zip(EVENT, TIME, strict=True)), Fate.EITHER),
    "masked records": (
        np.ma.array(
            _structured(TIME, EVENT == 1, ["event", "time"]),
            mask=[(False, i == 2) for i in range(6)],
        ),
        Fate.REFUSED,
    ),
    "nothing": (None, Fate.REFUSED),
    "a word": ("y", Fate.REFUSED),
    "the class": (Outcome, Fate.REFUSED),
    "a zero-dimensional record": (
        _structured(TIME, EVENT == 1, ["event", "time"])[0],
        Fate.EITHER,
    ),
}


@target
def outcome_of(draw: Draw) -> None:
    said = draw(st.sampled_from(list(CONTAINERS)))
    value, fate = CONTAINERS[said]

    def check(y: Outcome) -> None:
        if len(y) == len(TIME):
            same_outcome(y, TIME, EVENT)
        else:
            check_outcome(y)

    judge("Outcome.of", said, fate, lambda: Outcome.of(value), check)


@target
def curves_times(draw: Draw) -> None:
    given = draw(forms(GRID, spare=("a column",)))  # a grid of one time for each
    judge(
        "SurvivalCurves(times)",
        repr(given),
        given.fate,
        lambda: SurvivalCurves(given.value, SURVIVAL),
        lambda curves: same_curves(curves, CURVES),
    )


@target
def curves_survival(draw: Draw) -> None:
    given = draw(forms(SURVIVAL, spare=("one too many", "one too few")))
    judge(
        "SurvivalCurves(survival)",
        repr(given),
        given.fate,
        lambda: SurvivalCurves(GRID, given.value),
        lambda curves: same_curves(curves, CURVES),
    )


@target
def curves_frame(draw: Draw) -> None:
    index = draw(forms(GRID))
    try:
        frame = pd.DataFrame(SURVIVAL.T, index=index.value)
    except Exception:  # pandas itself refuses such an index
        return
    if frame.shape != SURVIVAL.T.shape:
        return
    fate = Fate.EITHER if index.fate is Fate.TAKEN else index.fate
    if index.said == "a mask":  # pandas turns what is masked into NaN
        fate = Fate.REFUSED
    if index.said in ("a set", "a dict", "a generator", "none at all"):
        # pandas takes what they hold, or counts
        fate = Fate.EITHER
    judge(
        "SurvivalCurves.from_frame",
        repr(index),
        fate,
        lambda: SurvivalCurves.from_frame(frame),
        check_curves,
    )


@target
def curves_extremes(draw: Draw) -> None:
    k = draw(st.integers(1, 5))
    numbers = st.lists(EXTREMES, min_size=k, max_size=k)
    times = np.sort(draw(numbers))
    levels = st.sampled_from([0.0, 5e-324, 1e-300, 0.25, 0.5, 1 - 1e-16, 1.0])
    survival = np.sort(draw(st.lists(levels, min_size=k, max_size=k)))[::-1]
    kind = draw(st.sampled_from(["linear", "step", "pchip"]))

    def look() -> SurvivalCurves:
        curves = SurvivalCurves(times, survival, kind)
        check_at = curves.survival_at([0.0, 1.0, 1e300])
        assert ((check_at >= 0) & (check_at <= 1)).all(), check_at
        past = curves.conditional_on(times[0])
        assert not np.isnan(past.survival_at([1.0, 1e300])).any(), "NaN past a time"
        return curves

    said = f"times={times.tolist()}, survival={survival.tolist()}, {kind}"
    judge("SurvivalCurves(extremes)", said, Fate.EITHER, look, check_curves)


LOOKS = {
    "survival_at": (GRID, CURVES.survival_at),
    "percentile_times": (LEVELS, CURVES.percentile_times),
    "survival_at_observed": (np.array([1.0, 2.0, 3.0]), CURVES.survival_at_observed),
    "restricted_mean": (np.array([1.0, 2.0, 3.0]), CURVES.restricted_mean),
    "conditional_on": (
        np.array([1.0, 2.0, 3.0]),
        lambda c: CURVES.conditional_on(c).survival_at([4.0]),
    ),
    "to_frame": (GRID, lambda t: CURVES.to_frame(t).to_numpy()),
}


@target
def curves_looks(draw: Draw) -> None:
    name = draw(st.sampled_from(list(LOOKS)))
    clean, look = LOOKS[name]
    free = ("one too many", "one too few", "nothing")  # any number of times will do
    own = name in ("survival_at_observed", "restricted_mean", "conditional_on")
    free += ("none at all",) if name == "to_frame" else ()  # its own nodes
    given = draw(forms(clean, spare=() if own else free))
    judge(
        name,
        repr(given),
        given.fate,
        lambda: look(given.value),
        lambda found: assert_array_equal(found, look(clean)),
    )


def _shifts(times: Any, levels: Any) -> Any:
    y = Outcome(time=[2, 3, 4, 5], event=[1, 1, 0, 1])
    return conformal_shifts(times, levels, y)


ARRAYS = {
    "conformal_shifts(times)": (TIMES, lambda q: _shifts(q, LEVELS)),
    "conformal_shifts(levels)": (LEVELS, lambda rho: _shifts(TIMES, rho)),
    "adjust(times)": (TIMES, lambda q: adjust(q, LEVELS, [0.5, 0.25, 0.0]).times),
    "adjust(shifts)": (LEVELS, lambda b: adjust(TIMES, LEVELS, b).times),
    "from_percentile_times": (
        TIMES,
        lambda q: SurvivalCurves.from_percentile_times(q, LEVELS).times,
    ),
}


@target
def arrays_alone(draw: Draw) -> None:
    name = draw(st.sampled_from(list(ARRAYS)))
    clean, call = ARRAYS[name]
    # An infinite time means a curve that never comes down; more rows are more subjects.
    spare = ("inf", "one too many", "one too few", "nothing") if clean is TIMES else ()
    given = draw(forms(clean, spare=spare))
    judge(
        name,
        repr(given),
        given.fate,
        lambda: call(given.value),
        lambda found: assert_array_equal(found, call(clean)),
    )

"""ConformalSurvival and our models, with features and settings in every form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from consurv import ConformalSurvival, Outcome, SurvivalCurves
from consurv.models import CoxPH
from tests.fuzz.arrays import forms
from tests.fuzz.invariants import check_curves, same_curves
from tests.fuzz.oracle import Fate, judge
from tests.fuzz.registry import Draw, target

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(40, 2)) * 4) / 4
Y = Outcome(
    time=np.round(RNG.exponential(np.exp(X[:, 0])) * 16 + 1) / 4,
    event=np.arange(40) % 4 > 0,
)
ROWS = X[:6]
NAMES = ["age", "stage"]
FRAME = pd.DataFrame(X, columns=NAMES)


def _model(fitted: Any) -> ConformalSurvival:
    return ConformalSurvival(fitted, percentiles=3, adjustment="time", random_state=0)


COX = CoxPH().fit(X, Y)
MODEL = _model(COX).conformalize(X, Y)
NAMED = _model(CoxPH().fit(FRAME, Y)).conformalize(FRAME, Y)
WANTED = MODEL.predict_survival_function(ROWS)

PREDICTIONS = {
    "predict_survival_function": lambda x: MODEL.predict_survival_function(x).times,
    "predict": MODEL.predict,
    "predict_both": lambda x: MODEL.predict_both(x)[1].times,
    "predict_quantile": lambda x: MODEL.predict_quantile(x, [0.5]),
    "CoxPH.predict_survival_function": lambda x: (
        COX.predict_survival_function(x).survival
    ),
    "CoxPH.predict": COX.predict,
}
# More rows are more subjects; a table with names has other rights than one without.
SPARE = ("one too many", "one too few", "nothing", "a DataFrame", "a polars DataFrame")
SPARE += ("Float64 columns", "Arrow-backed columns", "a list of arrays")


# As scikit-learn has it everywhere.
EITHER = ("text as objects", "text of numbers")


@target
def features(draw: Draw) -> None:
    name = draw(st.sampled_from(list(PREDICTIONS)))
    given = draw(forms(ROWS, spare=SPARE, either=EITHER))
    call = PREDICTIONS[name]
    judge(
        name,
        repr(given),
        given.fate,
        lambda: call(given.value),
        lambda found: assert_array_equal(found, call(ROWS)),
    )


@target
def features_in_fit(draw: Draw) -> None:
    given = draw(forms(X, spare=("a list of arrays",), either=EITHER))

    def fit() -> SurvivalCurves:
        # Names of columns are not at stake here: what is fitted predicts its own rows.
        model = _model(CoxPH()).set_params(conformal_set="train")
        return model.fit(given.value, Y).predict_survival_function(given.value)

    reference = _model(CoxPH()).set_params(conformal_set="train").fit(X, Y)
    judge(
        "fit",
        repr(given),
        given.fate,
        fit,
        lambda curves: assert_allclose(
            curves.times, reference.predict_survival_function(X).times, rtol=1e-9
        ),
    )


TABLES: dict[str, tuple[Any, Fate]] = {
    "the frame": (FRAME, Fate.TAKEN),
    "another order": (FRAME[NAMES[::-1]], Fate.TAKEN),
    "Arrow-backed": (FRAME.convert_dtypes(dtype_backend="pyarrow"), Fate.TAKEN),
    "nullable": (FRAME.astype("Float64"), Fate.TAKEN),
    "float32": (FRAME.astype("float32"), Fate.TAKEN),
    "objects": (FRAME.astype(object), Fate.TAKEN),
    "an odd index": (FRAME.set_axis([7] * 40), Fate.TAKEN),
    "a repeated name": (pd.concat([FRAME, FRAME[["age"]]], axis=1), Fate.REFUSED),
    "twice the first": (FRAME[["age", "age"]], Fate.REFUSED),
    "another name": (FRAME.rename(columns={"age": "Age"}), Fate.REFUSED),
    "a column too few": (FRAME[["age"]], Fate.REFUSED),
    "a column too many": (FRAME.assign(more=1.0), Fate.REFUSED),
    "NaN": (FRAME.mask(FRAME > 1), Fate.REFUSED),
    "nullable with NA": (FRAME.astype("Float64").mask(FRAME > 1), Fate.REFUSED),
    "text": (FRAME.assign(age="old"), Fate.REFUSED),
    "dates": (FRAME.assign(age=pd.Timestamp("2024-05-01")), Fate.REFUSED),
    "categories": (FRAME.assign(age=pd.Categorical(["a", "b"] * 20)), Fate.REFUSED),
    "lists": (FRAME.assign(age=[[1.0]] * 40), Fate.REFUSED),
    "complex": (FRAME + 1j, Fate.REFUSED),
    "no rows": (FRAME.iloc[:0], Fate.EITHER),
    "infinite": (FRAME.replace(FRAME.iloc[0, 0], np.inf), Fate.REFUSED),
}


@target
def tables_by_name(draw: Draw) -> None:
    said = draw(st.sampled_from(list(TABLES)))
    table, fate = TABLES[said]
    wanted = NAMED.predict_survival_function(FRAME)
    judge(
        "a named table",
        said,
        fate,
        lambda: NAMED.predict_survival_function(table),
        lambda curves: len(curves) and same_curves(curves, wanted),
    )


ANYTHING = st.sampled_from(
    [None, True, 0, 1, -1, 3, 2.5, 0.5, 10**400, 1e308, float("nan"), float("inf"), 1j,
     "", "auto", "time", "x", b"time", [], [0.5], [0.2, 0.5], (0.5, 0.5), {}, {0.5},
     np.array(0.5), np.array([[0.5]]), np.ma.array([0.5], mask=True), np.float32(0.5),
     np.int64(3), pd.NA, pd.Timestamp("2024"), Y]
)  # fmt: skip
SETTINGS = (
    "percentiles", "adjustment", "censoring", "n_samples", "kaplan_meier",
    "conformal_set", "validation_fraction", "n_folds", "rearrange", "random_state",
    "verbose",
)  # fmt: skip


@target
def settings(draw: Draw) -> None:
    name, value = draw(st.sampled_from(SETTINGS)), draw(ANYTHING)
    judge(
        f"{name}=",
        repr(value)[:60],
        Fate.EITHER,
        lambda: (
            _model(CoxPH())
            .set_params(**{"conformal_set": "train", name: value})
            .fit(X, Y)
            .predict_survival_function(ROWS)
        ),
        check_curves,
    )


@target
def arguments(draw: Draw) -> None:
    name = draw(st.sampled_from(["predict_quantile", "predict_interval"]))
    value = draw(ANYTHING)

    def check(times: Any) -> None:
        assert not np.isnan(times).any(), times
        assert len(times) == len(ROWS), times.shape

    judge(
        name,
        repr(value)[:60],
        Fate.EITHER,
        lambda: getattr(MODEL, name)(ROWS, value),
        check,
    )


@target
def units(draw: Draw) -> None:
    """A power of two is but another unit of time, as far as it can be computed."""
    power = draw(st.sampled_from([-1060, -1000, -600, -30, 0, 30, 600, 950, 1010]))
    scale = 2.0**power

    def calibrate() -> SurvivalCurves:
        def curves(rows: Any) -> Any:
            grid = np.array([1.0, 4.0, 9.0]) * scale
            return grid, np.exp(-np.outer(np.exp(rows[:, 0]), [0.2, 0.8, 1.8]))

        y = Outcome(time=Y.time * scale, event=Y.event)
        return _model(curves).conformalize(X, y).predict_survival_function(ROWS)

    def reference(rows: Any) -> Any:
        grid = np.array([1.0, 4.0, 9.0])
        return grid, np.exp(-np.outer(np.exp(rows[:, 0]), [0.2, 0.8, 1.8]))

    wanted = _model(reference).conformalize(X, Y).predict_survival_function(ROWS)
    fate = Fate.TAKEN if abs(power) <= 600 else Fate.EITHER
    judge(
        "a unit of time",
        f"2**{power}",
        fate,
        calibrate,
        lambda found: assert_array_equal(found.times, wanted.times * scale),
    )

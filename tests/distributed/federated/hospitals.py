"""Five hospitals of unequal size, and the same subjects in one place."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from consurv import ConformalSurvival, Outcome
from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.conformal.parts.blocks import Block
from consurv.conformal.reading.raw_model import RawModel
from consurv.distributed import answer
from tests.distributed.people import Optimist, subjects

SIZES = {"north": 1500, "south": 900, "east": 500, "west": 300, "isle": 40}
FEATURES = ["dose", "age"]


def model():
    first = subjects(200, seed=50)
    fitted = ConformalSurvival(Optimist(), adjustment="log-time", percentiles=9)
    return fitted.conformalize(first, time="time", event="event")


def tables(sizes=SIZES, seed=0):
    return {
        name: subjects(n, seed=seed + i) for i, (name, n) in enumerate(sizes.items())
    }


def sites(fitted, rows, **how):
    return {
        name: partial(answer, model=fitted, table=table, site=name, **how)
        for name, table in rows.items()
    }


def up(times, step):
    """Return times on a lattice of steps, as somebody else would move them."""
    return np.ceil(np.round(np.asarray(times) / step, 9)) * step


def pooled(fitted, rows, levels, step, kind, censoring, *, observed=None):
    """Return the adjustment of all rows in one place; *observed* moves times."""
    together = pd.concat(rows.values(), ignore_index=True)
    raw = RawModel(fitted.estimator_).percentile_times(together[FEATURES], levels)
    moved = observed or (lambda table: up(table["time"], step))
    time = np.concatenate([moved(table) for table in rows.values()])
    outcome = Outcome(time=time, event=together["event"])
    q = up(raw, step)
    if kind == "log-time":  # what is 0 stands far below all others
        q = np.where(q == 0, 2.0**-40 * time[:, None], q)
    block = Block(q, levels, outcome, proportional=kind == "log-time")
    chosen = ADJUSTMENTS[kind]
    rule = chosen.choose_rule(censoring, None)
    rng = np.random.default_rng(0)
    return chosen.make([block], rule, rng, kaplan_meier="conformal")


def numbers(adjustment):
    return next(iter(adjustment.attributes().values()))

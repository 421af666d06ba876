"""One exact pass over the mass of the censored, against the same in DuckDB's SQL."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.scale_engines import reader_of
from benchmarks.simulate import LEVELS
from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.conformal.parts.partitions import Contributed
from consurv.conformal.quantile.brackets import Bracket
from consurv.distributed import frame_of

__all__ = ["mass_pass"]


def mass_pass(folder: Path) -> dict[str, Any]:
    """Return what one pass over the exact mass at all levels takes here and in DuckDB.

    The mass of the exact Kaplan–Meier rule at one score a level: events count if their
    score is below, censored subjects by S(t⁻)/S(c).
    """
    import duckdb

    table = pd.read_parquet(folder)
    q = np.exp(np.log(110) + 0.4 * table["x"].to_numpy())[:, None] * (
        -np.log(LEVELS)
    ) ** (1 / 1.3)
    rule = ADJUSTMENTS["time"].choose_rule("kaplan-meier", None)
    with frame_of(folder).subjects(reader_of(), verbose=False) as subjects:
        curve = subjects.outcomes.curve()
        referred = subjects.referring_to(curve, member=True)
        at = np.zeros(len(LEVELS))
        places = np.arange(len(LEVELS))
        question = Bracket(places, at - 1e-9, at, np.zeros(len(LEVELS)))
        began, cpu = time.perf_counter(), time.process_time()
        answer = referred.ask(Contributed(rule, (question,)))[1]
        ours = time.perf_counter() - began
        ours_cpu = time.process_time() - cpu
    mass = answer.law[:, 1, 0] + answer.law[:, 1, 1] * 2.0**-48
    wide = pd.DataFrame(q, columns=[f"q{i}" for i in range(len(LEVELS))])
    wide["time"], wide["event"] = table["time"], table["event"]
    wide["alive"] = curve.survival_at(table["time"].to_numpy())
    with TemporaryDirectory() as other:
        wide.to_parquet(f"{other}/q.parquet", index=False)
        base = duckdb.connect()
        base.execute("set threads=1")
        base.execute(f"create table people as from '{other}/q.parquet' where not event")
    last, end, left = curve.t_max, curve.t_end, curve.s_max
    steps = pd.DataFrame({"t": curve.times, "s": curve.survival})
    base.execute("create table km as select * from steps")
    began, cpu = time.perf_counter(), time.process_time()
    theirs = [
        base.execute(
            f"select sum(case when q{i} <= time then 1.0 else case when q{i} > {last} "
            f"then greatest(least(1 - q{i} / {end}, {left}), 0) else coalesce(s, 1.0) "
            f"end / alive end) from people asof left join km on q{i} > km.t"
        ).fetchall()[0][0]
        for i in range(len(LEVELS))
    ]
    sql, sql_cpu = time.perf_counter() - began, time.process_time() - cpu
    assert len(steps)
    off = np.abs(np.array(theirs, dtype=float) - mass).max() / len(table)
    return {
        "engine": "duckdb",
        "ours": ours,
        "ours_cpu": ours_cpu,
        "sql": sql,
        "sql_cpu": sql_cpu,
        "off": off,
    }

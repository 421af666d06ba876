"""What the cells say: coverage by model, and who is harmed at which size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from studies.figures.look import new_figure, save
from studies.whole.cell import CONTESTANTS

__all__ = ["by_model", "by_size", "by_truth", "picture", "rows_of"]

# Worse than raw by more than this, × 10³, is harm.
_HARM = 0.5
_LEAST = 200
_LOOKS = {"default": "#0072B2", "holdout": "#009E73", "0.1.0": "#E69F00"}


def rows_of(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row for each truth, size, model and contestant: means over seeds."""
    rows = []
    for record in records:
        truth, _, n = record["dataset"].partition("@")
        for name, scores in record["scores"].items():
            place = {"truth": truth, "n": int(n), "model": record["model"]}
            rows.append({**place, "contestant": name, **scores})
    keys = ["truth", "n", "model", "contestant"]
    return pd.DataFrame(rows).groupby(keys, sort=False).mean().reset_index()


def by_model(rows: pd.DataFrame) -> pd.DataFrame:
    """Return, from 200 subjects on, what intervals of 80 % cover, and errors."""
    return _covered(rows, "model")


def by_truth(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the same by truth: where most are censored late levels are unknown."""
    return _covered(rows, "truth")


def _covered(rows: pd.DataFrame, key: str) -> pd.DataFrame:
    some = rows[rows.n >= _LEAST]
    columns: dict[str, Callable[[pd.DataFrame], float]] = {
        "least coverage": lambda t: float(t.coverage.min()),
        "coverage": lambda t: float(t.coverage.mean()),
        "largest coverage": lambda t: float(t.coverage.max()),
        "marginal": lambda t: float(t.marginal.mean()),
        "by risk": lambda t: float(t.by_risk.mean()),
        "ISE": lambda t: float(t.ise.mean()),
    }
    return _table(some, [key, "contestant"], columns)


def by_size(rows: pd.DataFrame) -> pd.DataFrame:
    """Return errors over those of raw by size, and the share of pairs harmed."""
    raw = rows[rows.contestant == "raw"].set_index(["truth", "n", "model"])
    others = rows[rows.contestant != "raw"].copy()
    places = pd.MultiIndex.from_frame(others[["truth", "n", "model"]])
    for name in ("marginal", "ise"):
        others[f"raw {name}"] = raw[name].reindex(places).to_numpy()
    columns: dict[str, Callable[[pd.DataFrame], float]] = {
        "pairs": len,
        "marginal / raw": lambda t: _ratio(t, "marginal"),
        "ISE / raw": lambda t: _ratio(t, "ise"),
        "marginal harmed": lambda t: _harmed(t, "marginal"),
        "ISE harmed": lambda t: _harmed(t, "ise"),
        "worst marginal": lambda t: float((t.marginal - t["raw marginal"]).max()),
    }
    return _table(others, ["n", "contestant"], columns)


def _ratio(table: pd.DataFrame, name: str) -> float:
    return float(table[name].sum() / table[f"raw {name}"].sum())


def _harmed(table: pd.DataFrame, name: str) -> float:
    return float(np.mean(table[name] - table[f"raw {name}"] > _HARM))


def _table(
    rows: pd.DataFrame,
    keys: list[str],
    columns: Mapping[str, Callable[[pd.DataFrame], float]],
) -> pd.DataFrame:
    found = []
    for place, group in rows.groupby(keys, sort=False):
        named = dict(zip(keys, place, strict=True))
        found.append({**named, **{n: of(group) for n, of in columns.items()}})
    table = pd.DataFrame(found, columns=[*keys, *columns])
    order = ["raw", *CONTESTANTS]
    rank = table.contestant.map(order.index)
    return table.assign(rank=rank).sort_values([keys[0], "rank"]).drop(columns="rank")


def picture(sizes: pd.DataFrame, path: Path) -> Path:
    """Draw harm and error against the number of subjects."""
    with new_figure(8.6, 3.4) as figure:
        figure.set_layout_engine("constrained")
        left, right = figure.subplots(1, 2)
        for name, colour in _LOOKS.items():
            own = sizes[sizes.contestant == name].sort_values("n")
            look = {"color": colour, "marker": "o", "label": name}
            left.plot(own.n, 100 * own["ISE harmed"], **look)
            right.plot(own.n, own["ISE / raw"], **look)
        right.axhline(1, color="0.5", lw=0.8, ls="--")
        left.set_ylabel("pairs of truth and model harmed, %")
        right.set_ylabel("ISE over that of the raw model")
        for ax in (left, right):
            ax.set_xscale("log")
            ax.set_xlabel("subjects")
            ax.spines[["top", "right"]].set_visible(False)
        left.legend(frameon=False)
        return save(figure, path)

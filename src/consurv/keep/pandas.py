"""Series, tables and indexes of pandas, as other models hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]


def store(value: Any) -> Any:
    """Return values, labels and names; dates and categories have no plain form."""
    if isinstance(value, pd.MultiIndex):
        levels = [value.get_level_values(i).to_numpy() for i in range(value.nlevels)]
        return {"type": "multi", "levels": levels, "names": list(value.names)}
    if type(value) is pd.RangeIndex:
        parts = [value.start, value.stop, value.step]
        return {"type": "range", "parts": parts, "name": value.name}
    if type(value) is pd.Index:
        return {"type": "index", "values": value.to_numpy(), "name": value.name}
    if type(value) is pd.Series and isinstance(value.dtype, np.dtype):
        values = value.to_numpy()
        return {
            "type": "series",
            "values": values,
            "index": value.index,
            "name": value.name,
        }
    if type(value) is pd.DataFrame:
        columns = [value.iloc[:, i].to_numpy() for i in range(value.shape[1])]
        return {
            "type": "frame",
            "values": columns,
            "index": value.index,
            "columns": value.columns,
        }
    raise NotPlain(f"a pandas {type(value).__name__}")


def restore(state: Any) -> Any:
    """Return the Series, table or index."""
    return _MAKERS[state["type"]](state)


def _frame(state: Any) -> pd.DataFrame:
    columns = dict(enumerate(state["values"]))
    frame = pd.DataFrame(columns, index=state["index"])
    return frame.set_axis(state["columns"], axis=1)


_MAKERS = {
    "multi": lambda s: pd.MultiIndex.from_arrays(s["levels"], names=s["names"]),
    "range": lambda s: pd.RangeIndex(*s["parts"]).rename(s["name"]),
    "index": lambda s: pd.Index(s["values"], name=s["name"]),
    "series": lambda s: pd.Series(s["values"], index=s["index"], name=s["name"]),
    "frame": _frame,
}

"""GBSG: node-positive breast cancer, Rotterdam tumour bank and German trial."""

from __future__ import annotations

import numpy as np
import pandas as pd

from consurv.datasets.dataset import Dataset
from consurv.datasets.facts import Facts
from consurv.datasets.packaged import SURVIVAL, SURVIVAL_LICENCE, packaged_table

__all__ = ["GBSG", "load_gbsg"]

GBSG = Facts(
    "GBSG",
    n=2232,
    censored=43.23,
    n_features=(7,),
    source="rotterdam and gbsg of the survival package, by the rules of DeepSurv",
    licence=SURVIVAL_LICENCE,
    time_unit="months",
    place=SURVIVAL,
)

_FEATURES = ["hormon", "size", "meno", "age", "nodes", "pgr", "er"]
_DAYS_PER_MONTH = 30.4375
_LAST_MONTH = 84  # the Rotterdam follow-up is cut here
_SIZE_CODES = {"<=20": 0, "20-50": 1, ">50": 2}


def load_gbsg() -> Dataset:
    """Rebuild the GBSG data of the paper: recurrence or death, in months.

    The rows are the 1,546 node-positive patients of the Rotterdam tumour bank,
    followed by the 686 patients of the German Breast Cancer Study Group, with the
    rules of the DeepSurv project. In the Rotterdam part an event is dated at the time
    of recurrence even for a death without one. Tumour size is 0 up to 20 mm, 1 up to
    50 mm and 2 above.

    Examples
    --------
    >>> load_gbsg()
    Dataset('GBSG', n=2232, features=7, censored=43.23%)
    """
    rows = pd.concat([_rotterdam(), _german()], ignore_index=True)
    return GBSG.dataset(rows[_FEATURES], rows["time"], rows["event"])


def _rotterdam() -> pd.DataFrame:
    rows = packaged_table("rotterdam").query("nodes > 0")
    months = rows["rtime"] / _DAYS_PER_MONTH
    late = months > _LAST_MONTH
    return rows.assign(
        size=rows["size"].map(_SIZE_CODES),
        time=months.clip(upper=_LAST_MONTH),
        event=((rows["recur"] == 1) | (rows["death"] == 1)) & ~late,
    )


def _german() -> pd.DataFrame:
    rows = packaged_table("gbsg")
    return rows.assign(
        size=np.searchsorted([20, 50], rows["size"], side="left"),
        time=rows["rfstime"] / _DAYS_PER_MONTH,
        event=rows["status"] == 1,
    )

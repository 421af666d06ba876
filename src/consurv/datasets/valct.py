"""VALCT: the lung cancer trial of the US Veterans Administration."""

from __future__ import annotations

from consurv.datasets.base import Dataset
from consurv.datasets.packaged import packaged_dataset, packaged_table

__all__ = ["load_valct"]


def load_valct() -> Dataset:
    """Load the Veterans Administration lung cancer trial: death, in days.

    ``trt`` is 1 for the test chemotherapy and ``prior`` 1 for earlier therapy;
    ``celltype`` is text with four levels.

    Examples
    --------
    >>> load_valct()
    Dataset('VALCT', n=137, features=6, censored=6.57%)
    """
    rows = packaged_table("veteran")
    X = rows.drop(columns=["time", "status"]).assign(
        trt=rows["trt"] - 1, prior=rows["prior"] / 10
    )
    return packaged_dataset(
        "VALCT",
        X,
        rows["time"],
        rows["status"],
        source="veteran of the survival package",
        time_unit="days",
    )

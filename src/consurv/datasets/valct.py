"""VALCT: the lung cancer trial of the US Veterans Administration."""

from __future__ import annotations

from consurv.datasets.dataset import Dataset
from consurv.datasets.facts import Facts
from consurv.datasets.packaged import SURVIVAL, SURVIVAL_LICENCE, packaged_table

__all__ = ["VALCT", "load_valct"]

VALCT = Facts(
    "VALCT",
    n=137,
    censored=6.57,
    n_features=(6,),
    source="veteran of the survival package",
    licence=SURVIVAL_LICENCE,
    time_unit="days",
    place=SURVIVAL,
)


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
    return VALCT.dataset(X, rows["time"], rows["status"])

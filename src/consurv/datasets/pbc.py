"""PBC: the Mayo Clinic trial in primary biliary cirrhosis."""

from __future__ import annotations

from consurv.datasets.dataset import Dataset
from consurv.datasets.facts import Facts
from consurv.datasets.packaged import SURVIVAL, SURVIVAL_LICENCE, packaged_table

__all__ = ["PBC", "load_pbc"]

PBC = Facts(
    "PBC",
    n=418,
    censored=61.48,
    n_features=(17,),
    source="pbc of the survival package",
    licence=SURVIVAL_LICENCE,
    time_unit="days",
    place=SURVIVAL,
)


def load_pbc() -> Dataset:
    """Load the Mayo Clinic trial in primary biliary cirrhosis: death, in days.

    Transplanted patients are censored at the transplantation. ``sex`` is 1 for men,
    ``trt`` 0 for D-penicillamine and 1 for placebo; twelve features have missing
    values.

    Examples
    --------
    >>> load_pbc()
    Dataset('PBC', n=418, features=17, censored=61.48%)
    """
    rows = packaged_table("pbc")
    X = rows.drop(columns=["id", "time", "status"]).assign(
        trt=rows["trt"] - 1, sex=(rows["sex"] == "m").astype(float)
    )
    return PBC.dataset(X, rows["time"], rows["status"] == 2)

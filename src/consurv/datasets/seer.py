"""SEER: the user's own export of the US cancer registries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from consurv._registry import resolve
from consurv.datasets.dataset import Dataset
from consurv.datasets.facts import Facts
from consurv.datasets.files import read_rows
from consurv.datasets.places import OwnFile
from consurv.datasets.table import StrPath, pick_columns, split_outcome
from consurv.errors import InvalidInput

__all__ = ["SEER", "load_registered_seer", "load_seer"]

_MOST_UNKNOWN = 0.7
# How SEER*Stat writes that a value is not known, apart from an empty cell.
_UNKNOWN = r"(?i)(unknown|blank|not available|recode not available|n/?a\b).*"


_WAY = "sign the agreement at seer.cancer.gov and export the site with SEER*Stat"
_FILES = {site: OwnFile(f"SEER-{site}", _WAY) for site in ("brain", "liver", "stomach")}


def _facts(site: str, n: int, censored: float) -> Facts:
    return Facts(
        f"SEER-{site}",
        n,
        censored,
        source="the user's own SEER*Stat export",
        licence="SEER Research Data Use Agreement",
        time_unit="months",
        place=_FILES[site],
    )


SEER = {
    "brain": _facts("brain", 73703, 40.12),
    "liver": _facts("liver", 82841, 37.57),
    "stomach": _facts("stomach", 100360, 43.40),
}


def load_seer(
    path: StrPath, site: str, *, time: str = "Survival months", event: str = "event"
) -> Dataset:
    r"""Load a SEER*Stat export of one cancer site with the cleaning of the paper.

    In this order: columns with more than 70 % missing or unknown values are dropped,
    then patients without a time, then all but one of the records with the same
    features and outcome, then patients with time 0. A cell counts as unknown if it is
    empty or begins with "Unknown", "Blank", "N/A" or "Not available".

    All columns but time and event are features. The paper's are age, sex, behavior
    recode, combined summary stage, grade, RX summary, summary stage 2000, SEER
    historic stage A, derived AJCC T, N, M and stage group of the 6th edition and
    derived AJCC stage group of the 7th; leave the patient's number out of the export,
    or no record is the same as another.

    Parameters
    ----------
    path : path
        A .csv, .csv.gz or .parquet with a row per patient.
    site : {"brain", "liver", "stomach"}
    time, event : str
        The columns with the months and with 1 = death, 0 = censored.

    Raises
    ------
    InvalidInput
        If a column is missing, the outcomes cannot be used, or nothing is left.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "export.csv")
    ...     _ = path.write_text(
    ...         "Age,Survival months,event\n60,12,1\n60,12,1\n70,0,1\n80,3,0\n"
    ...     )
    ...     load_seer(path, "brain")
    Dataset('SEER-brain', n=2, features=1, censored=50.00%)
    """
    facts, source = resolve(SEER, site, "SEER site"), Path(path).name
    rows = read_rows(Path(path))
    pick_columns(rows, [time, event], source)
    known = rows.drop(columns=_mostly_unknown(rows.drop(columns=[time, event])))
    months = pd.to_numeric(known[time], errors="coerce")  # "Unknown" has no time
    known = known.assign(**{time: months})[months.notna()].drop_duplicates()
    known = known[known[time] > 0]
    if known.shape[1] < 3 or known.empty:
        raise InvalidInput(
            f"{source}: of {len(rows)} patients and {rows.shape[1] - 2} features the "
            f"cleaning left {len(known)} and {known.shape[1] - 2}; it drops columns "
            f"with over {_MOST_UNKNOWN:.0%} unknown values and patients without a time "
            f"> 0 in {time!r}"
        )
    X, y = split_outcome(known, time=time, event=event, source=source)
    return facts.dataset(X, y.time, y.event)


def load_registered_seer(site: str) -> Dataset:
    """Load SEER-*site*.csv of the folder CONSURV_DATA; see `load_seer`."""
    return load_seer(_FILES[site].require(), site)


def _mostly_unknown(features: pd.DataFrame) -> list[str]:
    return [str(name) for name in features if _unknown(features[name]) > _MOST_UNKNOWN]


def _unknown(column: pd.Series[Any]) -> float:
    unknown = column.isna()
    if not pd.api.types.is_numeric_dtype(column):
        unknown |= column.astype(str).str.fullmatch(_UNKNOWN)
    return float(unknown.mean())

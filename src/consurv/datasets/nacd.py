"""NACD: the Northern Alberta Cancer Dataset."""

from __future__ import annotations

from consurv.datasets.dataset import Dataset
from consurv.datasets.facts import Facts
from consurv.datasets.files import NO_LICENCE, read_rows
from consurv.datasets.places import FetchedFile
from consurv.datasets.table import pick_columns, split_outcome

__all__ = ["NACD", "load_nacd"]

_FILE = FetchedFile("NACD")
NACD = Facts(
    "NACD",
    n=2396,
    censored=36.44,
    n_features=(48,),
    source="Northern Alberta Cancer Dataset, as the project ISDEvaluation has it",
    licence=NO_LICENCE,
    time_unit="months",
    place=_FILE,
)
# They repeat other columns: the first two exactly, the last one almost.
_REPEATED = ["PERFORMANCE_STATUS", "STAGE_NUMERICAL", "AGE65"]
_OUTCOME = ["time", "delta"]


def load_nacd() -> Dataset:
    """Load the Northern Alberta Cancer Dataset: death, in months.

    The six patients with time 0 are left out, and so are three columns that repeat
    others. The symptoms are 0 and 1 here; the file writes yes as -1. Performance
    status and stage are one-hot with all levels kept. Nothing is missing.

    Examples
    --------
    >>> load_nacd()  # doctest: +SKIP
    Dataset('NACD', n=2396, features=48, censored=36.44%)
    """
    path = _FILE.require()
    rows = read_rows(path)
    pick_columns(rows, [*_OUTCOME, *_REPEATED], path.name)
    rows = rows[rows["time"] > 0].drop(columns=_REPEATED)
    X, y = split_outcome(rows, time="time", event="delta", source=path.name)
    symptoms = [name for name in X if X[name].isin([-1, 0]).all()]
    return NACD.dataset(X.assign(**-X[symptoms]), y.time, y.event)

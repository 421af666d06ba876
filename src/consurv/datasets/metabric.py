"""METABRIC: breast cancer with 79 clinical features."""

from __future__ import annotations

from consurv.datasets.dataset import Dataset
from consurv.datasets.facts import Facts
from consurv.datasets.files import NO_LICENCE, read_rows
from consurv.datasets.places import FetchedFile
from consurv.datasets.table import split_outcome

__all__ = ["METABRIC", "load_metabric"]

_FILE = FetchedFile("METABRIC")
METABRIC = Facts(
    "METABRIC",
    n=1981,
    censored=55.17,
    n_features=(79,),
    source="clinical table of DeepHit, as the project CensoredMAE has it",
    licence=NO_LICENCE,
    time_unit="days",
    place=_FILE,
)


def load_metabric() -> Dataset:
    """Load the METABRIC table of DeepHit: death, in days.

    Six features are numbers and 73 are one-hot already, all levels kept, so that each
    group of them adds up to 1. Missing values were imputed at the source. It is not
    the table of 1,904 patients and 9 features that DeepSurv and pycox have.

    Examples
    --------
    >>> load_metabric()  # doctest: +SKIP
    Dataset('METABRIC', n=1981, features=79, censored=55.17%)
    """
    path = _FILE.require()
    X, y = split_outcome(read_rows(path), time="time", event="delta", source=path.name)
    return METABRIC.dataset(X, y.time, y.event)

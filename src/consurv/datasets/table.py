"""The user's own tables: CSV or Parquet in, features and outcomes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from gzip import BadGzipFile
from os import PathLike
from pathlib import Path
from typing import Any
from zlib import error as ZlibError  # noqa: N812

import pandas as pd

from consurv._features import check_no_repeats
from consurv.errors import InvalidInput, MissingDependency
from consurv.outcome import Outcome

__all__ = [
    "StrPath",
    "check_no_repeats",
    "load_table",
    "pick_columns",
    "read_outcome",
    "read_table",
    "split_outcome",
    "table_suffix",
]

StrPath = str | PathLike[str]


def load_table(path: StrPath, *, time: str, event: str) -> tuple[pd.DataFrame, Outcome]:
    r"""Read a table of subjects from a CSV or Parquet file.

    Parameters
    ----------
    path : path
        Ends in .csv, .csv.gz, .parquet or .pq.
    time, event : str
        The columns that hold the outcomes; all others are features.

    Returns
    -------
    X : DataFrame
    y : Outcome

    Raises
    ------
    InvalidInput
        If the file is missing, empty or of another kind, a column is not there, or
        the outcomes cannot be used; the message names file, column and row.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "trial.csv")
    ...     _ = path.write_text("age,months,died\n61,3.5,1\n48,7,0\n")
    ...     X, y = load_table(path, time="months", event="died")
    >>> X.columns.tolist(), y
    (['age'], Outcome(n=2, events=1, last time=7))
    """
    return split_outcome(
        read_table(path), time=time, event=event, source=Path(path).name
    )


def read_table(path: StrPath, *, text: str | None = None) -> pd.DataFrame:
    r"""Read a CSV or Parquet file by its suffix; see `load_table`.

    A first column without a name is taken for row numbers and left out.

    Parameters
    ----------
    path : path
    text : str, optional
        A column whose cells are kept as a CSV has them: 00001 stays, and NA is a name;
        only an empty cell is missing. Parquet knows the type of its columns.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_text("age,time,event\n61,3.5,1\n48,7.0,0\n")
    ...     read_table(path)
       age  time  event
    0   61   3.5      1
    1   48   7.0      0
    """
    path = Path(path)
    reader = _READERS[table_suffix(path)]
    if not path.is_file():
        there = "is not a file" if path.exists() else "does not exist"
        raise InvalidInput(f"{path} {there}; give a .csv or .parquet file")
    frame = reader(path, text)
    if frame.empty:
        raise InvalidInput(f"{path} is empty: it has no rows of data")
    # In place: a frame of new names and rows would be a copy of all cells.
    frame.columns = frame.columns.map(str)
    frame.index = pd.RangeIndex(len(frame))
    check_no_repeats(frame.columns, str(path))
    return frame


def split_outcome(
    frame: pd.DataFrame, *, time: str, event: str, source: str = "the table"
) -> tuple[pd.DataFrame, Outcome]:
    """Part a table into features and outcomes.

    Parameters
    ----------
    frame : DataFrame
    time, event : str
        The columns that hold the outcomes; all others are features.
    source : str
        What the table is called in messages.

    Examples
    --------
    >>> frame = pd.DataFrame({"t": [3, 7], "d": [1, 0], "age": [61, 48]})
    >>> split_outcome(frame, time="t", event="d")[1]
    Outcome(n=2, events=1, last time=7)
    """
    outcome = read_outcome(frame, time=time, event=event, source=source)
    return frame.drop(columns=[time, event]), outcome


def read_outcome(
    frame: pd.DataFrame, *, time: str, event: str, source: str = "the table"
) -> Outcome:
    """Return the outcomes in a table; parameters as in `split_outcome`.

    Examples
    --------
    >>> frame = pd.DataFrame({"t": [3, 7], "d": [1, 0], "age": [61, 48]})
    >>> read_outcome(frame, time="t", event="d")
    Outcome(n=2, events=1, last time=7)
    """
    if time == event:
        raise InvalidInput(
            f"time and event are both {time!r}; they are two columns: when a subject "
            "was last seen, and whether the event happened then"
        )
    check_no_repeats(frame.columns, source)
    columns = pick_columns(frame, [time, event], source)
    try:
        return Outcome(time=columns[time], event=columns[event])
    except InvalidInput as error:
        raise InvalidInput(
            f"{source} (time={time!r}, event={event!r}): {error} "
            "(rows count from 0, without the header)"
        ) from error


def pick_columns(
    frame: pd.DataFrame, names: Sequence[str], source: str = "the table"
) -> pd.DataFrame:
    """Return the columns *names* in that order; the others are left aside.

    Raises
    ------
    InvalidInput
        If one is missing; the message lists the columns with a name like it.

    Examples
    --------
    >>> frame = pd.DataFrame({"Time": [3, 7], "event": [1, 0]})
    >>> pick_columns(frame, ["time"], "trial.csv")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: trial.csv lacks the column 'time'; did you mean \
'Time'? It has: Time, event
    """
    if list(names) == frame.columns.tolist():
        return frame.copy(deep=False)  # all of them: the same cells
    missing = [name for name in names if name not in frame.columns]
    if not missing:
        return frame[list(names)]
    close = [match for name in missing for match in _close(name, frame.columns)]
    hint = f"; did you mean {', '.join(map(repr, close))}?" if close else "."
    word = "column" if len(missing) == 1 else "columns"
    raise InvalidInput(
        f"{source} lacks the {word} {_listed(missing, repr)}{hint} "
        f"It has: {_listed(frame.columns, str)}"
    )


def table_suffix(path: StrPath) -> str:
    """Return the suffix that says how a table is stored, such as ".csv.gz".

    Examples
    --------
    >>> table_suffix("out/Curves.CSV.gz")
    '.csv.gz'
    """
    name = Path(path).name.lower()
    suffix = next((s for s in _READERS if name.endswith(s) and name != s), None)
    if suffix is None:
        raise InvalidInput(
            f"{path} is neither CSV nor Parquet by its name; it must end in one of: "
            f"{', '.join(_READERS)}"
        )
    return suffix


# What other programs put between cells: spreadsheets where numbers have commas.
_SEPARATORS = ";\t|"
# What reading a file that is no CSV, or is cut short, ends in.
_DAMAGED = (pd.errors.ParserError, UnicodeDecodeError, EOFError, BadGzipFile, ZlibError)


def _read_csv(path: Path, text: str | None) -> pd.DataFrame:
    # A converter sees cells before pandas looks for numbers and for missing values.
    verbatim = {} if text is None else {text: _or_none}
    try:
        _check_header(path)
        frame = pd.read_csv(path, low_memory=False, converters=verbatim)
    except pd.errors.EmptyDataError as error:
        raise InvalidInput(f"{path} is empty; give a table with a header") from error
    except _DAMAGED as error:
        remedy = ""
        if isinstance(error, UnicodeDecodeError):
            remedy = (
                "; if it is text in another encoding, read it by pandas.read_csv(path, "
                "encoding=...) and write it by to_csv(path, index=False), as UTF-8"
            )
        raise InvalidInput(f"{path} cannot be read as CSV: {error}{remedy}") from error
    if isinstance(frame.index, pd.MultiIndex) or (
        not isinstance(frame.index, pd.RangeIndex) and frame.iloc[:, -1].isna().all()
    ):  # one cell more may be a row's name; pandas moves all names otherwise
        raise InvalidInput(
            f"{path} has rows with more cells than its header has names; correct the "
            "header, or remove the commas that end the rows"
        )
    # What DataFrame.to_csv writes when the index is not left out.
    return frame.drop(columns=frame.columns[:1].intersection(["Unnamed: 0"]))


def _or_none(cell: str) -> str | None:
    return cell or None


def _check_header(path: Path) -> None:
    line = pd.read_csv(path, header=None, nrows=1, dtype=str, keep_default_na=False)
    names = line.iloc[0].tolist()
    _check_separator(names, path)
    # pandas would call the second of two columns "time" by another name, "time.1".
    check_no_repeats([name for name in names if name], str(path))


def _check_separator(names: list[str], path: Path) -> None:
    """Refuse a header in one piece, whatever the rows below it look like."""
    found = next((mark for mark in _SEPARATORS if mark in names[0]), None)
    if len(names) == 1 and found is not None:
        raise InvalidInput(
            f"{path} seems to have {found!r} between its cells, since its header is "
            f"{names[0]!r}; a CSV has commas there, and points in numbers. Read it by "
            f"pandas.read_csv(path, sep={found!r}), with decimal=',' if numbers have "
            "commas, and write it by to_csv(path, index=False)"
        )


def _read_parquet(path: Path, text: str | None) -> pd.DataFrame:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingDependency("pyarrow", "cli") from error
    try:
        check_no_repeats(parquet.read_schema(path).names, str(path))
        table = parquet.read_table(path, use_pandas_metadata=True)
        # Columns of Arrow's go as those of pandas come, and their memory to the system.
        frame: pd.DataFrame = table.to_pandas(self_destruct=True)
        del table
        pyarrow.default_memory_pool().release_unused()
        return frame
    except InvalidInput:
        raise
    # Damaged pages, and damaged notes of pandas.
    except (pyarrow.ArrowException, LookupError, OSError, ValueError) as error:
        words = " ".join(str(error).split())
        raise InvalidInput(f"{path} cannot be read as Parquet: {words}") from error


_READERS: dict[str, Callable[[Path, str | None], pd.DataFrame]] = {
    ".csv": _read_csv,
    ".csv.gz": _read_csv,
    ".parquet": _read_parquet,
    ".pq": _read_parquet,
}


def _close(name: str, columns: Sequence[str] | pd.Index[Any]) -> list[str]:
    by_lower = {column.lower(): column for column in columns}
    matches = get_close_matches(name.lower(), list(by_lower), n=3)
    return [by_lower[match] for match in matches]


def _listed(names: Any, show: Callable[[str], str], most: int = 12) -> str:
    shown = ", ".join(show(name) for name in list(names)[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")

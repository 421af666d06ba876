"""Tables in files, as people, spreadsheets and other programs write them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import strategies as st
from pyarrow import parquet

from consurv import Outcome
from consurv.datasets import TableEncoder, load_table
from tests.fuzz.damage import damaged
from tests.fuzz.invariants import check_outcome
from tests.fuzz.oracle import Fate, judge
from tests.fuzz.registry import Draw, target

ROWS = 12
TABLE = pd.DataFrame(
    {
        "age": np.arange(40, 40 + ROWS) + 0.5,
        "sex": ["f", "m"] * (ROWS // 2),
        "time": np.arange(1, ROWS + 1) * 1.5,
        "event": [1, 0, 1] * (ROWS // 3),
    }
)
CSV = TABLE.to_csv(index=False).encode()
CELLS = [
    "", "NA", "nan", "-", "unknown", "12 months", "1,5", "0", "-3", "1e400", "inf",
    "0x10", "=1+1", "2024-05-01", '"', "a\nb", "\u00b5", "1_000", "True",
]  # fmt: skip
NAMES = [
    "age",
    "time",
    "event",
    "sex",
    "",
    "Time",
    "time.1",
    "Unnamed: 0",
]


def _plain_rows(content: bytes) -> list[list[str]] | None:
    try:
        return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error):
        return None


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text.replace("_", "x"))))
    except ValueError:
        return False


def _check_read(content: bytes) -> Any:
    """Return a check that outcomes are those that a plain reader finds by name."""

    def check(result: tuple[pd.DataFrame, Outcome]) -> None:
        features, y = result
        check_outcome(y)
        assert features.columns.is_unique, features.columns.tolist()
        assert len(features) == len(y), "features and outcomes differ"
        rows = _plain_rows(content)
        if rows is None or '"' in content.decode(errors="replace"):
            return  # what quotes mean, readers disagree on
        header, *body = [row for row in rows if row]
        assert header.count("time") == header.count("event") == 1, header
        at = header.index("time")
        assert all(_is_number(row[at]) for row in body), "text taken for a time"
        found = [float(row[at]) for row in body]
        assert np.allclose(y.time, found, rtol=1e-15), (y.time, found)

    return check


@st.composite
def csv_files(draw: Any) -> tuple[str, bytes, Fate]:
    """Draw a CSV file with a name, a cell or some bytes that should not be there."""
    kind = draw(
        st.sampled_from(["bytes", "cell", "name", "order", "separator", "twice"])
    )
    if kind == "bytes":
        said, content = draw(damaged(CSV))
        return said, content, Fate.TAKEN if said == "no damage" else Fate.EITHER
    if kind == "cell":
        column = draw(st.sampled_from(list(TABLE.columns)))
        row, cell = draw(st.integers(0, ROWS - 1)), draw(st.sampled_from(CELLS))
        table = TABLE.astype(object)
        table.loc[row, column] = cell
        harmless = column == "event" and cell == "0"
        outcome = column in ("time", "event") and not harmless
        good = (column, cell) == ("event", "True")  # beside 0 and 1
        fate = Fate.REFUSED if outcome and not good else Fate.EITHER
        return f"{cell!r} in {column}", table.to_csv(index=False).encode(), fate
    if kind == "name":
        names = draw(st.lists(st.sampled_from(NAMES), min_size=4, max_size=4))
        body = CSV.partition(b"\n")[2]
        right = names.count("time") == names.count("event") == 1
        repeated = any(names.count(n) > 1 for n in names if n)
        ordered = right and names[2:] == ["time", "event"] and not repeated
        fate = Fate.TAKEN if ordered else Fate.EITHER if right else Fate.REFUSED
        if repeated:
            fate = Fate.REFUSED
        return f"names {names}", ",".join(names).encode() + b"\n" + body, fate
    if kind == "twice":
        name = draw(st.sampled_from(list(TABLE.columns)))
        wide = pd.concat([TABLE[[name]] + TABLE[[name]], TABLE], axis=1)
        return f"{name} twice", wide.to_csv(index=False).encode(), Fate.REFUSED
    if kind == "order":
        names = draw(st.permutations(list(TABLE.columns)))
        return f"order {names}", TABLE[names].to_csv(index=False).encode(), Fate.TAKEN
    mark = draw(st.sampled_from([";", "\t", "|", " "]))
    return (
        f"separator {mark!r}",
        TABLE.to_csv(index=False, sep=mark).encode(),
        Fate.EITHER,
    )


@target
def csv_table(draw: Draw) -> None:
    said, content, fate = draw(csv_files())
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_bytes(content)
        judge(
            "load_table(.csv)",
            said,
            fate,
            lambda: load_table(path, time="time", event="event"),
            _check_read(content),
        )


def _parquet_bytes(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


PLAIN = pa.Table.from_pandas(TABLE)
# Columns in the place of the time, as other programs may write them.
ODD_TIMES: dict[str, tuple[Any, Fate]] = {
    "the time": (PLAIN["time"], Fate.TAKEN),
    "float32": (PLAIN["time"].cast(pa.float32()), Fate.TAKEN),
    "decimals": (PLAIN["time"].cast(pa.decimal128(9, 3)), Fate.TAKEN),
    "a null": (pa.array([None, *TABLE["time"][1:]]), Fate.REFUSED),
    "text": (pa.array(TABLE["time"].astype(str)), Fate.REFUSED),
    "large text": (
        pa.array(TABLE["time"].astype(str), pa.large_string()),
        Fate.REFUSED,
    ),
    "dates": (pa.array(pd.date_range("2024", periods=ROWS)), Fate.REFUSED),
    "days": (pa.array(pd.date_range("2024", periods=ROWS).date), Fate.REFUSED),
    "durations": (pa.array(pd.to_timedelta(range(1, ROWS + 1), "D")), Fate.REFUSED),
    "lists": (pa.array([[v] for v in TABLE["time"]]), Fate.REFUSED),
    "structs": (pa.array([{"t": v} for v in TABLE["time"]]), Fate.REFUSED),
    "a dictionary": (PLAIN["time"].dictionary_encode(), Fate.EITHER),
    "bytes": (pa.array([b"1"] * ROWS), Fate.REFUSED),
    "nulls alone": (pa.nulls(ROWS), Fate.REFUSED),
    "negative": (pa.array(-TABLE["time"]), Fate.REFUSED),
    "unsigned": (pa.array(range(1, ROWS + 1), pa.uint64()), Fate.TAKEN),
}


@target
def parquet_table(draw: Draw) -> None:
    if draw(st.booleans()):
        said, content = draw(damaged(_parquet_bytes(PLAIN)))
        fate = Fate.TAKEN if said == "no damage" else Fate.EITHER
    else:
        said = draw(st.sampled_from(list(ODD_TIMES)))
        column, fate = ODD_TIMES[said]
        content = _parquet_bytes(PLAIN.set_column(2, "time", column))
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        path.write_bytes(content)
        judge(
            "load_table(.parquet)",
            said,
            fate,
            lambda: load_table(path, time="time", event="event"),
            lambda result: check_outcome(result[1]),
        )


AGES, DATES = TABLE["age"], pd.date_range("2024", periods=ROWS)
LISTS = pd.ArrowDtype(pa.list_(pa.int64()))
COLUMNS: dict[str, tuple[Any, Fate]] = {
    "numbers": (AGES, Fate.TAKEN),
    "whole numbers": (AGES.astype(int), Fate.TAKEN),
    "nullable": (AGES.astype("Float64"), Fate.TAKEN),
    "nullable with NA": (AGES.astype("Float64").mask(AGES > 50), Fate.TAKEN),
    "Arrow-backed": (AGES.astype("double[pyarrow]"), Fate.TAKEN),
    "Arrow-backed text": (TABLE["sex"].astype("string[pyarrow]"), Fate.TAKEN),
    "Arrow text": (TABLE["sex"].astype(pd.ArrowDtype(pa.string())), Fate.TAKEN),
    "Arrow bool": ((AGES > 45).astype("bool[pyarrow]"), Fate.TAKEN),
    "bool with NA": ((AGES > 45).astype("boolean").mask(AGES > 50), Fate.TAKEN),
    "gaps": (AGES.mask(AGES > 50), Fate.TAKEN),
    "gaps in text": (TABLE["sex"].mask(AGES > 50), Fate.TAKEN),
    "nothing": (AGES.mask(AGES > 0), Fate.TAKEN),
    "no text": (TABLE["sex"].mask(AGES > 0), Fate.TAKEN),
    "categories": (TABLE["sex"].astype("category"), Fate.TAKEN),
    "categories of numbers": (AGES.round(-1).astype("category"), Fate.TAKEN),
    "numbers as objects": (AGES.astype(object), Fate.TAKEN),
    "text and numbers": (AGES.astype(object).where(AGES > 41, "x"), Fate.EITHER),
    "decimals": (AGES.astype(pd.ArrowDtype(pa.decimal128(9, 2))), Fate.TAKEN),
    "infinite": (AGES.replace(40.5, np.inf), Fate.REFUSED),
    "huge": (AGES * 1e307, Fate.EITHER),
    "tiny": (AGES * 5e-324, Fate.EITHER),
    "complex": (AGES + 1j, Fate.REFUSED),
    "dates": (pd.Series(pd.date_range("2024", periods=ROWS)), Fate.REFUSED),
    "tz-aware": (pd.Series(DATES.tz_localize("UTC")), Fate.REFUSED),
    "differences": (pd.Series(pd.to_timedelta(range(ROWS), "D")), Fate.REFUSED),
    "periods": (pd.Series(pd.period_range("2024", periods=ROWS)), Fate.REFUSED),
    "intervals": (pd.Series(pd.interval_range(0, ROWS)), Fate.EITHER),
    "Arrow dates": (
        pd.Series(pd.date_range("2024", periods=ROWS)).astype("date32[pyarrow]"),
        Fate.REFUSED,
    ),
    "lists": (pd.Series([[i] for i in range(ROWS)]), Fate.REFUSED),
    "dicts": (pd.Series([{"a": i} for i in range(ROWS)]), Fate.REFUSED),
    "bytes": (pd.Series([b"f", b"m"] * (ROWS // 2)), Fate.EITHER),
    "objects": (pd.Series([slice(3)] * ROWS), Fate.EITHER),
    "Arrow lists": (
        pd.Series([[i] for i in range(ROWS)], dtype=LISTS),
        Fate.REFUSED,
    ),
    "sparse": (pd.Series(pd.arrays.SparseArray(AGES.to_numpy())), Fate.TAKEN),
}  # fmt: skip


@target
def encoder(draw: Draw) -> None:
    """A column beside an ordinary one, to learn from and to encode."""
    said = draw(st.sampled_from(list(COLUMNS)))
    column, fate = COLUMNS[said]
    frame = pd.DataFrame({"sex": TABLE["sex"], "odd": column})

    def check(values: pd.DataFrame) -> None:
        assert len(values) == ROWS
        assert np.isfinite(values.to_numpy()).all(), values

    judge(
        "TableEncoder.fit_transform",
        said,
        fate,
        lambda: TableEncoder().fit_transform(frame),
        check,
    )
    new = draw(st.sampled_from(list(COLUMNS)))
    frames = frame.assign(odd=AGES), frame.assign(odd=COLUMNS[new][0])
    judge(
        "TableEncoder.transform",
        new,
        Fate.EITHER,
        lambda: TableEncoder().fit(frames[0]).transform(frames[1]),
        check,
    )

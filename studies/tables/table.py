"""A table that is written the same every time: fixed digits, fixed order."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass

from studies.escape import cell
from studies.statistics import Interval

__all__ = ["PValue", "Table", "Value", "number_text"]


@dataclass(frozen=True)
class PValue:
    """A p-value, which is written shorter than other numbers."""

    value: float | None


Value = str | int | float | Interval | PValue | None

_NOTHING = "–"
_SMALLEST_P = 1e-4


@dataclass(frozen=True)
class Table:
    """Rows under named columns.

    Attributes
    ----------
    name : str
        Of its files.
    title, note : str
        What it shows, and how to read it.
    columns : tuple of str
    rows : tuple of tuple
        Text, numbers, intervals or ``None``.
    how : str
        How the numbers were made, for the file of the table; a report says it once.

    Examples
    --------
    >>> rows = (("PBC", Interval(0.0123456, 0.0012, 10)), ("GBM", None))
    >>> table = Table("t", "Title", "", ("dataset", "D-cal"), rows)
    >>> print(table.markdown())
    | dataset | D-cal |
    |---|---|
    | PBC | 0.01235 ± 0.00120 |
    | GBM | – |
    >>> print(table.csv().replace(chr(13), ""))
    dataset,D-cal,D-cal ±,D-cal seeds
    PBC,0.0123456,0.0012,10
    GBM,,,
    """

    name: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    how: str = ""

    def texts(self) -> list[list[str]]:
        """Return the rows as they are read."""
        return [[value_text(value) for value in row] for row in self.rows]

    def markdown(self) -> str:
        """Return the table alone in Markdown."""
        lines = [self.columns, ["---"] * len(self.columns), *self.texts()]
        written = [f"| {' | '.join(map(cell, line))} |" for line in lines]
        written[1] = f"|{'---|' * len(self.columns)}"
        return "\n".join(written)

    def csv(self) -> str:
        """Return the table as CSV; an interval takes three columns."""
        wide = {
            i
            for row in self.rows
            for i, value in enumerate(row)
            if isinstance(value, Interval)
        }
        file = io.StringIO()
        writer = csv.writer(file)
        header: list[str] = []
        for i, name in enumerate(self.columns):
            header += [name, f"{name} ±", f"{name} seeds"] if i in wide else [name]
        writer.writerow(header)
        for row in self.rows:
            cells: list[str] = []
            for i, value in enumerate(row):
                cells += _wide_cells(value) if i in wide else [_csv_cell(value)]
            writer.writerow(cells)
        return file.getvalue()


def number_text(value: float, decimals: int | None = None) -> str:
    """Write a number with four significant digits, or with *decimals*.

    Examples
    --------
    >>> number_text(0.0123456), number_text(1234.56), number_text(0.0)
    ('0.01235', '1235', '0')
    >>> number_text(1.2e-7), number_text(-0.5)
    ('1.2e-07', '−0.5000')
    """
    if value == 0:
        return "0"
    if decimals is None:
        decimals = _decimals(value)
    if decimals > 8:
        return f"{value:.2g}".replace("-", "−", value < 0)
    return f"{value:z.{decimals}f}".replace("-", "−")


def value_text(value: Value) -> str:
    """Write a value for readers."""
    if value is None:
        return _NOTHING
    if isinstance(value, Interval):
        return _interval_text(value)
    if isinstance(value, PValue):
        return _p_text(value.value)
    return number_text(value) if isinstance(value, float) else str(value)


def _decimals(value: float) -> int:
    return max(0, 3 - math.floor(math.log10(abs(value)))) if value else 4


def _interval_text(value: Interval) -> str:
    if value.half_width is None:
        return number_text(value.mean)
    largest = max(abs(value.mean), value.half_width)
    decimals = _decimals(largest)
    if decimals > 8:
        return f"{value.mean:.3g} ± {value.half_width:.2g}"
    return (
        f"{number_text(value.mean, decimals)} ± "
        f"{number_text(value.half_width, decimals)}"
    )


def _p_text(p: float | None) -> str:
    if p is None:
        return _NOTHING
    return "<0.0001" if p < _SMALLEST_P else f"{p:.4f}"


def _csv_cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, PValue):
        return "" if value.value is None else f"{value.value:.4g}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _wide_cells(value: Value) -> list[str]:
    if not isinstance(value, Interval):
        return [_csv_cell(value), "", ""]
    return [_csv_cell(value.mean), _csv_cell(value.half_width), str(value.n)]

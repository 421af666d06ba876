"""Outcomes and groups of the subjects of curve files, joined by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from consurv._warnings import warn
from consurv.cli.columns import Columns
from consurv.datasets.curve_files import CurveFile, ids_of
from consurv.datasets.table import pick_columns, read_table
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["Known", "groups_of"]

_OUTCOME = ["time", "event", "weight"]


@dataclass(frozen=True)
class Known:
    """What a table of outcomes tells, a row for each id."""

    table: pd.DataFrame
    source: str

    @classmethod
    def read(cls, path: Path, columns: Columns) -> Known:
        """Read the outcomes, with weights and groups where these are columns."""
        frame = read_table(path, text=columns.id)
        columns.check(frame, path.name)
        y = columns.outcome(frame, path.name)
        found = dict(zip(_OUTCOME, (y.time, y.event, y.weights), strict=True))
        table = pd.DataFrame(found, index=_unique_ids(frame, columns, path.name))
        if columns.groups is not None:
            table["group"] = frame[columns.groups].to_numpy()
        return cls(table, path.name)

    def outcome_of(self, file: CurveFile, name: str) -> Outcome:
        """Return the outcomes of the subjects of a file, in their order."""
        rows = _rows_of(self.table, file, (self.source, name))
        return Outcome(*(rows[part].to_numpy() for part in _OUTCOME))

    def outcome_if_known(self, file: CurveFile) -> Outcome | None:
        """Return the outcomes of new subjects if all are known."""
        n = int(file.ids.isin(self.table.index).sum())
        if n == len(file.ids):
            return self.outcome_of(file, "")
        if n:
            warn(
                f"{self.source} tells of {n} of the {len(file.ids)} new subjects; they "
                "are not scored",
                UserWarning,
            )
        return None

    def groups_of(self, file: CurveFile, name: str) -> Any:
        """Return the labels of the subjects of a file; None if there are no groups."""
        if "group" not in self.table:
            return None
        return _rows_of(self.table, file, (self.source, name))["group"].to_numpy()


def groups_of(path: Path, columns: Columns, file: CurveFile, name: str) -> Any:
    """Return the labels of the subjects of a file, told by a table of groups."""
    frame = read_table(path, text=columns.id)
    labels = pick_columns(frame, [str(columns.groups)], path.name)
    table = labels.set_axis(_unique_ids(frame, columns, path.name))
    return _rows_of(table, file, (path.name, name))[columns.groups].to_numpy()


def _unique_ids(frame: pd.DataFrame, columns: Columns, source: str) -> pd.Index[Any]:
    ids = ids_of(frame, str(columns.id), source)
    if not ids.is_unique:
        twice = ids[ids.duplicated()][0]
        raise InvalidInput(f"{source} has the id {twice!r} twice; give each once")
    return ids


def _rows_of(
    table: pd.DataFrame, file: CurveFile, names: Sequence[str]
) -> pd.DataFrame:
    lacking = file.ids.difference(table.index, sort=False)
    if len(lacking):
        raise InvalidInput(
            f"{names[0]} lacks {len(lacking)} of the {len(file.ids)} ids of "
            f"{names[1]}, the first {lacking[0]!r}; they must be written alike in both"
        )
    return table.loc[file.ids]

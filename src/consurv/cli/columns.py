"""What the columns of a user's tables mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from consurv.datasets.table import check_no_repeats, pick_columns, read_outcome
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns:
    """Which columns mean what; all others are features."""

    time: str
    event: str
    id: str | None = None
    drop: tuple[str, ...] = ()
    groups: str | None = None  # a feature, too, unless it is dropped
    weight: str | None = None

    def check(self, frame: pd.DataFrame, source: str) -> None:
        """Refuse columns that the table to train on lacks, or that mean two things."""
        check_no_repeats(frame.columns, source)
        # A misspelt one would stay a feature.
        pick_columns(frame, self.drop, source)
        outcome = {"--time": self.time, "--event": self.event}
        more = {"--weight": self.weight, "--groups": self.groups}
        for option, name in more.items():
            if name is None:
                continue
            pick_columns(frame, [name], source)
            others = {**outcome, **more, "--id": self.id}
            same = [o for o, n in others.items() if n == name and o != option]
            if same:
                raise InvalidInput(
                    f"{option} and {same[0]} are both {name!r}; give another column "
                    "to one of them"
                )

    def outcome(self, frame: pd.DataFrame, source: str) -> Outcome:
        """Return the outcomes in a table, with weights if these are a column."""
        y = read_outcome(frame, time=self.time, event=self.event, source=source)
        if self.weight is None:
            return y
        try:
            return y.weighted(pick_columns(frame, [self.weight], source)[self.weight])
        except InvalidInput as error:
            raise InvalidInput(
                f"{source} (weight={self.weight!r}): {error} "
                "(rows count from 0, without the header)"
            ) from error

    def groups_in(self, frame: pd.DataFrame) -> str | pd.Series[Any] | None:
        """Return the name of the groups, or the column if it is no feature."""
        if self.groups is None or self.groups not in self.drop:
            return self.groups
        return frame[self.groups]

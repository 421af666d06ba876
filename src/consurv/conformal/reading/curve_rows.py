"""Curves that are all that is known of a model: its rows are asked for by number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput

__all__ = ["CurveRows"]


class CurveRows:
    """A model that knows the curves of some subjects, and their numbers for features.

    Parameters
    ----------
    *parts : SurvivalCurves
        Subjects are numbered through all of them.

    Examples
    --------
    >>> rows = CurveRows(SurvivalCurves([1.0, 2.0], [[0.5, 0.2], [0.9, 0.4]]))
    >>> rows.predict_survival_function(rows.numbers(0)[1:]).survival
    array([[1. , 0.9, 0.4]])
    """

    def __init__(self, *parts: SurvivalCurves) -> None:
        self._parts = parts
        self._ends = np.cumsum([0, *(len(part) for part in parts)])

    def numbers(self, part: int) -> Float:
        """Return the rows (n, 1) that stand for the subjects of a part."""
        return np.arange(self._ends[part], self._ends[part + 1], dtype=float)[:, None]

    def predict_survival_function(self, X: Any) -> SurvivalCurves:
        """Return the curves of subjects of one part."""
        if not self._parts:
            raise InvalidInput(
                "of this model only curves were known; give calibrate(curves) those of "
                "new subjects"
            )
        rows = np.asarray(X, dtype=np.intp)[:, 0]
        part = int(np.searchsorted(self._ends, rows[0], side="right")) - 1
        inside = (rows >= self._ends[part]) & (rows < self._ends[part + 1])
        if not inside.all():
            raise InvalidInput("ask for the curves of one part at a time")
        return self._parts[part][rows - self._ends[part]]

    def to_kept(self) -> dict[str, Any]:
        """Return nothing, for a file: an adjustment needs the curves no more."""
        return {}

    @classmethod
    def from_kept(cls, state: Mapping[str, Any]) -> CurveRows:
        """Return one that knows nobody."""
        return cls()

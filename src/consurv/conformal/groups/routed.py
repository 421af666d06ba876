"""Rows to the adjustments of their groups, and back in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consurv._checks import Index, check_same_length
from consurv.conformal.adjustments.adjust import AdjustedCurves
from consurv.conformal.groups.groups import Groups
from consurv.conformal.reading.raw_model import RawModel, rows_of
from consurv.curves.curves import SurvivalCurves

if TYPE_CHECKING:
    from consurv.conformal.adjustments.adjustment import Adjustment

__all__ = ["Routed"]

Seed = int | np.random.Generator | None


@dataclass(frozen=True)
class Routed:
    """An adjustment for rows whose groups are known, one pass for each group.

    Parameters
    ----------
    pooled : Adjustment
    groups : Groups
    codes : ndarray of int of shape (n,)
        The group of each row; −1 where it is the pooled adjustment.
    """

    pooled: Adjustment
    groups: Groups
    codes: Index

    def predict(
        self, raw: RawModel, X: Any, random_state: Seed = None
    ) -> AdjustedCurves:
        """Return the adjusted curves of new subjects."""
        return self._join(
            lambda adjustment, rows: adjustment.predict(
                raw.of_rows(rows), rows_of(X, rows), random_state
            )
        )

    def apply_to(
        self, curves: SurvivalCurves, random_state: Seed = None
    ) -> AdjustedCurves:
        """Return adjusted curves from raw curves."""
        check_same_length(curves=len(curves), groups=len(self.codes))
        return self._join(
            lambda adjustment, rows: adjustment.apply_to(curves[rows], random_state)
        )

    def take(self, rows: slice) -> Routed:
        """Return the same for some of the rows."""
        return replace(self, codes=self.codes[rows])

    def _join(
        self, adjust: Callable[[Adjustment, Any], AdjustedCurves]
    ) -> AdjustedCurves:
        found = [(rows, adjust(adjustment, rows)) for adjustment, rows in self._parts()]
        if len(found) == 1:
            return found[0][1]
        order = np.argsort(np.concatenate([rows for rows, _ in found]))
        return AdjustedCurves.concatenate([curves for _, curves in found])[order]

    def _parts(self) -> Iterator[tuple[Adjustment, Any]]:
        present = np.unique(self.codes).tolist() or [-1]  # no rows: one empty part
        for code in present:
            member = self.groups.members[code] if code >= 0 else None
            one = len(present) == 1
            rows = slice(0, len(self.codes)) if one else self._rows(code)
            yield self.pooled if member is None else member, rows

    def _rows(self, code: int) -> Index:
        return np.flatnonzero(self.codes == code)

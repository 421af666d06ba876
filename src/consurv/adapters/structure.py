"""Proportional hazards of other libraries, and a look whether they are that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import Proportional, Steps

__all__ = ["agrees", "proportional"]

# Rows of a model's own table that its structure is compared with.
_COMPARED_ROWS = 3
_TOLERANCE = 1e-9


def proportional(
    baselines: Sequence[Steps], log_risk: Float, stratum: NDArray[np.intp] | None = None
) -> SurvivalCurves | None:
    """Return curves of proportional hazards; None if a number is missing."""
    missing = any(np.isnan(steps.log_hazard).any() for steps in baselines)
    if missing or not np.isfinite(log_risk).all():
        return None
    return SurvivalCurves._of(Proportional(baselines, log_risk, stratum))


def agrees(
    curves: SurvivalCurves,
    table: Callable[[slice], SurvivalCurves],
    tolerance: float = _TOLERANCE,
) -> bool:
    """Say whether curves are those of the model's own table, by its first rows.

    A library may change what its numbers mean, and a subclass may predict in a way of
    its own: then the table is right.

    Examples
    --------
    >>> curves = SurvivalCurves([1.0, 2.0], [[0.5, 0.2]], "step")
    >>> agrees(curves, lambda rows: curves)
    True
    """
    rows = slice(0, _COMPARED_ROWS)
    ours, theirs = curves[rows], table(rows)
    if not np.array_equal(ours.times, theirs.times):
        return False
    return np.allclose(ours.survival, theirs.survival, rtol=0, atol=tolerance)

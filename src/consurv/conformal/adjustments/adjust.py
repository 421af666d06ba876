"""From percentile times and shifts to adjusted survival curves. Arrays only."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Bool, Float, as_floats
from consurv.curves.curves import SurvivalCurves
from consurv.curves.nodes import Nodes
from consurv.curves.rearrange import (
    as_percentile_times,
    crossing_rows,
    rearrange_in_place,
)
from consurv.curves.search import row_blocks
from consurv.errors import InvalidInput

__all__ = ["AdjustedCurves", "adjust", "curves_through"]


class AdjustedCurves(SurvivalCurves):
    """Survival curves that say which of them the adjustment had to repair.

    ``adjust`` makes them. They are linear between their percentile times; slices
    carry the two masks along. Curves that did not come from ``adjust`` count as
    neither rearranged nor clipped.

    Attributes
    ----------
    rearranged : array of bool of shape (n,)
        Rows whose adjusted percentile times crossed and were made monotone. The
        theorem that the order of subjects is kept does not cover them.
    clipped : array of bool of shape (n,)
        Rows with an adjusted percentile time below 0, which was set to 0. Clipping
        can make ties, not turn an order round.

    Examples
    --------
    >>> curves = adjust([[3, 9], [1, 7]], [0.75, 0.25], shifts=[2, 1])
    >>> curves
    AdjustedCurves(n=2, levels=2, rearranged=0, clipped=1)
    >>> curves[1:].clipped
    array([ True])
    """

    rearranged: Bool
    clipped: Bool

    def __init__(
        self, times: ArrayLike, survival: ArrayLike, interpolation: str = "linear"
    ) -> None:
        super().__init__(times, survival, interpolation)
        self._mark_none()

    @classmethod
    def _from_nodes(cls, nodes: Nodes) -> Self:
        curves = super()._from_nodes(nodes)
        curves._mark_none()
        return curves

    def _mark_none(self) -> None:
        none = np.zeros(len(self), dtype=np.bool_)
        self._store(rearranged=none, clipped=none)

    def _take(self, rows: Any) -> Self:
        part = super()._take(rows)
        part._store(rearranged=self.rearranged[rows], clipped=self.clipped[rows])
        return part

    @property
    def n_rearranged(self) -> int:
        """Number of rows that were rearranged."""
        return int(np.count_nonzero(self.rearranged))

    @property
    def n_clipped(self) -> int:
        """Number of rows that were clipped at 0."""
        return int(np.count_nonzero(self.clipped))

    def __repr__(self) -> str:
        return (
            f"AdjustedCurves(n={len(self)}, levels={self.survival.shape[1] - 1}, "
            f"rearranged={self.n_rearranged}, clipped={self.n_clipped})"
        )


def adjust(
    percentile_times: ArrayLike,
    levels: ArrayLike,
    shifts: ArrayLike,
    *,
    rearrange: str = "exact",
    random_state: int | np.random.Generator | None = None,
) -> AdjustedCurves:
    """Shift percentile times and put the survival curves back together.

    The adjusted percentile times are q'(ρ) = q(ρ) − b(ρ), clipped at 0 and, in rows
    where they cross, made monotone. With (0, 1) they are the nodes of a linear curve,
    which past its lowest level follows the line through (0, 1) and its last node.

    All subjects move by the same b(ρ), so the order of their percentile times at a
    level of the grid is kept (clipping can make ties), and that of their means; not
    so for rows that were rearranged, and not for survival at a fixed time.

    Parameters
    ----------
    percentile_times : array-like of shape (n, p)
        q(ρ | x) of each subject. Rows may cross and may be negative, as a quantile
        regression gives them; +inf stays +inf.
    levels : array-like of shape (p,)
        The levels that columns and shifts belong to, in any order.
    shifts : array-like of shape (p,)
        b(ρ), from ``conformal_shifts``.
    rearrange : {"exact", "bootstrap", "ceil", "floor"}
        How crossing rows are made monotone, see `consurv.curves.rearrange`.
    random_state : int, numpy.random.Generator or None
        Seed of ``rearrange="bootstrap"``.

    Returns
    -------
    AdjustedCurves
        Survival curves with the masks ``rearranged`` and ``clipped``.

    Raises
    ------
    InvalidInput
        If shapes do not fit, or a value is NaN, -inf or (a shift) infinite.

    Examples
    --------
    >>> curves = adjust([[3, 6, 9]], [0.75, 0.5, 0.25], shifts=[1, 1, -1])
    >>> curves.percentile_times([0.75, 0.5, 0.25])
    array([[ 2.,  5., 10.]])
    >>> curves.n_rearranged, curves.n_clipped
    (0, 0)
    """
    raw, grid = as_percentile_times(percentile_times, levels)
    order: Any = np.argsort(-grid)
    if (grid[1:] > grid[:-1]).all():  # as the levels of models come
        order = slice(None, None, -1)
    grid, shift = grid[order], _check_shifts(shifts, grid.size)[order]
    nodes = np.zeros((len(raw), grid.size + 1))
    for rows in row_blocks(*nodes.shape):
        np.subtract(raw[rows][:, order], shift, out=nodes[rows, 1:])
    return curves_through(nodes, grid, rearrange, random_state)


def curves_through(
    nodes: Float,
    levels: Float,
    rearrange: str,
    random_state: int | np.random.Generator | None,
) -> AdjustedCurves:
    """Return the curves of adjusted percentile times, clipped and rearranged.

    Parameters
    ----------
    nodes : ndarray of shape (n, p + 1)
        A column of zeros, where curves begin, then the times at falling levels. They
        are changed in place: the matrix is held once.
    levels : ndarray of shape (p,)
    rearrange, random_state
        As in ``adjust``.
    """
    times = nodes[:, 1:]
    clipped = np.empty(len(nodes), dtype=np.bool_)
    for rows in row_blocks(*nodes.shape):
        part = times[rows]
        np.any(part < 0, axis=1, out=clipped[rows])
        if clipped[rows].any():
            np.maximum(part, 0.0, out=part)
    rearranged = crossing_rows(times, levels)
    rearrange_in_place(
        times, levels, np.flatnonzero(rearranged), rearrange, random_state
    )
    survival = np.broadcast_to(np.concatenate(([1.0], levels)), nodes.shape)
    curves = AdjustedCurves._trusted(nodes, survival, "linear")
    curves._store(rearranged=rearranged, clipped=clipped)
    return curves


def _check_shifts(shifts: ArrayLike, n_levels: int) -> Float:
    shift: Float = as_floats(shifts, "shifts")
    if shift.size != n_levels:
        raise InvalidInput(
            f"shifts has {shift.size} values but there are {n_levels} levels; give "
            "one shift for each level"
        )
    return shift

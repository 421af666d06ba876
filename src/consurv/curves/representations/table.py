"""Curves as a table of nodes: what any model can give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.curves import interpolate, percentiles
from consurv.curves._mean_nodes import mean_of_nodes
from consurv.curves.conditional import as_linear, condition
from consurv.curves.nodes import Nodes
from consurv.curves.representations.representation import Representation, frozen
from consurv.errors import InvalidInput

__all__ = ["Table", "check_count", "join_nodes"]


class Table(Representation):
    """Nodes on a shared grid or on one grid for each subject.

    Past its last node a curve follows the line through (0, 1) and that node.

    Examples
    --------
    >>> nodes = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "linear")
    >>> Table(nodes).percentile_times(np.array([0.75, 0.25]))
    array([[2., 6.]])
    """

    is_table = True

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = Nodes(*map(frozen, nodes))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._nodes = Nodes(*map(frozen, state["_nodes"]))

    def __len__(self) -> int:
        return len(self._nodes.survival)

    @property
    def interpolation(self) -> str:  # type: ignore[override]
        """How the nodes are joined."""
        return self._nodes.interpolation

    @property
    def times(self) -> Float:
        """The node times."""
        return self._nodes.times

    @property
    def n_nodes(self) -> int:
        """Number of nodes of a curve."""
        return int(self._nodes.survival.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the stored probabilities."""
        return self._nodes.survival.dtype

    @property
    def last_time(self) -> Float:
        """The time of the last node."""
        return np.broadcast_to(self._nodes.times[..., -1], len(self))

    def last_survival(self) -> Float:
        """Return the survival at the last node."""
        return self._nodes.survival[:, -1].astype(np.float64)

    def take(self, rows: Any) -> Self:
        """Return some subjects."""
        return type(self)(self._nodes.take(rows))

    def nodes(self) -> Nodes:
        """Return the table itself."""
        return self._nodes

    def survival_at(self, times: Float) -> Float:
        """Return the survival (n, m) at times (m,) or (n, m)."""
        return interpolate.survival_at(self._nodes, times)

    def survival_before(self, time: Float) -> Float:
        """Return S(t⁻) (n,) at one time > 0 for each curve."""
        if self._nodes.interpolation == "pchip":  # it drops nowhere
            return super().survival_before(time)
        index = interpolate.index_before(self._nodes, time)
        return interpolate.survival_before(self._nodes, time, index)

    def percentile_times(self, levels: Float) -> Float:
        """Return q(ρ) (n, p) at levels (p,) or (n, p)."""
        return percentiles.percentile_times(self._nodes, levels)

    def area(self, start: Float, stop: Float) -> Float:
        """Return the areas (n,) between *start* and *stop*."""
        until = interpolate.area_until(self._nodes, stop)
        if not start.any():
            return until
        return until - interpolate.area_until(self._nodes, start)

    def given(self, time: Float) -> Table:
        """Return the exact nodes of the conditional curves."""
        return Table(condition(self._nodes, time))

    def mean_survival(self, times: Float) -> Float:
        """Return the mean over the subjects at common times (m,)."""
        return mean_of_nodes(self._nodes, times)

    @classmethod
    def join(cls, parts: Sequence[Representation]) -> Table:
        """Return the table of all subjects, whatever form the parts have."""
        return cls(join_nodes((part.nodes() for part in parts), sum(map(len, parts))))


def join_nodes(parts: Iterable[Nodes], n: int) -> Nodes:
    """Join the *n* curves of all parts; only one part is held beside the result.

    That holds for parts that are alike. If they have other grids, each subject gets
    a grid of its own, where short ones repeat their last node; steps become vertical
    drops where others are linear.

    Examples
    --------
    >>> part = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "linear")
    >>> join_nodes([part, part], 2).survival.tolist()
    [[1.0, 0.5], [1.0, 0.5]]
    """
    iterator = iter(parts)
    first = next(iterator)
    joined = Nodes(
        first.times if first.times.ndim == 1 else _rows(n, first.times),
        _rows(n, first.survival),
        first.interpolation,
        None if first.rates is None else _rows(n, first.rates),
    )
    end = _fill(joined, first, 0)
    for part in iterator:
        if not _are_alike(first, part):
            before = joined.take(slice(0, end))
            unlike = _join_unlike([before, part, *iterator])
            check_count(len(unlike.survival), n)
            return unlike
        if end + len(part.survival) > n:
            check_count(end + len(part.survival), n)
        end = _fill(joined, part, end)
    check_count(end, n)
    return joined


def check_count(found: int, n: int | None) -> None:
    """Refuse parts that do not hold the *n* subjects that were announced."""
    if n is not None and found != n:
        raise InvalidInput(
            f"n={n} subjects were announced and the parts hold {found}; give the right "
            "n or none"
        )


def _rows(n: int, like: NDArray[Any]) -> NDArray[Any]:
    return np.empty((n, like.shape[1]), like.dtype)


def _fill(joined: Nodes, part: Nodes, start: int) -> int:
    """Copy a part to its rows and return where they end."""
    rows = slice(start, start + len(part.survival))
    joined.survival[rows] = part.survival
    if joined.times.ndim == 2:
        joined.times[rows] = part.times
    if joined.rates is not None:
        joined.rates[rows] = part.rates
    return rows.stop


def _are_alike(first: Nodes, part: Nodes) -> bool:
    if first.interpolation != part.interpolation:
        return False
    if (first.rates is None) != (part.rates is None):
        return False
    if first.survival.dtype != part.survival.dtype:
        return False
    if first.times.ndim == 2:
        return part.times.shape[1:] == first.times.shape[1:]
    return first.times is part.times or np.array_equal(first.times, part.times)


def _join_unlike(parts: Sequence[Nodes]) -> Nodes:
    kinds = {part.interpolation for part in parts}
    if "pchip" in kinds:
        raise InvalidInput(
            "curves with interpolation='pchip' can only be joined with others of the "
            "same grid; read all at common times first: SurvivalCurves(times, "
            "curves.survival_at(times))"
        )
    if len(kinds) > 1:
        parts = [as_linear(p) if p.interpolation == "step" else p for p in parts]
    width = max(part.survival.shape[1] for part in parts)
    times = [np.broadcast_to(part.times, part.survival.shape) for part in parts]
    return Nodes(
        np.concatenate([_widen(part, width) for part in times]),
        np.concatenate([_widen(part.survival, width) for part in parts]),
        parts[0].interpolation,
    )


def _widen(rows: NDArray[Any], width: int) -> NDArray[Any]:
    """Repeat the last column, which changes no curve."""
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), mode="edge")

"""Joining the curves of several parts, without a table where their form allows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from consurv.curves.nodes import Nodes
from consurv.curves.representations.base import Representation
from consurv.curves.representations.table import Table, join_nodes
from consurv.errors import InvalidInput

__all__ = ["joined"]


def joined(parts: Iterable[Representation], n: int | None = None) -> Representation:
    """Return the curves of all parts in order.

    Parameters
    ----------
    parts : iterable of Representation
    n : int, optional
        Number of all subjects; with it, tables are copied as they come.

    Examples
    --------
    >>> import numpy as np
    >>> part = Table(Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "linear"))
    >>> len(joined([part, part]))
    2
    """
    iterator = iter(parts)
    first = next(iterator, None)
    if first is None:
        raise InvalidInput("there are no curves to join; give at least one part")
    if len(first) == n:
        return _only(first, iterator)
    if first.is_table and n is not None:
        return Table(join_nodes(_nodes(chain([first], iterator)), n))
    every = [first, *iterator]
    if len(every) == 1:
        return first
    kinds = {type(part) for part in every}
    form = kinds.pop().join(every) if len(kinds) == 1 else None
    return Table.join(every) if form is None else form


def _only(first: Representation, rest: Iterator[Representation]) -> Representation:
    for _ in rest:  # the caller is told of every part, also of empty ones
        pass
    return first


def _nodes(parts: Iterable[Representation]) -> Iterator[Nodes]:
    return (part.nodes() for part in parts)

"""Joining the curves of several parts, without a table where their form allows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from consurv.curves.nodes import Nodes
from consurv.curves.representations.representation import Representation, join_alike
from consurv.curves.representations.table import Table, check_count, join_nodes
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
    if first.is_table and n is not None and len(first) < n:
        return Table(join_nodes(_nodes(chain([first], iterator)), n))
    every = [first, *iterator]
    form = first if len(every) == 1 else _joined(every)
    check_count(len(form), n)
    return form


def _joined(parts: Sequence[Representation]) -> Representation:
    form = join_alike(parts)
    return Table.join(parts) if form is None else form


def _nodes(parts: Iterable[Representation]) -> Iterator[Nodes]:
    return (part.nodes() for part in parts)

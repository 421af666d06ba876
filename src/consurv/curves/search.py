"""Row-wise binary search and gathering, shared by the kernels on curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float

__all__ = ["Index", "last_index", "pick", "places_in", "row_blocks"]

Index = NDArray[np.intp]

# Entries of the widest array of a block: with 2**16 of them (half a megabyte) the
# rows that are searched and the temporaries stay in the cache of one core.
_BLOCK_ENTRIES = 2**16
# So many queries are worth to be put in order.
_MANY = 2**10


def row_blocks(n_rows: int, width: int) -> Iterator[slice]:
    """Cut *n_rows* rows of *width* entries into blocks that fit in the cache.

    Examples
    --------
    >>> list(row_blocks(5, 2**15))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, _BLOCK_ENTRIES // max(width, 1))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def last_index(
    nodes: Float, values: Float, holds: Callable[..., NDArray[Any]]
) -> Index:
    """Return the last column of each row where ``holds(node, value)`` is true.

    Parameters
    ----------
    nodes : array of shape (n, k)
        C-contiguous. In each row the comparison holds for column 0 and, once it
        fails, fails for all later columns.
    values : array of shape (m,) or (n, m)
        What to look for, the same in every row or one set per row.
    holds : numpy comparison that takes ``out``
        For example ``np.less_equal`` on rising times, ``np.greater`` on falling
        survival.

    Returns
    -------
    array of shape (n, m)

    Examples
    --------
    >>> times = np.array([[0.0, 1.0, 2.0], [0.0, 5.0, 6.0]])
    >>> last_index(times, np.array([1.0, 5.5]), np.less_equal)
    array([[1, 2],
           [0, 1]])
    """
    n, k = nodes.shape
    shape = (n, values.shape[-1])
    # Everything is flat, so that each step is a few passes without broadcasting.
    wanted = np.ascontiguousarray(np.broadcast_to(values, shape)).ravel()
    flat = nodes.ravel()
    starts = np.repeat(np.arange(n) * k, shape[1])
    found = starts.copy()
    jump, node = np.empty_like(found), np.empty_like(wanted)
    hit = np.empty(wanted.size, dtype=np.bool_)
    left = k
    # Every search takes the same number of steps, whatever the data: no branches.
    while left > 1:
        half = left >> 1
        # Always inside the array; "clip" only spares numpy a checking pass.
        np.take(flat[half:], found, out=node, mode="clip")
        holds(node, wanted, out=hit)
        np.multiply(hit, half, out=jump)
        np.add(found, jump, out=found)
        left -= half
    found -= starts
    return found.reshape(shape)


def pick(array: Float, index: Index) -> Float:
    """Gather columns: ``array[..., index]``, with a row of *index* for each row.

    Parameters
    ----------
    array : array of shape (k,) or (n, k)
        One row for all, or one per subject (C-contiguous).
    index : array of shape (m,) or (n, m)

    Returns
    -------
    array of shape (m,) or (n, m)

    Examples
    --------
    >>> pick(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1], [0]]))
    array([[2.],
           [3.]])
    """
    if array.ndim == 1:
        return array.take(index)
    if index.ndim == 1:
        return array.take(index, axis=1)
    n, k = array.shape
    gathered: Float = array.ravel().take(index + (np.arange(n) * k)[:, None])
    return gathered


def places_in(table: Float, x: Float, side: Any = "left") -> Index:
    """Return what ``np.searchsorted`` does, sooner where queries are many.

    Put in order, close ones look at the same entries, which are in the cache then.

    Examples
    --------
    >>> places_in(np.array([1.0, 2.0]), np.array([[2.5, 0.5], [1.0, 2.0]]))
    array([[2, 0],
           [0, 1]])
    """
    if x.size < _MANY or len(table) < _MANY:
        return np.searchsorted(table, x, side=side)
    flat = x.ravel()
    order, places = np.argsort(flat), np.empty(x.size, dtype=np.intp)
    places[order] = np.searchsorted(table, flat[order], side=side)
    return places.reshape(x.shape)

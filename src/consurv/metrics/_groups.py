"""Groups of subjects with similar predictions, equal ones never split."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float, Index

__all__ = ["group_bounds"]


def group_bounds(ascending: Float, n_groups: int, weight: Float | None = None) -> Index:
    """Return where groups of similar size start in sorted values, and n at the end.

    Equal values are never split, so that the order of the rows does not matter: all of
    them go to the group in which the middle of their run lies. Groups that stay empty
    are left out.

    Parameters
    ----------
    ascending : array of shape (n,)
        Infinite values are allowed and equal to each other.
    n_groups : int
        At most n.
    weight : array of shape (n,), optional
        What each subject counts towards the size of its group.

    Returns
    -------
    array of shape (k + 1,), k ≤ n_groups

    Examples
    --------
    >>> group_bounds(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 2)
    array([0, 3, 5])
    >>> group_bounds(np.array([1.0, 3.0, 3.0, 3.0, 3.0]), 2)
    array([0, 1, 5])
    """
    n = ascending.size
    ends = np.arange(n + 1) if weight is None else np.append(0.0, np.cumsum(weight))
    size, extra = divmod(ends[-1], n_groups)
    # The first groups are one larger where n is no multiple, as np.array_split cuts.
    wanted = np.arange(1, n_groups)
    wanted = wanted * size + np.minimum(wanted, extra)
    runs = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
    middles = (ends[runs] + ends[np.append(runs[1:], n)]) / 2
    # The first run whose middle is not before the wanted bound starts the group.
    place = np.searchsorted(middles, wanted, side="left")
    bounds = np.unique(np.concatenate([[0], np.append(runs, n)[place], [n]]))
    return bounds.astype(np.int64)

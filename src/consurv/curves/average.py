"""The mean curve of many subjects."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float
from consurv.curves.curves import SurvivalCurves
from consurv.curves.invariants import check_times
from consurv.curves.search import row_blocks
from consurv.errors import InvalidInput

__all__ = ["mean_survival"]


def mean_survival(
    curves: SurvivalCurves, times: ArrayLike, *, weight: Float | None = None
) -> Float:
    """Return the mean over the subjects of S(t | x_i), at common times.

    The mean is exact, with every subject on its own last line or tail past the end of
    its data; no array of subjects x times is held.

    Parameters
    ----------
    curves : SurvivalCurves
        The curves of n ≥ 1 subjects.
    times : array-like of shape (m,)
        Finite and >= 0, in any order.
    weight : array of shape (n,), optional
        What each subject counts, checked.

    Returns
    -------
    array of shape (m,)

    Raises
    ------
    InvalidInput
        If there is no curve, or times are negative or not finite.

    Examples
    --------
    >>> curves = SurvivalCurves([[2.0], [4.0]], [[0.5], [0.0]])
    >>> mean_survival(curves, [1, 3])
    array([0.75, 0.25])
    """
    when = check_times(times)
    if len(curves) == 0:
        raise InvalidInput("curves are empty; there is no mean of no subjects")
    if weight is None:
        return np.clip(curves._form.mean_survival(when), 0.0, 1.0)
    total = np.zeros(when.size)
    for rows in row_blocks(len(curves), max(when.size, 1)):
        total += weight[rows] @ curves[rows].survival_at(when)
    mean: Float = np.clip(total / weight.sum(), 0.0, 1.0)
    return mean

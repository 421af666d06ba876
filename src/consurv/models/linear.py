"""Scores that are linear in the features, counted from where they are centred."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.curves.search import row_blocks

__all__ = ["linear_scores"]


def linear_scores(features: NDArray[Any], mean: Float, coef: Float) -> Float:
    """Return (x − mean) · coef of every row.

    Examples
    --------
    >>> linear_scores(np.array([[1.0, 2.0]]), np.ones(2), np.array([9.0, 2.0]))
    array([2.])
    """
    scores = np.empty(len(features))
    for rows in row_blocks(*features.shape):  # no second table beside the first
        # In one order, so that a table of any layout gives the same bits.
        centred = np.subtract(features[rows], mean, order="C")
        np.matmul(centred, coef, out=scores[rows])
    return scores

"""Shapes of smooth curves, which need no mending: read at the levels that matter."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.recalibration.shapes import Shapes, middle_half
from consurv.curves.representations.law import Law
from consurv.curves.representations.proportional import Proportional

__all__ = ["levels_that_matter", "smooth_shapes"]

# Laws have no drops where their log times lie further apart, and nothing is clipped
# where neither these nor their range are larger.
_APART, _FAR = 1e-8, 27.0
# A level this close to a fine one, as log H, is that one.
_SAME = 1e-12


def levels_that_matter(fine_levels: Float, levels: Float) -> Index:
    """Return at which fine levels smooth curves are read to know them at *levels*.

    Those on both sides, or the one that it is; the middle half, which tells the width,
    and both ends, beyond which curves go on as they came.

    Examples
    --------
    >>> fine = np.array([0.9, 0.8, 0.75, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.1])
    >>> fine[levels_that_matter(fine, np.array([0.8, 0.35]))]
    array([0.9 , 0.8 , 0.75, 0.5 , 0.4 , 0.3 , 0.25, 0.1 ])
    """
    y, wanted = np.log(-np.log(fine_levels)), np.log(-np.log(levels))
    last = len(y) - 1
    left = np.clip(np.searchsorted(y, wanted + _SAME, side="right") - 1, 0, last)
    right = np.clip(np.searchsorted(y, wanted - _SAME), 0, last)
    return np.unique(np.concatenate([left, right, middle_half(fine_levels), [0, last]]))


def smooth_shapes(
    form: Law | Proportional, fine_levels: Float, columns: Index, scale: float
) -> Shapes | None:
    """Return shapes with the nodes of some fine levels that ``Shapes.read`` would have.

    None if a curve ends, drops, or is so narrow, wide or far off that it is mended.

    Parameters
    ----------
    form : Law or Proportional
    fine_levels : ndarray of shape (K,)
    columns : ndarray of int
        Of the fine levels, the first and the last among them.
    scale : float
        The unit of time that shapes are counted in.
    """
    gently = isinstance(form, Law) or form.falls_gently(fine_levels)
    if not (gently and len(form)):
        return None
    levels = fine_levels[columns]
    log_times = form.log_times(levels)
    log_times -= np.log(scale)
    first, last = log_times[:, 0], log_times[:, -1]
    if not max(-first.min(), last.max()) < _FAR:
        return None
    width = last - first
    if width.max() > _FAR:
        return None
    if isinstance(form, Law):
        narrowest = form.take([np.argmin(width)]).log_times(fine_levels)
        if np.diff(narrowest).min() < _APART:
            return None
    none = np.full(len(form), np.inf)
    return Shapes.of_log_times(log_times, levels, none, none, np.isnan(none))

"""Columns of numbers: what stands in for a missing one, and how they are scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from consurv._checks import Float
from consurv.curves.search import row_blocks
from consurv.keep.classes import KeptByAttributes

__all__ = ["Numbers"]


@dataclass(frozen=True, eq=False)
class Numbers(KeptByAttributes):
    """The columns that vary: first those that are scaled, then those of 0 and 1.

    Attributes
    ----------
    names : list of str
    fill, center, scale : array of shape (len(names),)
        A value becomes (value − center) / scale, a missing one is taken as fill.

    Examples
    --------
    >>> table = np.array([[40, 1, 5], [60, np.nan, 5], [np.nan, 0, 5], [50, 0, 5]])
    >>> numbers = Numbers.learn(table, ["age", "male", "site"], "mean")
    >>> numbers.names
    ['age', 'male']
    >>> numbers.scaled(np.array([[50, 1], [np.nan, np.nan]]))
    array([[0., 1.],
           [0., 0.]])
    """

    names: list[str]
    fill: Float
    center: Float
    scale: Float

    @classmethod
    def learn(cls, values: Float, names: list[str], impute: str) -> Self:
        """Learn from columns *values* of shape (n, len(names)) with NaN for missing.

        *impute* is "mean" or "median"; of 0 and 1 it is the more frequent one, in doubt
        0.
        """
        # Unlike min and max these pass over NaN, and nothing at all is no error.
        lowest = np.fmin.reduce(values, initial=np.inf)
        varies = lowest < np.fmax.reduce(values, initial=-np.inf)
        is_binary = ((values == 0) | (values == 1) | np.isnan(values)).all(axis=0)
        wide, binary = (
            np.flatnonzero(varies & kind) for kind in (~is_binary, is_binary)
        )
        usual = np.nanmean if impute == "mean" else np.nanmedian
        fill, center, scale = np.empty((3, len(wide)))
        for some in row_blocks(len(wide), len(values)):  # some columns at a time
            part = values[:, wide[some]]
            fill[some] = usual(part, axis=0)
            center[some], scale[some] = _moments(_filled(part, fill[some]))
        ones = np.nanmean(values[:, binary], axis=0) > 0.5
        return cls(
            names=[names[j] for j in (*wide, *binary)],
            fill=np.concatenate([fill, ones]),
            center=np.concatenate([center, np.zeros(len(binary))]),
            scale=np.concatenate([scale, np.ones(len(binary))]),
        )

    def scaled(self, values: Float) -> Float:
        """Return the columns of a table in the order of `names`, none missing."""
        result = _filled(values, self.fill)
        result -= self.center
        result /= self.scale
        return result


def _filled(values: Float, fill: Float) -> Float:
    filled: Float = np.where(np.isnan(values), fill, values)
    return filled


def _moments(values: Float) -> tuple[Float, Float]:
    """Return means and standard deviations, however small or large the numbers are."""
    mean = values.mean(axis=0)
    off = values - mean
    reach = np.abs(off).max(axis=0, initial=0.0)
    return mean, reach * np.sqrt(np.square(off / reach).mean(axis=0))

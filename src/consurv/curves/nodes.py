"""The bare nodes of a set of curves, and the line that every curve ends in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.curves.search import row_blocks

__all__ = ["Nodes", "end_time", "tail_percentile_time", "tail_survival"]


class Nodes(NamedTuple):
    """What the kernels see of a set of curves; trusted, not checked.

    Attributes
    ----------
    times : array of shape (k,) or (n, k)
        Starts at 0 and never falls; +inf only in linear curves of shape (n, k).
    survival : array of shape (n, k)
        Starts at 1 and never rises.
    interpolation : str
    rates : array of shape (n, k) or None
        For pchip, the rate of fall ``-dS/dt`` at each node where it does not follow
        from the nodes alone.
    """

    times: NDArray[Any]
    survival: NDArray[Any]
    interpolation: str
    rates: Float | None = None

    def take(self, rows: Any) -> Nodes:
        """Return the nodes of some rows: a slice, a mask or positions."""
        return Nodes(
            self.times if self.times.ndim == 1 else self.times[rows],
            self.survival[rows],
            self.interpolation,
            None if self.rates is None else self.rates[rows],
        )

    def blocks(self, width: int) -> Iterator[tuple[slice, Nodes]]:
        """Yield slices of rows and their nodes as contiguous float64 arrays.

        *width* is the number of results per row, which bounds the temporaries too.
        """
        n, k = self.survival.shape
        for rows in row_blocks(n, max(k, width)):
            part = self.take(rows)
            if width > 1 and part.survival.flags.c_contiguous:
                # Reading a block once in order brings it into the cache, which pays
                # for many scattered reads but not for one per row.
                part = part._replace(survival=part.survival.copy())
            yield (
                rows,
                part._replace(
                    times=np.ascontiguousarray(part.times, dtype=np.float64),
                    survival=np.ascontiguousarray(part.survival, dtype=np.float64),
                ),
            )


def end_time(last_time: Float, last_survival: Float) -> Float:
    """Return where the line through (0, 1) and the last point reaches 0.

    Examples
    --------
    >>> end_time(np.array([8.0, 8.0]), np.array([0.2, 1.0]))
    array([10., inf])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        end = last_time / (1 - last_survival)
    return np.where(last_survival == 1, np.inf, end)


def tail_survival(last_time: Float, last_survival: Float, time: Float) -> Float:
    """Return the survival on that line at ``time >= last_time``.

    Examples
    --------
    >>> tail_survival(np.array([8.0]), np.array([0.2]), np.array([9.0])).round(3)
    array([0.1])
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Written from the last point on, so that the point itself is met exactly.
        past = np.maximum(time - last_time, 0) / last_time
        line = last_survival - (1 - last_survival) * past
    # Rounding must not lift the line above the last point or past its own end.
    line = np.clip(line, 0, last_survival)
    line = np.where(time >= end_time(last_time, last_survival), 0.0, line)
    return np.where(last_survival == 1, 1.0, line)


def tail_percentile_time(last_time: Float, last_survival: Float, level: Float) -> Float:
    """Return the time at which that line reaches ``level < last_survival``.

    Examples
    --------
    >>> tail_percentile_time(np.array([8.0]), np.array([0.2]), np.array([0.1]))
    array([9.])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        time = last_time * ((1 - level) / (1 - last_survival))
    return np.where(last_survival == 1, np.inf, time)

"""An axis spaced by square roots, for metrics that are mean squares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from consurv._checks import Float

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["root_scale", "root_ticks"]

_APART = 0.17  # least distance of ticks as a share of the axis


def root_scale(ax: Axes) -> None:
    """Space the y axis by square roots, from 0 to what is drawn.

    D-cal and KM-cal are mean squares, so equal steps are equal distances of curves,
    and a model that is far off does not hide the differences between good ones.
    """
    top = max(1.08 * ax.get_ylim()[1], 1e-12)
    ax.set_yscale("function", functions=(_root, _square))
    ax.set_ylim(0, top)
    ticks = root_ticks(top)
    ax.set_yticks(ticks, [_short(tick) for tick in ticks])


def root_ticks(top: float) -> list[float]:
    """Return round numbers up to *top* that stand apart on such an axis.

    Examples
    --------
    >>> root_ticks(0.022)
    [0.0, 0.002, 0.005, 0.01, 0.02]
    """
    power = math.floor(math.log10(top))
    candidates = [
        float(f"{digit}e{exponent}")
        for exponent in range(power, power - 3, -1)
        for digit in (5, 2, 1)
    ]
    kept: list[float] = []
    for tick in candidates:
        place = math.sqrt(tick / top)
        above = math.sqrt(kept[-1] / top) if kept else 1 + _APART
        if tick <= top and place >= _APART and above - place >= _APART:
            kept.append(tick)
    return [0.0, *reversed(kept)]


def _short(tick: float) -> str:
    """Write a tick so that it does not reach into the next panel."""
    return (
        f"{tick:g}" if tick >= 1e-3 or tick == 0 else f"{tick:.0e}".replace("e-0", "e-")
    )


def _root(values: Float) -> Float:
    # Intervals may reach below 0; the axis itself ends there.
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)), dtype=float)


def _square(values: Float) -> Float:
    return np.asarray(np.sign(values) * np.square(values), dtype=float)

"""The marks that several plots share: lines and bars of all models, and bands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from consurv._checks import Float
from consurv.report.style import BAND, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["band_style", "bar_centres", "draw_bars", "draw_lines"]


def band_style(coverage: float, what: str) -> dict[str, Any]:
    """Return how a band is drawn, behind all else, with its entry in the legend.

    Examples
    --------
    >>> band_style(0.95, "band")["label"]
    '95 % band'
    """
    label = f"{100 * coverage:.4g} % {what}"
    return {"color": BAND, "lw": 0, "zorder": 0, "label": label}


def draw_lines(
    ax: Axes,
    lines: Mapping[str, tuple[Float, Float]],
    styles: Mapping[str, Style],
    n_markers: int | None = 10,
) -> None:
    """Draw one line per model, with markers that do not cover each other.

    There are about *n_markers* on a line, or one at every point where it is ``None``.
    """
    for i, (name, (x, y)) in enumerate(lines.items()):
        stride = 1 if n_markers is None else max(1, len(x) // n_markers)
        ax.plot(
            x,
            y,
            color=styles[name].colour,
            ls=styles[name].line,
            marker=styles[name].marker,
            ms=4,
            markevery=(stride * (i + 1) // (len(lines) + 1), stride),
            label=name,
        )


def bar_centres(centres: Float, n_models: int, width: float) -> list[Float]:
    """Return where the bars of each model stand, side by side around *centres*."""
    return [
        centres + (i - (n_models - 1) / 2) * width / n_models for i in range(n_models)
    ]


def draw_bars(
    ax: Axes,
    centres: Float,
    heights: Mapping[str, Float],
    styles: Mapping[str, Style],
    width: float,
) -> None:
    """Draw groups of bars of the given width, a bar per model in each."""
    places = bar_centres(centres, len(heights), width)
    for place, (name, height) in zip(places, heights.items(), strict=True):
        ax.bar(
            place,
            height,
            0.92 * width / len(heights),
            color=styles[name].colour,
            # The colour of the hatch: white on the bar's own.
            edgecolor="white",
            lw=0,
            hatch=styles[name].hatch,
            label=name,
        )

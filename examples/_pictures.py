"""How the pictures of the gallery look, and where they are written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

RAW, CALIBRATED, TRUE, GREY = "#0072B2", "#D55E00", "#009E73", "#767676"


def panels(n: int, width: float = 3.6, height: float = 3.3) -> tuple[Figure, Any]:
    """Return a figure of *n* panels side by side, and its axes."""
    figure = Figure(figsize=(n * width, height), layout="constrained")
    axes = figure.subplots(1, n)
    for ax in [axes] if n == 1 else axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def save(figure: Figure, script: str, alt: str) -> None:
    """Write the figure where the command line says, or beside us in its own name.

    The picture carries *alt*, the words for those who do not see it.
    """
    default = Path(script).with_suffix(".png").name
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(default)
    figure.savefig(path, dpi=110, metadata={"Description": " ".join(alt.split())})

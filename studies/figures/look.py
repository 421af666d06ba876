"""How the figures of the experiments look.

Variants differ by colour and by marker. The colours are those of Okabe and Ito, which
people with any kind of colour blindness tell apart; raw is blue and CSD orange as in
the paper, and a red dashed line is the Kaplan–Meier dummy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consurv.errors import MissingDependency
from studies.files import write_atomically
from studies.names import variant_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "DUMMY",
    "Mark",
    "Picture",
    "legend",
    "legend_rows",
    "marks_for",
    "new_figure",
    "plain",
    "save",
]

_DPI = 110
_STYLE: dict[Any, Any] = {
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.linewidth": 0.7,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "axes.formatter.useoffset": False,
}
_BLUE, _ORANGE, _GREEN, _BLACK = "#0072B2", "#E69F00", "#009E73", "#000000"
_PURPLE, _SKY, _VERMILION, _GREY = "#CC79A7", "#56B4E9", "#D55E00", "#999999"


@dataclass(frozen=True)
class Mark:
    """How one variant is drawn."""

    label: str
    colour: str
    marker: str
    line: Any = "-"


DUMMY = Mark("Kaplan–Meier dummy, mean", "#C1121F", "", (0, (4, 2)))
_OWN = {
    "raw": (_BLUE, "o", "-"),
    "csd": (_ORANGE, "s", (0, (5, 1.5))),
    "auto": (_GREEN, "^", (0, (6, 2, 1, 2))),
    "cipot": (_GREY, "D", (0, (3, 1))),
    "uncensored": (_BLUE, "o", "-"),
    "margin": (_ORANGE, "s", (0, (5, 1.5))),
    "pseudo-observation": (_GREEN, "D", (0, (6, 2, 1, 2))),
    "kaplan-meier": (_VERMILION, "v", (0, (1, 1.2))),
    "kaplan-meier-sampled": (_BLACK, "x", (0, (3, 1))),
    "self-consistent": (_PURPLE, "P", (0, (3, 1))),
    "local": (_SKY, "X", (0, (8, 2, 1, 2, 1, 2))),
}
_FREE = (
    (_BLUE, "o", "-"),
    (_ORANGE, "s", (0, (5, 1.5))),
    (_GREEN, "D", (0, (6, 2, 1, 2))),
    (_VERMILION, "v", (0, (1, 1.2))),
    (_PURPLE, "P", (0, (3, 1))),
    (_SKY, "X", (0, (8, 2, 1, 2, 1, 2))),
    (_GREY, "^", "-"),
)


@dataclass(frozen=True)
class Picture:
    """A figure that was written.

    Attributes
    ----------
    path : Path
    title, caption : str
        What is shown, and how to read it.
    alt : str
        For those who do not see it.
    """

    path: Path
    title: str
    caption: str
    alt: str


def marks_for(variants: Iterable[str]) -> dict[str, Mark]:
    """Return how variants are drawn; those without a look of their own take free ones.

    Examples
    --------
    >>> marks_for(["raw", "csd"])["csd"].colour
    '#E69F00'
    """
    names = list(variants)
    free = [name for name in names if name not in _OWN]
    looks = {
        name: _OWN[name] if name in _OWN else _FREE[free.index(name) % len(_FREE)]
        for name in names
    }
    return {name: Mark(variant_label(name), *look) for name, look in looks.items()}


@contextmanager
def new_figure(width: float, height: float) -> Iterator[Figure]:
    """Give a figure of that many inches, in our style and known to no one else."""
    try:
        from matplotlib import figure, rc_context
    except ImportError as error:
        raise MissingDependency("matplotlib", "report") from error
    with rc_context(_STYLE):
        yield figure.Figure(figsize=(width, height))


def plain(ax: Axes) -> Axes:
    """Take away the idle half of the frame and draw faint lines behind the marks."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="0.92", lw=0.6)
    ax.set_axisbelow(True)
    return ax


def legend_rows(marks: Sequence[Mark], width: float) -> int:
    """Return how many rows a legend takes in a figure of that many inches.

    Examples
    --------
    >>> marks = [Mark("a long name of a mark", "red", "o")] * 6
    >>> legend_rows(marks, 16), legend_rows(marks, 5)
    (1, 3)
    """
    return -(-len(marks) // _legend_columns(marks, width))


def _legend_columns(marks: Sequence[Mark], width: float) -> int:
    longest = max(len(mark.label) for mark in marks)
    entry = 0.6 + 0.075 * longest  # inches: handle, gap and letters
    return min(len(marks), max(1, int(width / entry)))


def legend(figure: Figure, marks: Sequence[Mark], *, lines: bool = False) -> None:
    """Draw one legend on top of the whole figure; *lines* shows lines with marks."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=mark.colour,
            marker=mark.marker or None,
            ls=mark.line if lines or not mark.marker else "",
            ms=6,
            label=mark.label,
        )
        for mark in marks
    ]
    figure.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 1 - 0.05 / figure.get_figheight()),
        ncols=_legend_columns(marks, figure.get_figwidth()),
        frameon=False,
        fontsize=10,
    )


def save(figure: Figure, path: Path) -> Path:
    """Write a figure as PNG that appears only when it is whole."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=_DPI)
    write_atomically(path, file.getvalue())
    return path

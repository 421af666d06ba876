"""How the plots look: colours, axes and legends, without touching global settings.

Models differ by colour, line, marker and hatch together, so that figures survive
black-and-white print. The colours are those of Okabe and Ito, which people with any
kind of colour blindness tell apart; black and grey belong to what was observed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from consurv._checks import check_same_length
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput, MissingDependency

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BAND",
    "OBSERVED",
    "NamedCurves",
    "Style",
    "as_named",
    "axes_or_new",
    "finish",
    "named_curves",
    "styles_for",
    "time_label",
]

OBSERVED = "black"
BAND = "0.85"
# Curves of one model, or of several by name: {"raw": ..., "calibrated": ...}.
NamedCurves = SurvivalCurves | Mapping[str, SurvivalCurves]
Colours = Mapping[str, Any] | None

_BLUE, _VERMILION, _GREEN = "#0072B2", "#D55E00", "#009E73"
_PURPLE, _ORANGE, _SKY = "#CC79A7", "#E69F00", "#56B4E9"
_ENTRY_INCHES = 1.15  # room for one entry of a legend

Value = TypeVar("Value")


@dataclass(frozen=True)
class Style:
    """How one model, or one subject, is drawn."""

    colour: Any
    line: Any
    marker: str
    hatch: str


_STYLES = (
    Style(_BLUE, "-", "o", ""),
    Style(_VERMILION, (0, (5, 2)), "s", "////"),
    Style(_GREEN, (0, (6, 2, 1, 2)), "^", "...."),
    Style(_PURPLE, (0, (1, 1.5)), "D", "xxxx"),
    Style(_ORANGE, (0, (8, 2, 1, 2, 1, 2)), "v", "\\\\\\\\"),
    Style(_SKY, (0, (3, 1)), "P", "----"),
)
# The usual pair looks the same in every figure.
_OWN_STYLE = {"calibrated": 0, "raw": 1}


def styles_for(names: Iterable[str], colours: Colours = None) -> dict[str, Style]:
    """Return a style for each name; *colours* overrides those it names.

    ``"raw"`` and ``"calibrated"`` have styles of their own; others take the free ones
    in order, and from the seventh name on they repeat.

    Examples
    --------
    >>> styles_for(["raw", "calibrated"])["calibrated"].colour
    '#0072B2'
    >>> styles_for(["boosting"], {"boosting": "red"})["boosting"].colour
    'red'
    """
    wanted = list(names)
    colours = {} if colours is None else colours
    unknown = [name for name in colours if name not in wanted]
    if unknown:
        raise InvalidInput(
            f"colours names {unknown[0]!r}, which is not drawn; "
            f"the names are {', '.join(map(repr, wanted))}"
        )
    own = {name: _OWN_STYLE[name] for name in wanted if name in _OWN_STYLE}
    free = [i for i in range(len(_STYLES)) if i not in own.values()]
    rest = [name for name in wanted if name not in own]
    index = own | {name: free[i % len(free)] for i, name in enumerate(rest)}
    return {
        name: replace(style, colour=colours.get(name, style.colour))
        for name, style in ((name, _STYLES[index[name]]) for name in wanted)
    }


def named_curves(curves: NamedCurves, n_subjects: int) -> dict[str, SurvivalCurves]:
    """Return the curves of each model by name, one curve for each subject.

    Raises
    ------
    InvalidInput
        If there are no models, something is not SurvivalCurves, or lengths differ.
    """
    models = as_named(curves, SurvivalCurves, "curves")
    for name, part in models.items():
        check_same_length(**{"y": n_subjects, f"curves[{name!r}]": len(part)})
    return models


def as_named(values: Any, kind: type[Value], what: str) -> dict[str, Value]:
    """Return a mapping from names to values of one kind; one alone is ``"model"``."""
    named = dict(values) if isinstance(values, Mapping) else {"model": values}
    if not named:
        raise InvalidInput(f"{what} is empty; give {kind.__name__} or {{name: ...}}")
    for name, value in named.items():
        if not isinstance(value, kind):
            place = f"{what}[{name!r}]" if isinstance(values, Mapping) else what
            raise InvalidInput(
                f"{place} must be {kind.__name__}, got {type(value).__name__}; give "
                f"{kind.__name__}, or several by name: {{'raw': ..., ...}}"
            )
    return named


def axes_or_new(ax: Axes | None) -> Axes:
    """Return *ax*, or the axes of a new figure where it is ``None``.

    Raises
    ------
    MissingDependency
        If matplotlib is not installed.
    """
    try:
        from matplotlib.axes import Axes
    except ImportError as error:
        raise MissingDependency("matplotlib", "report") from error
    if ax is None:
        # Only here: a figure of one's own needs no pyplot, which keeps what it makes.
        from matplotlib import pyplot

        return pyplot.subplots(figsize=(6, 4), layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise InvalidInput(
            f"ax must be one matplotlib Axes, got {type(ax).__name__}; of several "
            "subplots pass one, such as axes[0]"
        )
    return ax


def time_label(start: str, time_unit: str | None) -> str:
    """Return a label with the unit of time where it is known.

    Examples
    --------
    >>> time_label("Time", "months"), time_label("Time", None)
    ('Time (months)', 'Time')
    """
    return f"{start} ({time_unit})" if time_unit else start


def finish(ax: Axes, xlabel: str, ylabel: str, first: Iterable[str] = ()) -> Axes:
    """Label the axes, take away the frame's idle half and put the legend on top.

    The legend begins with the entries *first*, in their order.
    """
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    handles, labels = ax.get_legend_handles_labels()
    # Plots drawn into the same axes share entries such as the band's.
    drawn = dict(zip(labels, handles, strict=True))
    entries = {name: drawn[name] for name in first if name in drawn} | drawn
    if entries.keys() - {"model"}:  # which says nothing where it is alone
        width = ax.get_window_extent().width / ax.figure.dpi
        ax.legend(
            entries.values(),
            entries.keys(),
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderaxespad=0.2,
            ncols=max(1, min(len(entries), int(width / _ENTRY_INCHES))),
            fontsize="small",
            frameon=False,
            columnspacing=1.0,
            handlelength=2.2,
        )
    return ax

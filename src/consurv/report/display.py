"""What all displays share: the curves of a model, and where they were drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from reprlib import repr as shorten
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from consurv._html import facts_table
from consurv.adapters import adapter_for
from consurv.conformal.estimator import ConformalSurvival
from consurv.curves.curves import SurvivalCurves
from consurv.outcome import Outcome
from consurv.report.style import NamedCurves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["CurvesDisplay", "Display", "predicted_curves"]


def predicted_curves(model: Any, X: Any) -> dict[str, SurvivalCurves]:
    """Return a model's curves by name, before and after calibration where both exist.

    Parameters
    ----------
    model : ConformalSurvival or any model that consurv has an adapter for
        Fitted.
    X : array-like or DataFrame of shape (n, m)

    Returns
    -------
    dict
        ``"raw"`` and ``"calibrated"`` for a ConformalSurvival, otherwise one entry
        with the name of the model's class.

    Examples
    --------
    >>> def half_life(X):
    ...     return [1.0], [[0.5]] * len(X)
    >>> list(predicted_curves(half_life, [[0.0], [1.0]]))
    ['half_life']
    """
    if isinstance(model, ConformalSurvival):
        calibrated = model.predict_survival_function(X)  # says if it is not fitted
        raw = adapter_for(model.estimator_).curves(model.estimator_, X)
        return {"raw": raw, "calibrated": calibrated}
    name = getattr(model, "__name__", type(model).__name__)
    return {name: adapter_for(model).curves(model, X)}


class Display:
    """What all displays share: drawing, and remembering where.

    A display is a dataclass whose fields are the arguments of its plot function.
    """

    _plot: ClassVar[Callable[..., Any]]
    ax_: Axes
    figure_: Figure | SubFigure

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__repr__ = Display.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        # In one line, without outcomes and curves.
        told = ", ".join(
            f"{name}={shorten(value)}" for name, value in self._facts().items()
        )
        return f"{type(self).__name__}({told})"

    def _repr_html_(self) -> str:
        """Return a small table, for notebooks, which show the figure anyway."""
        return facts_table({"display": type(self).__name__, **self._facts()})

    def _facts(self) -> dict[str, Any]:
        """Return the names of what is drawn, and options that are not the default."""
        facts: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.name == "y":
                facts["n"] = len(Outcome.of(value))
            elif field.name in ("curves", "adjustments"):
                named = isinstance(value, Mapping)
                facts[field.name] = list(value) if named else type(value).__name__
            elif np.ndim(value) or value != field.default:
                facts[field.name] = value
        return facts

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw into *ax*, or into a new figure, kept as ``ax_`` and ``figure_``."""
        arguments = {
            field.name: getattr(self, field.name)
            for field in fields(self)  # type: ignore[arg-type]
        }
        self.ax_ = type(self)._plot(**arguments, ax=ax)
        self.figure_ = self.ax_.figure
        return self

    @classmethod
    def _with_unit(cls, model: Any, options: dict[str, Any]) -> dict[str, Any]:
        """Return options with the model's unit of time, where it is drawn."""
        unit = getattr(model, "time_unit", None)
        drawn = any(field.name == "time_unit" for field in fields(cls))  # type: ignore[arg-type]
        return {"time_unit": unit, **options} if unit and drawn else options


@dataclass
class CurvesDisplay(Display):
    """A display of outcomes and of the curves predicted for them."""

    y: Any
    curves: NamedCurves

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Predict the curves of *X* and draw them.

        Parameters
        ----------
        model : ConformalSurvival or any model that consurv has an adapter for
            Fitted. A ConformalSurvival is drawn before and after calibration, as
            ``"raw"`` and ``"calibrated"``.
        X : array-like or DataFrame of shape (n, m)
        y : outcomes of the same n subjects
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        **options
            The other parameters of the display; unknown ones are refused. The
            ``time_unit`` of a ConformalSurvival is its own unless you give one.

        Returns
        -------
        The display, drawn.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from consurv.report import PPPlotDisplay
        >>> def half_life(X):
        ...     return [10.0], [[0.0]] * len(X)
        >>> X, y = [[0.0]] * 4, ([1, 1, 1, 1], [1.0, 4.0, 6.0, 9.0])
        >>> ax = Figure().subplots()
        >>> PPPlotDisplay.from_estimator(half_life, X, y, ax=ax, n_levels=19)
        PPPlotDisplay(n=4, curves=['half_life'], n_levels=19)
        """
        options = cls._with_unit(model, options)
        curves = predicted_curves(model, X)
        return cls.from_predictions(y, curves, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls, y: Any, curves: NamedCurves, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw curves that are already predicted.

        Parameters
        ----------
        y : outcomes of n subjects
        curves : SurvivalCurves or mapping from names to SurvivalCurves
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        **options
            The other parameters of the display; unknown ones are refused.

        Returns
        -------
        The display, drawn.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from consurv.report import PPPlotDisplay
        >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
        >>> y = ([1, 1, 1, 1], [1.0, 4.0, 6.0, 9.0])
        >>> ax = Figure().subplots()
        >>> PPPlotDisplay.from_predictions(y, {"model": curves}, ax=ax)
        PPPlotDisplay(n=4, curves=['model'])
        """
        return cls(y, curves, **options).plot(ax)

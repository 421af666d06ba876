"""Survival curves as one immutable value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import Float, as_levels
from consurv._registry import resolve
from consurv.curves.building import (
    make_law,
    survival_of_hazards,
    survival_of_masses,
)
from consurv.curves.invariants import (
    check_own_times,
    check_percentile_times,
    check_span,
    check_times,
    make_nodes,
)
from consurv.curves.kept import form_of, state_of
from consurv.curves.nodes import Nodes
from consurv.curves.picture import plot_curves
from consurv.curves.readers import read_frame, read_step_functions
from consurv.curves.representations.join import joined
from consurv.curves.representations.representation import Representation, frozen
from consurv.curves.representations.table import Table
from consurv.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SurvivalCurves"]

_Curves = TypeVar("_Curves", bound="SurvivalCurves")

# Subjects of a table in a notebook, and times of a frame where there is no common grid.
_SHOWN, _FRAME_TIMES = 5, 200
_INTERPOLATIONS = {name: name for name in ("linear", "step", "pchip")}


class SurvivalCurves:
    """Survival curves S(t | x) = P(T > t | x) of n subjects.

    A curve starts at (0, 1), which is prepended where it is missing, and joins its
    nodes by the chosen interpolation. Past its last node (t_L, S_L) it follows the
    line through (0, 1) and that node down to 0 at t_L / (1 - S_L); a curve with
    S_L = 1 never drops, and its percentile times and mean are +inf. At a repeated
    time the curve drops vertically and takes the last value.

    Models whose curves have a structure (proportional hazards, a law with parameters)
    give objects that hold that and no table: they answer faster, a law exactly and
    with its own tail. Such an object makes its table when ``survival`` is read, anew
    each time: n x k numbers are not kept behind the back of who reads them.

    Parameters
    ----------
    times : array-like of shape (k,) or (n, k)
        Node times, sorted, >= 0 and finite: one grid for all subjects or one each.
    survival : array-like of shape (n, k)
        Survival probabilities, a row per subject (one curve may be 1-dimensional).
        float32 stays float32; computing is in float64. An array that needs no
        change is not copied. Rises and excesses of up to 1e-6 are taken as rounding.
    interpolation : {"linear", "step", "pchip"}, default="linear"
        Straight lines, right-continuous steps, or a monotone cubic.

    Attributes
    ----------
    times : array of shape (k,) or (n, k)
    survival : array of shape (n, k)
    interpolation : str
    last_time : array of shape (n,)
        Where the data of each curve end: its last node, the last time of its baseline
        or the last training time of its law; +inf where nobody knows.

    Raises
    ------
    InvalidInput
        If the curves rise, leave [0, 1], hold NaN, or do not fit their times.

    Examples
    --------
    >>> curves = SurvivalCurves([2, 6], [[0.8, 0.4], [0.5, 0.0]])
    >>> curves
    SurvivalCurves(n=2, nodes=3, grid='shared', interpolation='linear')
    >>> curves.survival_at([1, 4])
    array([[0.9 , 0.6 ],
           [0.75, 0.25]])
    >>> curves.percentile_times([0.5]).ravel()
    array([5., 2.])
    """

    _form: Representation

    def __init__(
        self, times: ArrayLike, survival: ArrayLike, interpolation: str = "linear"
    ) -> None:
        name = resolve(_INTERPOLATIONS, interpolation, "interpolation")
        grid, values = make_nodes(times, survival)
        if name == "pchip":
            check_span(grid)
        self._store(_form=Table(Nodes(grid, values, name)))

    # -- construction ---------------------------------------------------------

    @classmethod
    def from_percentile_times(
        cls, percentile_times: ArrayLike, levels: ArrayLike
    ) -> Self:
        """Join percentile times by straight lines.

        Parameters
        ----------
        percentile_times : array-like of shape (n, p)
            q(ρ) >= 0, not falling as the level falls. +inf means that the curve never
            comes down to the level: it stays at its last finite one.
        levels : array-like of shape (p,)
            Percentile levels in (0, 1), in any order.

        Examples
        --------
        >>> curves = SurvivalCurves.from_percentile_times([[3, 9]], [0.75, 0.25])
        >>> curves.median(), curves.mean()
        (array([6.]), array([6.]))
        """
        rho = as_levels(levels)
        nodes = check_percentile_times(percentile_times, rho)
        times = np.concatenate([np.zeros((len(nodes), 1)), nodes], axis=1)
        survival = np.concatenate([[1.0], np.sort(rho)[::-1]])
        # All rows have the same levels, which are stored once.
        return cls._trusted(times, np.broadcast_to(survival, times.shape), "linear")

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, interpolation: str = "linear") -> Self:
        """Read a frame of times x subjects, as lifelines and pycox give it.

        Parameters
        ----------
        frame : DataFrame of shape (k, n)
            The index holds the times, each column is a subject.
        interpolation : {"linear", "step", "pchip"}, default="linear"

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"a": [0.8, 0.4]}, index=[2.0, 6.0])
        >>> SurvivalCurves.from_frame(frame, "step").median()
        array([6.])
        """
        return cls(*read_frame(frame), interpolation)

    @classmethod
    def from_step_functions(cls, functions: Any) -> Self:
        """Read the step functions that scikit-survival's models predict.

        Parameters
        ----------
        functions : sequence of objects with ``x`` and ``y``
            Their values are ``a * y + b`` where they have ``a`` and ``b``.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> step = SimpleNamespace(x=np.array([2.0, 6.0]), y=np.array([0.8, 0.4]))
        >>> SurvivalCurves.from_step_functions([step]).survival_at([5])
        array([[0.8]])
        """
        return cls(*read_step_functions(functions), "step")

    @classmethod
    def from_aft(
        cls,
        location: ArrayLike,
        scale: ArrayLike,
        law: str = "weibull",
        last_time: ArrayLike = np.inf,
    ) -> Self:
        """Make curves of log T = location + scale · W, an accelerated failure time.

        Parameters
        ----------
        location : array-like of shape (n,)
            Of log T: what boosters call the margin.
        scale : number or array-like of shape (n,)
            > 0.
        law : {"weibull", "log-normal", "log-logistic"}
            Or the law of W as boosters name it: ``"extreme"``, ``"normal"``,
            ``"logistic"``. A Weibull law has location log λ and scale 1 / k.
        last_time : number or array-like of shape (n,), optional
            The largest time that the law was fitted on.

        Examples
        --------
        >>> SurvivalCurves.from_aft(np.log([2, 3]), 0.5, "log-normal").median()
        array([2., 3.])
        """
        return cls._of(make_law(location, scale, law, last_time))

    @classmethod
    def from_hazards(
        cls, times: ArrayLike, hazards: ArrayLike, interpolation: str = "linear"
    ) -> Self:
        """Make curves of discrete-time hazards, S(t_j) = ∏ (1 − h_i) over i ≤ j.

        Parameters
        ----------
        times : array-like of shape (k,) or (n, k)
            The ends of the intervals, sorted.
        hazards : array-like of shape (n, k)
            Probabilities of an event in (t_{j−1}, t_j] for those who reach it.
        interpolation : {"linear", "step", "pchip"}, default="linear"

        Examples
        --------
        >>> SurvivalCurves.from_hazards([1, 2], [[0.5, 0.5]]).survival
        array([[1.  , 0.5 , 0.25]])
        """
        return cls(times, survival_of_hazards(hazards), interpolation)

    @classmethod
    def from_pmf(
        cls, times: ArrayLike, pmf: ArrayLike, interpolation: str = "linear"
    ) -> Self:
        """Make curves of the probabilities of intervals, S(t_j) = 1 − Σ p_i over i ≤ j.

        Parameters
        ----------
        times : array-like of shape (k,) or (n, k)
            The ends of the intervals, sorted.
        pmf : array-like of shape (n, k) or (n, k + 1)
            Probabilities of an event in (t_{j−1}, t_j], and in the last column, if
            there is one more, of one after the last time.
        interpolation : {"linear", "step", "pchip"}, default="linear"

        Examples
        --------
        >>> SurvivalCurves.from_pmf([1, 2], [[0.5, 0.25, 0.25]]).survival
        array([[1.  , 0.5 , 0.25]])
        """
        n_times = np.shape(times)[-1]
        return cls(times, survival_of_masses(pmf, n_times), interpolation)

    @classmethod
    def _trusted(cls, times: Float, survival: NDArray[Any], interpolation: str) -> Self:
        """Build curves from nodes that are known to be right, without a check.

        They start at (0, 1), times never fall, survival never rises.
        """
        return cls._from_nodes(Nodes(times, survival, interpolation))

    @classmethod
    def _from_nodes(cls, nodes: Nodes) -> Self:
        return cls._of(Table(nodes))

    @classmethod
    def _of(cls, form: Representation) -> Self:
        """Return curves that are held in a form of their own."""
        curves = object.__new__(cls)
        curves._store(_form=form)
        return curves

    @classmethod
    def concatenate(cls, parts: Iterable[_Curves], n: int | None = None) -> _Curves:
        """Join the subjects of several curves, one part after the other.

        Parts of one structure keep it. Other parts become tables, on one grid if they
        share it and else on one for each subject. What a subclass knows of each
        subject is joined too, if all parts are of that class.

        Parameters
        ----------
        parts : iterable of SurvivalCurves
            At least one.
        n : int, optional
            Number of all subjects. With it, tables of one grid are copied as they
            come, so that of parts from a generator only one is held.

        Raises
        ------
        InvalidInput
            If there is no part, pchip curves have different grids, or the parts do
            not hold *n* subjects.

        Examples
        --------
        >>> curves = SurvivalCurves([4], [[0.5], [0.0]])
        >>> SurvivalCurves.concatenate([curves[1:], curves[:1]]).median()
        array([2., 4.])
        """
        kinds: set[type[_Curves]] = set()
        extras: list[dict[str, Any]] = []

        def forms() -> Iterator[Representation]:
            for part in parts:
                kinds.add(type(part))
                extras.append({k: v for k, v in vars(part).items() if k != "_form"})
                yield part._form

        form = joined(forms(), n)
        one = len(kinds) == 1
        curves: Any = object.__new__(kinds.pop() if one else SurvivalCurves)
        curves._store(_form=form)
        if type(curves) is not SurvivalCurves:
            names = extras[0]
            curves._store(**{k: np.concatenate([e[k] for e in extras]) for k in names})
        return curves  # type: ignore[no-any-return]

    def _store(self, **values: Any) -> None:
        """Set attributes of this immutable object; arrays become read-only views."""
        for name, value in values.items():
            self.__dict__[name] = frozen(value)

    @property
    def times(self) -> Float:
        """Node times, of shape (k,) or (n, k)."""
        times: Float = frozen(self._form.times)
        return times

    @property
    def survival(self) -> NDArray[Any]:
        """Survival at the nodes, of shape (n, k); see above on what that costs."""
        return self._nodes.survival

    @property
    def interpolation(self) -> str:
        """How the nodes are joined."""
        return self._form.interpolation

    @property
    def last_time(self) -> Float:
        """Where the data of each curve end, of shape (n,); +inf where unknown."""
        last: Float = frozen(self._form.last_time)
        return last

    @property
    def _nodes(self) -> Nodes:
        return Nodes(*map(frozen, self._form.nodes()))

    # -- looking at curves ----------------------------------------------------

    def survival_at(self, times: ArrayLike) -> Float:
        """Return the survival of every subject at common times.

        Parameters
        ----------
        times : array-like of shape (m,)
            Finite and >= 0, in any order.

        Returns
        -------
        array of shape (n, m)

        Examples
        --------
        >>> SurvivalCurves([4], [[0.5]]).survival_at([2, 0, 6])
        array([[0.75, 1.  , 0.25]])
        """
        return self._form.survival_at(check_times(times))

    def survival_at_observed(self, time: ArrayLike) -> Float:
        """Return the survival of each subject at a time of its own.

        Parameters
        ----------
        time : array-like of shape (n,), or one number for all
            Finite and >= 0.

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> SurvivalCurves([4], [[0.5], [0.0]]).survival_at_observed([2, 3])
        array([0.75, 0.25])
        """
        own = check_own_times(time, "time", len(self))
        return self._form.survival_at(own[:, None])[:, 0]

    def survival_before_observed(self, time: ArrayLike) -> Float:
        """Return S(t⁻), the probability to reach t, at a time of each subject's own.

        It is more than S(t) where the curve drops at t.

        Parameters
        ----------
        time : array-like of shape (n,), or one number for all
            Finite and >= 0.

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> steps = SurvivalCurves([4], [[0.5]], "step")
        >>> steps.survival_at_observed(4), steps.survival_before_observed(4)
        (array([0.5]), array([1.]))
        """
        own = check_own_times(time, "time", len(self))
        begun = own > 0
        survival = self._form.survival_before(np.where(begun, own, 1.0))
        return np.where(begun, survival, 1.0)

    def percentile_times(self, levels: ArrayLike) -> Float:
        """Return q(ρ) = inf{t : S(t) ≤ ρ}, the exact inverse of each curve.

        Parameters
        ----------
        levels : array-like of shape (p,)
            Percentile levels in (0, 1), in any order.

        Returns
        -------
        array of shape (n, p)
            +inf where a curve never comes down to the level.

        Examples
        --------
        >>> SurvivalCurves([4], [[0.5]], "step").percentile_times([0.75, 0.5, 0.25])
        array([[4., 4., 6.]])
        """
        return self._form.percentile_times(as_levels(levels))

    def _times_at(self, levels: Float) -> Float:
        """Return q(u) = inf{t : S(t) ≤ u} at levels in [0, 1] that may repeat.

        Level 1 is met at time 0, level 0 where a curve ends (+inf if it never drops).
        """
        below = levels < 1
        if below.all():
            return self._form.percentile_times(levels)
        times = np.zeros((len(self), len(levels)))
        times[:, below] = self._form.percentile_times(levels[below])
        return times

    def median(self) -> Float:
        """Return the percentile times at level 0.5, of shape (n,).

        Examples
        --------
        >>> SurvivalCurves([4], [[0.5], [0.75]]).median()
        array([4., 8.])
        """
        return self.percentile_times([0.5])[:, 0]

    def mean(self) -> Float:
        """Return the area below each curve, of shape (n,); +inf if it never drops.

        Examples
        --------
        >>> SurvivalCurves([4], [[0.5], [1.0]]).mean()
        array([ 4., inf])
        """
        return self._form.area_until(np.full(len(self), np.inf))

    def restricted_mean(self, tau: ArrayLike) -> Float:
        """Return the area below each curve from 0 to *tau*.

        Parameters
        ----------
        tau : number or array-like of shape (n,)
            Finite and >= 0.

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> SurvivalCurves([4], [[0.5]]).restricted_mean(2)
        array([1.75])
        """
        own = check_own_times(tau, "tau", len(self))
        return self._form.area_until(own)

    def conditional_on(self, time: ArrayLike) -> SurvivalCurves:
        """Return S(t | T > c) = min(1, S(t) / S(c)), on the same time axis.

        The result is exact. As a table it ends in a node at survival 0, and steps are
        vertical drops of a linear curve. Where S(c) = 0 all mass lies at c.

        Parameters
        ----------
        time : number or array-like of shape (n,)
            The time c that each subject has survived, finite and >= 0.

        Examples
        --------
        >>> curves = SurvivalCurves([4], [[0.5]])
        >>> curves.median(), curves.conditional_on(2).median()
        (array([4.]), array([5.]))
        """
        own = check_own_times(time, "time", len(self))
        return SurvivalCurves._of(self._form.given(own))

    def to_frame(self, times: ArrayLike | None = None) -> pd.DataFrame:
        """Return a frame of times x subjects; the columns are 0 ... n - 1.

        Parameters
        ----------
        times : array-like of shape (m,), optional
            By default the nodes of a shared grid; where each subject has its own,
            200 times spread over the nodes of all.

        Examples
        --------
        >>> SurvivalCurves([4], [[0.5], [0.0]]).to_frame()
                0    1
        time
        0.0   1.0  1.0
        4.0   0.5  0.0
        """
        import pandas as pd

        if times is not None:
            grid = check_times(times)
            values = self.survival_at(grid)
        elif (grid := self.times).ndim == 1:
            values = self.survival
        else:
            nodes = np.unique(grid[np.isfinite(grid)])
            spread = np.linspace(0, len(nodes) - 1, min(len(nodes), _FRAME_TIMES))
            grid = nodes[np.round(spread).astype(np.intp)]
            values = self.survival_at(grid)
        return pd.DataFrame(values.T, index=pd.Index(grid, name="time"))

    def plot(
        self, ax: Any = None, *, most: int = 10, time_unit: str | None = None
    ) -> Any:
        """Draw the curves of the first subjects; return the axes of matplotlib.

        Parameters
        ----------
        ax : Axes, optional
            By default new ones.
        most : int, default=10
            Subjects to draw.
        time_unit : str, optional
            For the label of the axis, such as ``"months"``.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> curves = SurvivalCurves([10.0], [[0.0], [0.5]])
        >>> curves.plot(ax=Figure().subplots(), time_unit="months").get_xlabel()
        'time (months)'
        """
        return plot_curves(self, ax, most, time_unit)

    def _repr_html_(self) -> str:
        """Return a few percentile times of the first subjects, for notebooks."""
        head = self[:_SHOWN].to_quantiles([0.9, 0.5, 0.1])
        table = head.to_html(float_format="{:.4g}".format)
        more = f"<p>{len(self):,} curves, times at survival 0.9, 0.5 and 0.1</p>"
        return f"{table}{more}"

    def to_quantiles(self, levels: ArrayLike | None = None) -> pd.DataFrame:
        """Return a frame of subjects x levels, the percentile times q(ρ).

        Parameters
        ----------
        levels : array-like of shape (p,), optional
            Survival levels in (0, 1), 0.9 the early one; by default 0.95, 0.9 ... 0.05.
            skpro and others count the other way: their alpha is 1 − level.

        Examples
        --------
        >>> SurvivalCurves([4], [[0.5], [0.0]]).to_quantiles([0.75, 0.5])
        level  0.75  0.50
        0       2.0   4.0
        1       1.0   2.0
        """
        import pandas as pd

        wanted = np.arange(19, 0, -1) / 20 if levels is None else as_levels(levels)
        columns = pd.Index(wanted, name="level")
        return pd.DataFrame(self.percentile_times(wanted), columns=columns)

    # -- container ------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._form)

    def __getitem__(self, rows: Any) -> Self:
        if isinstance(rows, slice):
            return self._take(rows)
        index = np.asarray(rows)
        if index.shape == (0,):  # an empty list has no kind of its own
            index = index.astype(np.intp)
        kinds = "iu" if index.ndim == 0 else "iub"
        if index.ndim > 1 or index.dtype.kind not in kinds or isinstance(rows, tuple):
            raise InvalidInput(
                f"curves cannot be indexed by {rows!r}; give a number, a slice, a mask "
                "or positions of subjects"
            )
        return self._take(np.atleast_1d(index))

    def _take(self, rows: Any) -> Self:
        """Return some rows; a subclass with arrays per subject slices them along.

        It calls this method, then ``part._store(name=self.name[rows])``.
        """
        return self._of(self._form.take(rows))

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def to_kept(self) -> dict[str, Any]:
        """Return the curves as plain numbers, for a file."""
        return state_of(self._form)

    @classmethod
    def from_kept(cls, state: Mapping[str, Any]) -> SurvivalCurves:
        """Return the curves that ``to_kept`` told of."""
        return SurvivalCurves._of(form_of(state))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"curves are immutable; make new ones to change {name}")

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "survival" in state:  # as 0.1.0 stored it
            names = ("times", "survival", "interpolation", "_rates")
            form = Table(Nodes(*(state[name] for name in names)))
            state = {k: v for k, v in state.items() if k not in names}
            state["_form"] = form
        self._store(**state)

    def __repr__(self) -> str:
        form = self._form
        if not form.is_table:
            return f"{type(self).__name__}(n={len(self)}, form={form!r})"
        grid = "shared" if form.times.ndim == 1 else "own"
        return (
            f"{type(self).__name__}(n={len(self)}, nodes={form.n_nodes}, "
            f"grid={grid!r}, interpolation={form.interpolation!r})"
        )

"""Kaplan–Meier with a finite end."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import Float, as_floats, as_levels, as_plain_array
from consurv._params import AtLeast, check_params, make_rng
from consurv.curves.counts import (
    Counts,
    Numbers,
    at_events,
    at_risk_of,
    check_counts,
    count,
    product_limit,
    wide,
)
from consurv.curves.pseudo import Change, pseudo_observations
from consurv.curves.search import places_in
from consurv.outcome import Outcome

__all__ = ["KaplanMeier"]

# Draws are made this many at a time, so that temporaries stay in the cache.
_BLOCK = 1 << 18


class KaplanMeier:
    """The Kaplan–Meier estimate of one sample, extended to a finite end.

    At a tied time events come before censorings. Where the step curve does not
    reach 0, it follows the straight line through (0, 1) and (t_max, S(t_max)) from
    its last observed time on, down to 0 at t_end = t_max / (1 − S(t_max)). Every
    method speaks of this extended curve. The object cannot be changed.

    Parameters
    ----------
    y : Outcome, structured array, DataFrame or pair of arrays
        The outcomes of the sample, in any form that ``Outcome.of`` takes.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for: as if its row were repeated so often.

    Attributes
    ----------
    times : ndarray of shape (K,)
        The distinct observed times, events and censorings, ascending.
    at_risk, events : ndarray of shape (K,)
        Subjects still under observation just before each time; events at it. Sums of
        weights, where there are weights.
    survival : ndarray of shape (K,)
        S at ``times``, right-continuous.
    event_times : ndarray of shape (M,)
        The times that have at least one event.
    event_survival : ndarray of shape (M + 1,)
        1, then S after each event time: for x ≤ t_max, S(x⁻) is
        ``event_survival[np.searchsorted(event_times, x, side="left")]``.
    nodes : ndarray of shape (M + 1,)
        ``event_times``, and then infinity.
    n, n_events : int or float
        Subjects and events in the sample, as often as they weigh.
    t_max, s_max : float
        The last observed time and S there.
    t_end : float
        Where the extended curve reaches 0; ``t_max`` if ``s_max`` is 0.

    Raises
    ------
    InvalidInput
        If the sample holds no event.

    Examples
    --------
    >>> km = KaplanMeier(([1, 1, 0, 1, 0], [2, 3, 3, 5, 6]))
    >>> km
    KaplanMeier(n=5, events=3, last time=6, end=8.57143)
    >>> km.survival
    array([0.8, 0.6, 0.3, 0.3])
    >>> km.survival_at([3, 7.5]).round(3), km.survival_before([3]).round(3)
    (array([0.6  , 0.125]), array([0.8]))
    """

    times: Float
    event_times: Float
    event_survival: Float
    nodes: Float
    n: float
    n_events: float
    t_max: float
    s_max: float
    t_end: float
    _counts: Counts

    def __init__(self, y: Any, *, sample_weight: ArrayLike | None = None) -> None:
        self._of_risks(*count(Outcome.of(y).weighted(sample_weight)))

    @classmethod
    def from_arrays(
        cls, times: ArrayLike, at_risk: ArrayLike, events: ArrayLike
    ) -> KaplanMeier:
        """Rebuild the estimate from the counts that ``to_arrays`` gave.

        Parameters
        ----------
        times, at_risk, events : array-like of shape (K,)
            As the attributes of the same names.

        Returns
        -------
        KaplanMeier

        Raises
        ------
        InvalidInput
            If the arrays cannot be the counts of one sample.

        Examples
        --------
        >>> KaplanMeier.from_arrays(times=[2, 4], at_risk=[3, 1], events=[1, 0])
        KaplanMeier(n=3, events=1, last time=4, end=12)
        """
        counts = check_counts(times, at_risk, events)
        estimate = cls.__new__(cls)
        estimate._of_risks(*counts)
        return estimate

    @classmethod
    def of_counts(cls, times: Float, subjects: Numbers, events: Numbers) -> KaplanMeier:
        """Return the estimate of counts that ``tally`` gave, or that sum up such ones.

        They are neither checked nor copied, and cannot be changed afterwards: there may
        be as many as subjects. ``at_risk`` and ``events`` are made when somebody asks.

        Parameters
        ----------
        times, subjects, events : ndarray of shape (K,)
            Distinct times, ascending; how many subjects left at each, and how many of
            them by the event, of which there must be one.

        Examples
        --------
        >>> times, subjects, events = np.array([2.0, 4.0]), np.array([2, 1]), [1, 0]
        >>> KaplanMeier.of_counts(times, subjects, np.array(events))
        KaplanMeier(n=3, events=1, last time=4, end=12)
        """
        estimate = cls.__new__(cls)
        counts = times, _frozen(subjects), _frozen(events)
        estimate._estimate(times, *at_events(counts))
        estimate.__dict__["_counts"] = counts
        return estimate

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the counts that determine the estimate, for a file.

        Returns
        -------
        dict of str to ndarray
            ``times``, ``at_risk`` and ``events``.

        Examples
        --------
        >>> KaplanMeier(([1, 0], [2, 4])).to_arrays()["at_risk"]
        array([2, 1])
        """
        return {"times": self.times, "at_risk": self.at_risk, "events": self.events}

    to_kept = to_arrays

    @classmethod
    def from_kept(cls, state: Mapping[str, ArrayLike]) -> KaplanMeier:
        """Return the estimate that ``to_kept`` told of."""
        return cls.from_arrays(**state)

    def survival_at(self, t: ArrayLike) -> Float:
        """Return S(t) of the extended curve, in the shape of *t*.

        Examples
        --------
        >>> KaplanMeier(([1, 0], [2, 4])).survival_at([1, 2, 4, 6, 8])
        array([1.  , 0.5 , 0.5 , 0.25, 0.  ])
        """
        return self._look_up(_any_shape(t, "t", allow_inf=True), side="right")

    def survival_before(self, t: ArrayLike) -> Float:
        """Return S(t⁻), the probability of reaching *t*, in the shape of *t*.

        Examples
        --------
        >>> KaplanMeier(([1, 0], [2, 4])).survival_before([1, 2, 4, 6, 8])
        array([1.  , 1.  , 0.5 , 0.25, 0.  ])
        """
        return self._look_up(_any_shape(t, "t", allow_inf=True), side="left")

    def mean(self) -> float:
        """Return the mean of the extended curve, the area under it.

        Examples
        --------
        >>> KaplanMeier(([1, 0], [2, 4])).mean()
        4.0
        """
        return float(self._means_beyond[0])

    def conditional_mean(self, c: ArrayLike) -> Float:
        """Return E[T | T > c] = c + ∫_c^t_end S(t) dt / S(c), in the shape of *c*.

        Where the extended curve is 0 at c the law is a point mass there.

        Examples
        --------
        >>> KaplanMeier(([1, 0], [2, 4])).conditional_mean([1, 3, 6, 9])
        array([4., 6., 7., 9.])
        """
        c = _any_shape(c, "c")
        # Between event times nothing can happen, so the mean is constant there.
        means = self._means_beyond[places_in(self.event_times, c, "right")]
        tail = c + 0.5 * np.maximum(self.t_end - c, 0.0)
        return np.where(c < self.t_max, means, tail)

    def sample(
        self, c: ArrayLike, n_samples: int, rng: np.random.Generator | int
    ) -> Float:
        """Draw from the law of T given T > c, for each censoring time.

        Parameters
        ----------
        c : array-like of shape (n,)
        n_samples : int
            Draws per censoring time.
        rng : numpy.random.Generator or int
            The source of randomness, or a seed.

        Returns
        -------
        ndarray of shape (n, n_samples)
            Times > c: event times of the sample, and times spread evenly over the
            tail (max(c, t_max), t_end]. Where the extended curve is 0 at c every
            draw is c.

        Examples
        --------
        >>> km = KaplanMeier(([0, 1, 1], [1, 3, 4]))
        >>> km.sample([2, 3, 5], n_samples=4, rng=0)
        array([[3., 4., 4., 4.],
               [4., 4., 4., 4.],
               [5., 5., 5., 5.]])
        """
        c = as_floats(c, "c")
        check_params({"n_samples": n_samples}, {"n_samples": AtLeast(1)})
        rng = make_rng(rng, "rng")
        draws: Float = np.empty((len(c), n_samples))
        step = max(1, _BLOCK // n_samples)
        for start in range(0, len(c), step):
            rows = slice(start, start + step)
            draws[rows] = self._invert(c[rows], rng.random(draws[rows].shape))
        return draws

    def percentile_times(self, levels: ArrayLike) -> Float:
        """Return inf{t : S(t) ≤ ρ} of the extended curve, in the shape of *levels*.

        Examples
        --------
        >>> KaplanMeier(([1, 0], [2, 4])).percentile_times([0.9, 0.5, 0.25])
        array([2., 2., 6.])
        """
        level = _any_shape(levels, "levels")
        as_levels(np.unique(level))  # for the check; repeated levels are harmless
        # Rounding must not put a level just below s_max before t_max.
        tail = np.clip(self.t_end * (1.0 - level), self.t_max, self.t_end)
        return np.where(level < self.s_max, tail, self._drop_to(level))

    def member_pseudo_observations(self, y: Any) -> Float:
        """Return Nθ − (N − 1)θ₋ᵢ for subjects of the sample.

        θ is the mean of the extended curve, θ₋ᵢ that without subject i. All subjects
        together cost O(n log n).

        Parameters
        ----------
        y : Outcome, structured array, DataFrame or pair of arrays
            Outcomes of n members, in any order.

        Returns
        -------
        ndarray of shape (n,)

        Raises
        ------
        InvalidInput
            If a row is not in the sample, or is its only event.

        Examples
        --------
        >>> y = Outcome(time=[2, 4, 6], event=[1, 0, 1])
        >>> KaplanMeier(y).member_pseudo_observations(y)
        array([2., 6., 6.])
        """
        return pseudo_observations(self, Outcome.of(y), Change.REMOVE)

    def outsider_pseudo_observations(self, y: Any) -> Float:
        """Return (N + 1)θ₊ᵢ − Nθ for subjects that do not belong to the sample.

        θ is the mean of the extended curve, θ₊ᵢ that with subject i added. All
        subjects together cost O(n log n).

        Parameters
        ----------
        y : Outcome, structured array, DataFrame or pair of arrays

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> km = KaplanMeier(([1, 1], [2, 6]))
        >>> km.outsider_pseudo_observations(([1, 0], [4, 4]))
        array([4., 6.])
        """
        return pseudo_observations(self, Outcome.of(y), Change.ADD)

    def _of_risks(self, times: Float, at_risk: Numbers, events: Numbers) -> None:
        """Set the attributes from the numbers at risk."""
        place = np.flatnonzero(events)
        nodes, own = np.append(times[place], np.inf), events[place]
        self._estimate(times, nodes, np.append(at_risk[:1], at_risk[place]), own)
        self.__dict__.update(at_risk=_frozen(at_risk), events=_frozen(events))

    def _estimate(
        self, times: Float, nodes: Float, at_risk: Numbers, events: Numbers
    ) -> None:
        """Set the attributes from what ``at_events`` gives: nothing else does."""
        n, n_events = at_risk[0].item(), events.sum().item()
        kind = int if events.dtype.kind != "f" else float
        survival = product_limit(at_risk, events)
        t_max, s_max = float(times[-1]), float(survival[-1])
        self.__dict__.update(
            times=_frozen(times),
            nodes=_frozen(nodes),
            event_times=nodes[:-1],
            event_survival=_frozen(survival),
            n=kind(n),
            n_events=n_events,
            t_max=t_max,
            s_max=s_max,
            t_end=t_max / (1.0 - s_max),
        )

    @cached_property
    def at_risk(self) -> Numbers:
        """Subjects still under observation just before each time."""
        return _frozen(at_risk_of(self._counts[1]))

    @cached_property
    def events(self) -> Numbers:
        """Events at each time."""
        return _frozen(wide(self._counts[2]))

    @cached_property
    def survival(self) -> Float:
        """S at ``times``, right-continuous."""
        return _frozen(self.event_survival[np.cumsum(self.events > 0)])

    @cached_property
    def _means_beyond(self) -> Float:
        """E[T | T > c] for c before the m-th event time, m = 0 … M (M: the tail)."""
        nodes = np.append(self.event_times, self.t_max)
        half_tail = 0.5 * (self.t_end - self.t_max)
        steps = np.append(
            np.diff(nodes) * self.event_survival[1:], half_tail * self.s_max
        )
        area_from_node = np.cumsum(steps[::-1])[::-1]
        means = nodes + half_tail  # stays for the last one, where S may be 0
        means[:-1] = nodes[:-1] + area_from_node[:-1] / self.event_survival[:-1]
        means.setflags(write=False)
        return means

    def _look_up(self, t: Float, side: Any) -> Float:
        steps = self.event_survival[places_in(self.event_times, t, side)]
        left = np.maximum(self.t_end - t, 0.0) / self.t_end
        return np.where(t > self.t_max, np.minimum(left, self.s_max), steps)

    def _drop_to(self, level: Float) -> Float:
        """Return the first event time with S ≤ level, or t_end."""
        rising = self.event_survival[::-1]
        drop = self.event_survival.size - np.searchsorted(rising, level, side="right")
        return np.minimum(self.nodes[drop - 1], self.t_end)

    def _invert(self, c: Float, uniform: Float) -> Float:
        """Turn uniforms in [0, 1) of shape (n, R) into draws of T given T > c."""
        alive = self._look_up(c, side="right")
        level = alive[:, None] * uniform  # < S(c), so the draw is > c
        draws = self._drop_to(level)
        # The tail, spread evenly between its start and t_end, never at its start.
        tail = np.minimum(alive, self.s_max)[:, None]
        row, column = np.nonzero(level < tail)
        start = np.maximum(c, self.t_max)[row]
        share = level[row, column] / tail[row, 0]
        times = self.t_end - (self.t_end - start) * share
        draws[row, column] = np.maximum(times, np.nextafter(start, np.inf))
        draws[alive == 0] = c[alive == 0, None]
        return draws

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KaplanMeier):
            return NotImplemented
        theirs = other.to_arrays()
        return all(np.array_equal(a, theirs[k]) for k, a in self.to_arrays().items())

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"KaplanMeier is immutable; make a new one to change {name}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        if "_counts" in self.__dict__:  # they are shorter
            return type(self).of_counts, self._counts
        return type(self).from_arrays, (self.times, self.at_risk, self.events)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n={self.n:.10g}, events={self.n_events:.10g}, "
            f"last time={self.t_max:g}, end={self.t_end:g})"
        )


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _any_shape(values: ArrayLike, name: str, *, allow_inf: bool = False) -> Float:
    array = as_plain_array(values, name)
    return as_floats(array, name, ndim=array.ndim, allow_inf=allow_inf)

"""Outcomes: what was observed for each subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import (
    Bool,
    Float,
    as_floats,
    as_plain_array,
    check_magnitude,
    check_same_length,
    from_arrow,
)
from consurv._fields import pick_fields
from consurv._weights import Weighing, as_weights
from consurv.errors import InvalidInput

__all__ = ["Outcome", "as_events"]

_DTYPE = np.dtype([("event", np.bool_), ("time", np.float64)])


class Outcome:
    """Right-censored outcomes of n subjects.

    Parameters
    ----------
    time : array-like of shape (n,)
        Observed times, > 0, in any unit.
    event : array-like of shape (n,)
        True or 1 where the event happened at ``time``, False or 0 where the subject
        was right-censored there.
    weight : array-like of shape (n,), optional
        How many subjects each stands for, 0 for none; by default 1 each. Parts keep
        their weights. Wherever outcomes are taken, ``sample_weight=`` means the same.

    Raises
    ------
    InvalidInput
        If times are not finite and positive, events are not bool or exactly 0/1, the
        lengths differ, or weights are negative, not finite or all zero.

    Examples
    --------
    >>> y = Outcome(time=[5, 2, 9], event=[1, 0, 1])
    >>> len(y), y.n_events
    (3, 2)
    >>> y[1:].time
    array([2., 9.])
    >>> y.weighted([1, 0.5, 2])[1:]
    Outcome(n=2, events=1, last time=9, weight=2.5)
    """

    __slots__ = ("event", "time", "weight")

    time: Float
    event: Bool
    weight: Float | None

    def __init__(
        self, time: ArrayLike, event: ArrayLike, weight: ArrayLike | None = None
    ) -> None:
        _check_not_swapped(time, event)
        times, events = _check_time(time), as_events(event)
        check_same_length(time=len(times), event=len(events))
        weights = None
        if weight is not None:
            weights = as_weights(weight, len(times), "weight", of="time")
        _freeze(self, times, events, weights)

    @classmethod
    def of(cls, y: Any) -> Outcome:
        """Read outcomes from any of the forms that users hold them in.

        Parameters
        ----------
        y : Outcome, structured array, DataFrame or pair of arrays
            A structured array holds an event and a time field, as in
            scikit-survival; a pandas or polars DataFrame has the columns ``event``
            and ``time``; a pair is the tuple ``(event, time)``. Rows are read by
            position.

        Returns
        -------
        Outcome

        Examples
        --------
        >>> Outcome.of(([True, False], [3.0, 4.0]))
        Outcome(n=2, events=1, last time=4)
        """
        if isinstance(y, Outcome):
            return y
        y = from_arrow(y)
        if isinstance(y, tuple):
            if len(y) != 2:
                raise InvalidInput(
                    f"y is a tuple of {len(y)}; give the pair (event, time)"
                )
            return cls(event=y[0], time=y[1])
        if hasattr(y, "columns"):
            names = {str(name): name for name in y.columns}
            event, time = pick_fields(
                [str(name) for name in y.columns],
                is_binary=lambda name: _is_binary(y[names[name]]),
            )
            return cls(event=y[names[event]], time=y[names[time]])
        fields = getattr(getattr(y, "dtype", None), "names", None)
        if fields:
            if isinstance(y, np.ma.MaskedArray):
                as_plain_array(y, "y")  # refuses it
            event, time = pick_fields(
                fields, y.dtype, is_binary=lambda name: _is_binary(y[name])
            )
            return cls(event=y[event], time=y[time])
        raise InvalidInput(
            f"y is {_describe(y)}, which does not say what is time and what is event; "
            "give Outcome(time=..., event=...), a structured array or a DataFrame "
            "with the fields event and time, or the tuple (event, time)"
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Outcome]) -> Outcome:
        """Return the subjects of all parts, one part after the other.

        Examples
        --------
        >>> Outcome.concatenate([Outcome([5, 2], [1, 0]), Outcome([9], [1])])
        Outcome(n=3, events=2, last time=9)
        """
        whole = object.__new__(Outcome)
        time = np.concatenate([part.time for part in parts])
        weight = None
        if any(part.weight is not None for part in parts):
            weight = np.concatenate([part.weights for part in parts])
        _freeze(whole, time, np.concatenate([part.event for part in parts]), weight)
        return whole

    def weighted(self, sample_weight: ArrayLike | None) -> Outcome:
        """Return the outcomes with weights; None leaves them as they are.

        Examples
        --------
        >>> Outcome(time=[5, 2], event=[1, 0]).weighted([3, 1]).weight
        array([3., 1.])
        """
        if sample_weight is None:
            return self
        if self.weight is not None:
            raise InvalidInput(
                "sample_weight is given, and the outcomes have weights of their own; "
                "give them once"
            )
        found = object.__new__(Outcome)
        _freeze(found, self.time, self.event, as_weights(sample_weight, len(self)))
        return found

    @property
    def unweighted(self) -> Outcome:
        """The outcomes without their weights."""
        if self.weight is None:
            return self
        found = object.__new__(Outcome)
        _freeze(found, self.time, self.event)
        return found

    @property
    def weights(self) -> Float:
        """How many subjects each stands for: ``weight``, or ones."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def counted(self) -> Bool | None:
        """Who has a weight above 0; None where all do."""
        if self.weight is None or (self.weight > 0).all():
            return None
        return self.weight > 0

    @property
    def counting(self) -> Outcome:
        """The outcomes of those who count; without weights if these are all 1."""
        counted = self.counted
        if counted is None:
            return self
        found, weight = object.__new__(Outcome), self.weights[counted]
        own = None if (weight == 1).all() else weight
        _freeze(found, self.time[counted], self.event[counted], own)
        return found

    @property
    def total_weight(self) -> float:
        """How many subjects all of them stand for."""
        return len(self) if self.weight is None else float(self.weight.sum())

    @property
    def weighing(self) -> Weighing | None:
        """What the weights come to; None without weights."""
        return None if self.weight is None else Weighing.of(self.weight)

    @property
    def n_events(self) -> int:
        """Number of subjects whose event was seen."""
        return int(np.count_nonzero(self.event))

    @property
    def shape(self) -> tuple[int]:
        """``(n,)``, so that scikit-learn slices outcomes like an array."""
        return (len(self.time),)

    def in_unit(self, unit: float) -> Outcome:
        """Return the outcomes with times counted in another unit.

        Examples
        --------
        >>> Outcome(time=[5, 2], event=[1, 0]).in_unit(2.0).time
        array([2.5, 1. ])
        """
        found = object.__new__(Outcome)
        _freeze(found, self.time / unit, self.event, self.weight)
        return found

    def to_structured(self) -> NDArray[np.void]:
        """Return a structured array (event, time), the form of scikit-survival.

        Examples
        --------
        >>> Outcome(time=[5, 2], event=[1, 0]).to_structured()["time"]
        array([5., 2.])
        """
        array = np.empty(len(self), dtype=_DTYPE)
        array["event"], array["time"] = self.event, self.time
        return array

    def to_kept(self) -> dict[str, Any]:
        """Return times, events and weights, for a file."""
        return {"time": self.time, "event": self.event, "weight": self.weight}

    @classmethod
    def from_kept(cls, state: Mapping[str, Any]) -> Outcome:
        """Return the outcomes that ``to_kept`` told of."""
        return Outcome(**state)

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, rows: Any) -> Outcome:
        if isinstance(rows, tuple):  # scikit-learn indexes as y[rows, ...]
            rows = rows[0]
        # Parts of a checked outcome need no second check.
        part = object.__new__(Outcome)
        time, event = self.time[rows], self.event[rows]
        weight = None if self.weight is None else np.atleast_1d(self.weight[rows])
        _freeze(part, np.atleast_1d(time), np.atleast_1d(event), weight)
        return part

    def __iter__(self) -> Iterator[tuple[bool, float]]:
        return zip(self.event.tolist(), self.time.tolist(), strict=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return (
            np.array_equal(self.time, other.time)
            and np.array_equal(self.event, other.event)
            and np.array_equal(self.weights, other.weights)
        )

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Outcome is immutable; make a new one to change {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.time, self.event, self.weight)

    def __repr__(self) -> str:
        last = f", last time={self.time.max():g}" if len(self) else ""
        weight = "" if self.weight is None else f", weight={self.total_weight:g}"
        return f"Outcome(n={len(self)}, events={self.n_events}{last}{weight})"


def _freeze(
    outcome: Outcome, time: Float, event: Bool, weight: Float | None = None
) -> None:
    for name, array in (("time", time), ("event", event), ("weight", weight)):
        if array is not None:
            array.setflags(write=False)
        object.__setattr__(outcome, name, array)


def _rebuilt(time: Float, event: Bool, weight: Float | None) -> Outcome:
    """Return a pickled outcome: some of its parts may weigh nothing at all."""
    outcome = object.__new__(Outcome)
    _freeze(outcome, time, event, weight)
    return outcome


def _check_not_swapped(time: ArrayLike, event: ArrayLike) -> None:
    if _is_binary(time) and not _is_binary(event):
        raise InvalidInput(
            "time holds only 0 and 1 while event does not: time and event look "
            "swapped; the pair is (event, time)"
        )


def _check_time(time: ArrayLike) -> Float:
    times: Float = as_floats(time, "time").copy()
    if (times <= 0).any():
        bad = np.flatnonzero(times <= 0)
        raise InvalidInput(
            f"time has {bad.size} values <= 0, the first at row {bad[0]}: "
            f"{times[bad[0]]:g}; drop them, or add half a unit to all times (to these "
            "alone, all would look as if counted in half units)"
        )
    check_magnitude(times, "time")
    return times


def _is_binary(values: ArrayLike) -> bool:
    if isinstance(values, np.ma.MaskedArray):
        return False
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, RuntimeError):  # refused later, in our words
        return False
    return array.dtype.kind == "b" or (
        array.dtype.kind in "iuf" and bool(np.isin(array, (0, 1)).all())
    )


def as_events(event: ArrayLike) -> Bool:
    """Return events as a new array of bool, refusing all but bool and exactly 0/1."""
    array = as_plain_array(event, "event")
    if array.dtype.kind == "b" and array.ndim == 1:
        return array.copy()
    numbers: Float = as_floats(array, "event")
    codes = np.unique(numbers)
    if not np.isin(codes, (0.0, 1.0)).all():
        raise InvalidInput(_explain_codes(codes))
    return np.asarray(numbers == 1)


def _explain_codes(codes: Float) -> str:
    shown = ", ".join(f"{code:g}" for code in codes[:6])
    shown += ", ..." if codes.size > 6 else ""
    start = f"event must be bool or exactly 0/1, got the values {shown}"
    if codes.tolist() == [1.0, 2.0]:
        return f"{start}; if 2 means that the event happened, pass event == 2"
    if codes.tolist() == [-1.0, 1.0]:
        return f"{start}; if 1 means that the event happened, pass event == 1"
    whole = bool((codes == np.round(codes)).all()) and codes.min() >= 0
    if whole and codes.size <= 10:
        return (
            f"{start}; competing causes are not supported: "
            "pass event == (the cause of interest)"
        )
    return f"{start}; are time and event swapped? The pair is (event, time)"


def _describe(y: Any) -> str:
    if y is None:
        return "None"
    shape = getattr(y, "shape", None)
    has_shape = isinstance(shape, tuple) and shape
    return f"a {type(y).__name__}" + (f" of shape {shape}" if has_shape else "")

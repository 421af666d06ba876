"""Which field of y is the time and which the event, or what to write instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from consurv.errors import InvalidInput

__all__ = ["pick_fields"]

# Columns that mean a kind of data this package does not model, by the usual names.
_REFUSED_FIELDS = {
    "left truncation": ("entry", "start", "stop", "tstart", "tstop", "truncation"),
    "interval censoring": ("lower", "upper", "left", "right", "lower_bound"),
    "competing causes": ("cause", "cause_of_death", "event_type"),
}


def pick_fields(
    names: Sequence[str],
    dtype: np.dtype[Any] | None = None,
    is_binary: Callable[[str], bool] | None = None,
) -> tuple[str, str]:
    """Return the names of the event and the time field.

    Parameters
    ----------
    names : sequence of str
    dtype : dtype, optional
        Of a structured array.
    is_binary : function, optional
        Says whether a field holds 0 and 1 alone; for the message.

    Examples
    --------
    >>> pick_fields(["Time", "Event"])
    ('Event', 'Time')
    >>> pick_fields(["week", "arrest"])
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: y has the fields ['week', 'arrest'], none of which is \
called event and none time; say which is which: Outcome(time=y["..."], event=y["..."])
    """
    names = list(names)
    by_lower = {name.lower(): name for name in names}
    if len(names) == 2 and {"event", "time"} == set(by_lower):
        return by_lower["event"], by_lower["time"]
    if dtype is not None and len(names) == 2 and dtype[0].kind == "b":
        return names[0], names[1]  # scikit-survival: any names, the event first
    _check_supported(names, by_lower)
    _check_no_twins(names)
    if {"event", "time"} <= set(by_lower):
        extra = [n for n in names if n not in (by_lower["event"], by_lower["time"])]
        raise InvalidInput(
            f"y has fields besides event and time: {extra}; give only these two"
        )
    lacking = [name for name in ("event", "time") if name not in by_lower]
    raise InvalidInput(
        f"y has the fields {names}, none of which is called "
        f"{' and none '.join(lacking)}; say which is which: "
        f"{_way_out(names, is_binary)}"
    )


def _check_supported(names: list[str], by_lower: dict[str, str]) -> None:
    for kind, refused in _REFUSED_FIELDS.items():
        found = [by_lower[name] for name in refused if name in by_lower]
        if found:
            raise InvalidInput(
                f"y has the fields {names}; {found[0]!r} means {kind}, which is not "
                "supported: give right-censored outcomes with the fields event and time"
            )


def _check_no_twins(names: list[str]) -> None:
    counts = Counter(name.lower() for name in names)
    for wanted in ("time", "event"):
        if counts[wanted] > 1:
            twins = [name for name in names if name.lower() == wanted]
            raise InvalidInput(
                f"y has {counts[wanted]} fields called {wanted}: "
                f"{', '.join(map(repr, twins))}; rename or drop all but one"
            )


def _way_out(names: list[str], is_binary: Callable[[str], bool] | None) -> str:
    """Return the call that says which is which, with names where they are clear."""
    time = event = "..."
    if len(names) == 2 and is_binary is not None and len(set(names)) == 2:
        flags = [name for name in names if is_binary(name)]
        if len(flags) == 1:
            event = flags[0]
            time = names[1 - names.index(event)]
    is_censoring = event.lower().startswith("cens")  # 1 means that no event was seen
    flag = f'y["{event}"]'
    flag = f"1 - {flag}" if is_censoring else flag
    return f'Outcome(time=y["{time}"], event={flag})'

"""The very rows that the authors' code trains and tests on, seed by seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from consurv.outcome import Outcome

__all__ = ["Rows", "authors_split"]

Rows = NDArray[np.intp]

# Edges of the time bins that their stratifier sees: 19 equal bins.
_EDGES = 20
_VALIDATION, _TEST = 0.1, 0.1


def authors_split(y: Outcome, seed: int) -> tuple[Rows, Rows, Rows]:
    """Return the rows of training, validation and test set, 80/10/10.

    Their ``survival_data_split`` shuffles the rows and hands (time bin, event) to the
    iterative stratification of scikit-multilearn 0.2.0, which takes a label for there
    or not there: a time is "there" unless it is the shortest of all. So events are
    dealt out first, then those censored, each where most of its kind are wanted.
    Draws come from one generator and one shuffle of the same seed, in this order.

    Parameters
    ----------
    y : Outcome
        In the order of the authors' file.
    seed : int

    Examples
    --------
    >>> from consurv.datasets import make_weibull
    >>> y = make_weibull(100, random_state=0).outcome
    >>> [len(rows) for rows in authors_split(y, 0)]
    [80, 10, 10]
    """
    draws = np.random.RandomState(seed)
    edges = np.linspace(y.time.min(), y.time.max(), _EDGES)
    late = np.digitize(y.time, edges, right=True) > 0
    rest, test = _deal(np.arange(len(y)), late, y.event, _TEST, seed, draws)
    share = _VALIDATION / (1 - _TEST)
    train, validation = _deal(rest, late, y.event, share, seed, draws)
    return train, validation, test


def _deal(
    rows: Rows,
    late: NDArray[np.bool_],
    event: NDArray[np.bool_],
    share: float,
    seed: int,
    draws: np.random.RandomState,
) -> tuple[Rows, Rows]:
    """Return what is left and the *share* of some rows that is taken away."""
    order = np.arange(len(rows))
    np.random.RandomState(seed).shuffle(order)
    rows = rows[order]
    found = _taken(late[rows], event[rows], (share, 1.0 - share), draws)
    left = np.ones(len(rows), dtype=bool)
    left[found] = False
    return rows[left], rows[found]


def _taken(
    late: NDArray[np.bool_],
    event: NDArray[np.bool_],
    shares: tuple[float, float],
    draws: np.random.RandomState,
) -> Rows:
    """Return the positions of those who are dealt to the first of two parts."""
    members = {"late": late, "both": late & event, "event": event}
    wanted = {
        kind: np.array([has.sum() * share for share in shares])
        for kind, has in _by_first_member(members).items()
    }
    places = np.array([len(late) * share for share in shares])
    part, free = np.zeros(len(late), dtype=np.intp), np.ones(len(late), dtype=bool)
    while (kind := _next_kind({k: members[k] & free for k in wanted})) is not None:
        for row in np.flatnonzero(members[kind] & free)[::-1]:
            most = np.flatnonzero(wanted[kind] == wanted[kind].max())
            to = most[0] if len(most) == 1 else draws.choice(most, 1)[0]
            part[row], free[row] = to, False
            places[to] -= 1
            for other, open_for in wanted.items():
                open_for[to] -= members[other][row]
    for row in np.flatnonzero(free)[::-1]:
        part[row] = draws.choice(np.flatnonzero(places > 0), 1)[0]
        places[part[row]] -= 1
    return np.flatnonzero(part == 0)


def _by_first_member(
    members: dict[str, NDArray[np.bool_]],
) -> dict[str, NDArray[np.bool_]]:
    """Return the kinds that have members, in the order in which the first one comes."""
    there = {kind: has for kind, has in members.items() if has.any()}
    return dict(sorted(there.items(), key=lambda item: int(np.argmax(item[1]))))


def _next_kind(free: dict[str, NDArray[np.bool_]]) -> str | None:
    """Return who is dealt out next: those of two labels before larger kinds of one."""
    chosen, size = None, 0
    for kind, has in free.items():
        n = int(has.sum())
        better = chosen != "both" and kind == "both" and n < size
        if n and (chosen is None or better):
            chosen, size = kind, n
    return chosen

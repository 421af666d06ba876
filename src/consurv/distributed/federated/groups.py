"""Counts of subjects by score, merged where they would be too small to be told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np

from consurv._checks import Float

__all__ = ["Group", "Groups"]

Side = Literal["left", "right"]


@dataclass(frozen=True)
class Group:
    """Some subjects, as many as the minimum or more.

    All but a few have one score; nobody says how many the few are, or where between
    two scores they lie. Where no score has so many subjects, the few may be all.

    Attributes
    ----------
    count : int
    main : float
        The score that most have.
    few : int
        At most so many have another one,
    after, before : float or None
        which lies between these; None is no limit.
    """

    count: int
    main: float
    few: int
    after: float | None
    before: float | None

    def __post_init__(self) -> None:
        if not 0 <= self.few <= self.count or self.count < 1:
            raise ValueError("counts of scores do not fit together")

    @property
    def limits(self) -> tuple[float, float]:
        """Where the few lie."""
        return (
            -np.inf if self.after is None else self.after,
            np.inf if self.before is None else self.before,
        )


@dataclass(frozen=True)
class Groups:
    """The subjects of a site at one level.

    Examples
    --------
    >>> scores = np.repeat([-2.0, -1.0, 0.0, 1.0, 2.0], [2, 3, 9, 7, 2])
    >>> found = Groups.of(scores, minimum=5)
    >>> for group in found.groups:
    ...     print(group)
    Group(count=5, main=-1.0, few=5, after=None, before=0.0)
    Group(count=9, main=0.0, few=0, after=0.0, before=0.0)
    Group(count=9, main=1.0, few=4, after=1.0, before=None)
    >>> places = np.array([-1.5, 0.0, 1.0])
    >>> found.surely(places), found.perhaps(places)
    (array([ 0, 14, 19]), array([ 5, 14, 23]))
    """

    groups: tuple[Group, ...]

    @classmethod
    def of(cls, scores: Float, minimum: int) -> Groups:
        """Return groups of *minimum* subjects at least; there must be so many, or none.

        A score with so many subjects is told; those between two such scores are a
        group, or several, if they are enough, and otherwise the few of a neighbour.
        """
        values, counts = np.unique(scores, return_counts=True)
        cells = zip(values.tolist(), counts.tolist(), strict=True)
        runs = [
            (large, list(some))
            for large, some in groupby(cells, lambda c: c[1] >= minimum)
        ]
        found: list[Group] = []
        waiting = 0  # too few to be a group, for the next score with enough subjects
        for i, (large, run) in enumerate(runs):
            if large:
                for value, count in run:
                    found.append(_group(found, value, count, waiting, minimum))
                    waiting = 0
                continue
            before = runs[i + 1][1][0][0] if i + 1 < len(runs) else None
            total = sum(count for _, count in run)
            if total >= minimum:
                found += _merged(
                    run, minimum, found[-1].main if found else None, before
                )
            elif found and (i + 1 == len(runs) or not found[-1].few):
                last = found.pop()
                after = last.after if last.few else last.main
                found.append(_joined(last, total, minimum, after, before))
            else:
                waiting = total
        return cls(tuple(found))

    @property
    def n(self) -> int:
        """Number of subjects."""
        return sum(group.count for group in self.groups)

    def surely(self, s: Float, side: Side = "right") -> Any:
        """Return how many have scores of at most s, or below it, at least."""
        total = np.zeros(len(s), dtype=np.int64)
        for group in self.groups:
            found = group.count - np.where(s >= group.limits[1], 0, group.few)
            total += np.where(_reaches(s, group.main, side), found, 0)
        return total

    def perhaps(self, s: Float, side: Side = "right") -> Any:
        """Return how many have scores of at most s, or below it, at most."""
        total = np.zeros(len(s), dtype=np.int64)
        for group in self.groups:
            found = np.where(s > group.limits[0], group.few, 0)
            total += np.where(_reaches(s, group.main, side), group.count, found)
        return total

    def to_plain(self) -> list[list[Any]]:
        """Return a list for each group."""
        return [list(astuple(group)) for group in self.groups]

    @classmethod
    def from_plain(cls, values: list[list[Any]]) -> Groups:
        """Return the groups that ``to_plain`` gave."""
        return cls(
            tuple(
                Group(int(count), float(main), int(few), _limit(after), _limit(before))
                for count, main, few, after, before in values
            )
        )


def _limit(score: Any) -> float | None:
    return None if score is None else float(score)


def _reaches(s: Float, score: float, side: Side) -> Any:
    return s >= score if side == "right" else s > score


def _group(
    found: list[Group], value: float, count: int, waiting: int, minimum: int
) -> Group:
    """Return the group of one score, with those who waited for it."""
    alone = Group(count, value, 0, value, value)
    if not waiting:
        return alone
    after = found[-1].main if found else None
    return _joined(alone, waiting, minimum, after, value)


def _joined(
    group: Group, few: int, minimum: int, after: float | None, before: float | None
) -> Group:
    """Return a group with some more, too few to be told of."""
    count = group.count + few
    # As many as the minimum have the score, and others are less than that.
    most = min(group.few + minimum - 1, count - minimum)
    return Group(count, group.main, most, after, before)


def _merged(
    run: list[tuple[float, int]],
    minimum: int,
    after: float | None,
    before: float | None,
) -> Iterator[Group]:
    """Yield groups of neighbouring scores, none of which has enough subjects."""
    ends, sizes, size = [], [], 0
    for value, count in run:
        size += count
        if size >= minimum:
            ends.append(value)
            sizes.append(size)
            size = 0
    sizes[-1] += size
    limits = [after, *(float(np.nextafter(end, np.inf)) for end in ends[:-1]), before]
    for i, (end, size) in enumerate(zip(ends, sizes, strict=True)):
        low = limits[i] if i == 0 else ends[i - 1]
        yield Group(size, end, size, low, limits[i + 1])

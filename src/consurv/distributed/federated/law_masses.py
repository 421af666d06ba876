"""The mass of the censored subjects of a site, at places that all sites share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.censoring.laws.law import AT_THE_END
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.masses import UNIT, in_units, to_mass
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.distributed.federated.ruler import Ruler

__all__ = ["LawMasses", "breaks_of", "law_masses"]

# What is told of the mass just before a place: all, or that fewer subjects than the
# minimum add to it since the last place, or to the jump at the place, or have more to
# come.
_TOLD, _LITTLE_BEFORE, _LITTLE_AT, _FULL = 0, 1, 2, 3
_GRAIN = 1 / 16


@dataclass(frozen=True)
class LawMasses:
    """Mass at some of the places of a level: before each, and at it.

    At places that are left out fewer subjects than the minimum have added to it since
    the last one. From the last place on fewer than that have mass to come, where
    *full* says so.

    Attributes
    ----------
    kept : ndarray of int of shape (K,)
        Which places.
    before, at : ndarray of int of shape (K, 2)
        Mass as whole and units; where there is a minimum, in sixteenths, rounded down.
    told : ndarray of int of shape (K,)
        0, or why the mass before a place is not told.
    full : bool
        Then nothing is told of the mass at the last place, but that it is nearly all.
    """

    kept: Index
    before: Index
    at: Index
    told: Index
    full: bool

    def bounds(self, size: int, n: int, minimum: int) -> Float:
        """Return bounds at all *size* places, (2, 2, size), of n subjects.

        First those from below, before each place and at it, then those from above.
        """
        few, grain = minimum - 1, _grain(minimum)
        last, after = (0.0, 0.0), 0
        found = np.zeros((2, 2, size))
        rows = zip(
            self.kept, self.told, to_mass(self.before), to_mass(self.at), strict=True
        )
        for i, (k, told, before, at) in enumerate(rows):
            full = self.full and i + 1 == len(self.kept)
            ends = (max(last[0], n - few), n) if full else (at, min(at + grain, n))
            low, high = {
                _TOLD: (before, min(before + grain, n)),
                _LITTLE_BEFORE: (last[0], min(ends[1], last[1] + few)),
                _LITTLE_AT: (max(last[0], ends[0] - few), ends[1]),
                _FULL: ends,
            }[int(told)]
            between = np.array([last[0], min(high, last[1] + few)])
            found[:, :, after:k] = between[:, None, None]
            found[:, 0, k], found[:, 1, k] = (low, high), ends
            last, after = ends, k + 1
        ends = (last[0], n if self.full else min(last[1] + few, n))
        found[:, :, after:] = np.array(ends)[:, None, None]
        return found

    def to_plain(self) -> dict[str, Any]:
        """Return lists."""
        arrays = ("kept", "before", "at", "told")
        return {k: getattr(self, k).tolist() for k in arrays} | {"full": self.full}

    @classmethod
    def from_plain(cls, values: Mapping[str, Any], size: int) -> LawMasses:
        """Return what ``to_plain`` gave for *size* places."""
        kept, told = (np.array(values[k], np.int64) for k in ("kept", "told"))
        before, at = (
            np.array(values[k], np.int64).reshape(-1, 2) for k in ("before", "at")
        )
        if not len(kept) == len(before) == len(at) == len(told):
            raise ValueError("masses do not fit together")
        if kept.size and (np.diff(kept, prepend=-1).min() < 1 or kept[-1] >= size):
            raise ValueError("masses are at other places than those asked for")
        return cls(kept, before, at, told, bool(values["full"]))


def breaks_of(curve: KaplanMeier, *, with_laws: bool) -> Float:
    """Return the times at which mass can jump or turn, ascending."""
    more = [curve.t_max, curve.t_end] if with_laws else []
    return np.unique(np.concatenate([curve.event_times, more]))


def law_masses(
    block: Block,
    p: int,
    ruler: Ruler,
    curve: KaplanMeier,
    places: Float,
    minimum: int,
) -> LawMasses:
    """Return Σ P(T ≥ x | T > c) over the censored subjects of a block, at places.

    No step between masses is that of fewer than *minimum* subjects, unless of none.
    With a minimum of 1 masses are exact.
    """
    rows = ~block.outcome.event & (block.reading[:, p] < np.inf)
    some = replace(
        block, reading=block.reading[rows], outcome=block.outcome[rows], features=None
    )
    c, breaks = some.outcome.time, breaks_of(curve, with_laws=True)
    at_c = curve.survival_at(c)
    kept, masses, told, full = [], [], [], False
    last = np.zeros(len(c))
    for place, score in enumerate(places.tolist()):
        x = ruler.times(some, p, score, breaks)
        before = _shares(curve.survival_at(x), at_c, x < c)
        at = _shares(curve.survival_before(x), at_c, x <= c)
        full = _few(at < 1, minimum)
        if _few(at > last, minimum) and not full:
            continue
        how = _told(last, before, None if full else at, minimum)
        kept.append(place)
        told.append(how)
        # What is not told must not stand there, either.
        nothing = np.zeros(len(c))
        shown = [nothing if how else before, nothing if full else at]
        masses.append(in_units(np.stack(shown)))
        if full:
            break
        last = at
    found = np.array(masses, np.int64).reshape(-1, 2, 2)
    if minimum > 1:
        found[..., 1] -= found[..., 1] % round(_grain(minimum) / UNIT)
    return LawMasses(
        np.array(kept, np.int64), found[:, 0], found[:, 1], np.array(told, int), full
    )


def _grain(minimum: int) -> float:
    """Return what masses are multiples of, rounded down.

    All digits of a sum of a few known fractions would tell which ones they are.
    """
    return _GRAIN if minimum > 1 else 0.0


def _few(rows: Bool, minimum: int) -> bool:
    return bool(0 < np.count_nonzero(rows) < minimum)


def _told(last: Float, before: Float, at: Float | None, minimum: int) -> int:
    if at is None and _few(before < 1, minimum):
        return _FULL
    if _few(before > last, minimum):
        return _LITTLE_BEFORE
    return _LITTLE_AT if at is not None and _few(at > before, minimum) else _TOLD


def _shares(survival: Float, at_c: Float, reached: Any) -> Float:
    """Return min(1, S(x)/S(c)); where S(c) is 0 the law is a point at c."""
    spread = at_c > AT_THE_END
    ratio = np.minimum(survival, at_c) / np.where(spread, at_c, 1.0)
    return np.where(spread, ratio, reached.astype(np.float64))

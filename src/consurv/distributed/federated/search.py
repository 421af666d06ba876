"""The conformal quantile of a level from counts and masses on a lattice.

Where counts were merged the mass is known between two bounds; the smallest score with
enough of it is told only if both lead to the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv.conformal.quantile.search import rank
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.distributed.federated.groups import Groups
from consurv.distributed.federated.law_masses import LawMasses, breaks_of
from consurv.distributed.federated.ruler import Ruler
from consurv.errors import InvalidInput

__all__ = ["LevelTables"]

_SAME = 1e-11
_MOST_PLACES = 1 << 14


@dataclass(frozen=True)
class LevelTables:
    """What all sites tell of one level.

    Parameters
    ----------
    level : float
    events, censored : sequence of Groups
        One for each site; no censored ones where they do not count.
    """

    level: float
    events: Sequence[Groups]
    censored: Sequence[Groups]

    @property
    def n(self) -> int:
        """Number of subjects that count."""
        return sum(groups.n for groups in (*self.events, *self.censored))

    @property
    def rank(self) -> int:
        """The k of the level."""
        return rank(self.level, self.n)

    @property
    def wanted(self) -> int:
        """The mass that is wanted."""
        return min(self.rank, self.n)

    @property
    def target(self) -> float:
        """The same, less what rounding may take."""
        return self.wanted - (1e-9 + 1e-12 * self.n)

    def places(self, ruler: Ruler, curve: KaplanMeier) -> Float:
        """Return the scores of which one is the quantile, or next to it."""
        told = (*self.events, *self.censored)
        ends = np.unique([group.main for some in told for group in some.groups])
        if not ends.size:
            return ends
        # Whoever is censored counts in full from the score of c on.
        sure = sum(some.surely(ends) for some in told)
        last = ends[min(int(np.searchsorted(sure, self.target)), len(ends) - 1)]
        breaks = breaks_of(curve, with_laws=bool(self.censored))
        places = ruler.places(breaks, float(last))
        most = sum(g.perhaps(places) for g in self.events) + self._reached(
            places, ruler, curve
        )
        start = int(np.searchsorted(most, self.target))
        found = places[max(start - 1, 0) :]
        if len(found) > _MOST_PLACES:
            raise InvalidInput(
                f"the lattice leaves {len(found):,} scores to look at at level "
                f"{self.level:g}; name a coarser one"
            )
        return found

    def _reached(self, places: Float, ruler: Ruler, curve: KaplanMeier) -> Float:
        """Return how many censored subjects can have any mass at scores."""
        # No law reaches beyond t_end, and nobody is censored before the first time.
        first = float(curve.times[0])
        latest = (
            places * (first / curve.t_end)
            if ruler.proportional
            else places + (curve.t_end - first)
        )
        slack = 1e-9 * (1 + np.abs(latest))
        found: Float = sum(
            (g.perhaps(latest + slack).astype(float) for g in self.censored),
            np.zeros(len(places)),
        )
        return found

    def quantile(
        self, places: Float, laws: Sequence[LawMasses], minimum: int
    ) -> float | None:
        """Return the smallest score with enough mass, None if it cannot be told."""
        bounds = np.zeros((2, 2, len(places)))
        for mass, groups in zip(laws, self.censored, strict=True):
            bounds += mass.bounds(len(places), groups.n, minimum)
        for groups in self.events:
            bounds[0] += groups.surely(places, "left"), groups.surely(places)
            bounds[1] += groups.perhaps(places, "left"), groups.perhaps(places)
        # Mass does not fall, and what is known at a score is known beyond.
        rising = bounds.transpose(0, 2, 1).reshape(2, -1)
        rising[0] = np.maximum.accumulate(rising[0])
        rising[1] = np.minimum.accumulate(rising[1, ::-1])[::-1]
        late, early = (self._first(places, some[::2], some[1::2]) for some in rising)
        room = _SAME * (abs(late) + abs(early))
        same = np.isfinite([late, early]).all() and late - early <= room
        return late if same else None

    def _first(self, places: Float, before: Float, at: Float) -> float:
        """Return where mass that is a line between places reaches the target."""
        i = int(np.searchsorted(at, self.target))
        if i == len(places):
            return np.inf
        if before[i] < self.target:
            return float(places[i])
        if i == 0:
            return -np.inf
        share = (self.wanted - at[i - 1]) / (before[i] - at[i - 1])
        return float(places[i - 1] + min(share, 1.0) * (places[i] - places[i - 1]))

    def n_events(self, score: float) -> int:
        """Return how many events have scores up to one, at least."""
        return int(sum(groups.surely(np.array([score]))[0] for groups in self.events))

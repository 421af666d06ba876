"""What each subject tells of P(T ≥ q|x), if either of two models is right."""

from __future__ import annotations

import numpy as np

from consurv._checks import Bool, Float
from consurv.curves.curves import SurvivalCurves
from consurv.weighting.augmentation import Augmentation
from consurv.weighting.sample import Sample, before
from consurv.weighting.weights import check_seen, inverse

__all__ = ["Augmented", "seen_at"]


class Augmented:
    """θ of each subject: what it tells of P(T ≥ q|x), unbiased if S or G is right.

    Parameters
    ----------
    sample : Sample
        Censored.
    most : float
        1/G is clipped there.
    until : ndarray of shape (n,), optional
        Where weighting ends: who is seen until then goes on as the event model says.
        *covered* is then to be Y ≥ q and q ≤ until.
    """

    def __init__(
        self, sample: Sample, most: float = np.inf, until: Float | None = None
    ) -> None:
        self._censoring: SurvivalCurves = sample.known_censoring
        self._event = sample.model if sample.event is None else sample.event
        time, self._most = sample.outcome.time, most
        self._sums = Augmentation(self._censoring, self._event, time, most)
        # Of those whose q lies beyond Y, to be multiplied by S(q⁻).
        g = inverse(self._censoring.survival_at_observed(time), most)
        s = np.nan_to_num(inverse(self._event.survival_at_observed(time)), nan=0.0)
        own = time[:, None]
        lost = np.where(s > 0, g * s, 0.0) - self._sums.until(own)[:, 0]
        past = -self._sums.before(own)[:, 0]
        later = np.where(sample.outcome.event, past, lost)
        if until is not None:
            later = np.where(time >= until, self._from(until[:, None]), later)
        self._later = later[:, None]

    def _from(self, until: Float) -> Float:
        """Return what is to be multiplied by S(q⁻) of who is last seen before then."""
        g = inverse(before(self._censoring, until), self._most)
        s = np.nan_to_num(inverse(before(self._event, until)), nan=0.0)
        found: Float = np.where(s > 0, g * s, 0.0) - self._sums.before(until)
        return found[:, 0]

    def at(self, q: Float, covered: Bool) -> Float:
        """Return θ (n, m) at times q (n, m), *covered* where Y ≥ q; NaN if unknown."""
        survival = before(self._event, q)
        reached = inverse(before(self._censoring, q), self._most)
        sums = self._sums.before(np.where(covered, q, 0.0))
        return np.where(covered, reached - survival * sums, survival * self._later)


def seen_at(sample: Sample, q: Float, most: float) -> Float:
    """Return 1/G(min(Y, q)⁻) of whom it is known at q whether T ≥ q; 0 of others."""
    time = sample.outcome.time
    known = sample.outcome.event | (time >= q)
    g = before(sample.known_censoring, np.minimum(time, q)[:, None])[:, 0]
    return check_seen(np.where(known, inverse(g, most), 0.0))

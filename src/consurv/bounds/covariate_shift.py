"""Weighted conformal: a level for every new subject, by what it weighs itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv._warnings import warn
from consurv.weighting.sample import Sample

__all__ = ["CoveredMass", "warn_of_nothing"]

# Levels that are looked at together.
_AT_ONCE = 64


@dataclass(frozen=True)
class CoveredMass:
    """How much weight of the calibration subjects is covered, level by level.

    Attributes
    ----------
    levels : ndarray of shape (m,)
        Falling.
    masses : ndarray of shape (m,)
        The least that is covered at a level and at all above it.
    total : float
        What the calibration subjects weigh.

    Examples
    --------
    Three subjects of weight 1; a new one of weight 0.5 asks for half of 3.5, one of
    weight 9 for more than all have.

    >>> mass = CoveredMass(np.array([0.9, 0.6, 0.3]), np.array([3.0, 2.0, 1.0]), 3.0)
    >>> mass.levels_for(0.5, np.array([0.5, 9.0]))
    array([0.6, 1. ])
    """

    levels: Float
    masses: Float
    total: float

    @classmethod
    def of(cls, covered: Callable[[Float], Float], sample: Sample) -> CoveredMass:
        """Look at the levels at which a bound passes somebody's time.

        Parameters
        ----------
        covered : callable
            From levels (m,) to the mass (m,) that they cover.
        sample : Sample
        """
        levels = sample.some_candidates
        parts = [
            covered(levels[i : i + _AT_ONCE]) for i in range(0, len(levels), _AT_ONCE)
        ]
        # What is not known is not covered.
        masses = np.nan_to_num(np.concatenate(parts), nan=-np.inf)
        total = float(sample.counts.sum())
        return cls(levels, np.minimum.accumulate(masses), total)

    def levels_for(self, coverage: float, weight: Float) -> Float:
        """Return the lowest levels at which Σ wᵢ·1(covered) ≥ coverage·(Σ wᵢ + w).

        The new subject's own weight w counts as one that is not covered; 1, at which
        every bound is 0, where no level covers so much.
        """
        wanted = coverage * (self.total + weight) * (1 - 1e-13)
        wanted -= 1e-9 + 1e-12 * self.total
        n_passed = np.searchsorted(-self.masses, -wanted, side="right")
        found: Float = np.append(1.0, self.levels)[n_passed]
        return found


def warn_of_nothing(levels: Float) -> None:
    """Say how many subjects weigh too much for a bound above 0."""
    none = int(np.count_nonzero(levels >= 1))
    if none:
        warn(
            f"the bound of {none} of {len(levels)} subjects is 0: they weigh so much "
            "beside the calibration subjects that no level reaches the coverage; "
            "calibrate with more subjects like them, or ask for less coverage"
        )

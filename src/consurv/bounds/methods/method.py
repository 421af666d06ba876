"""What every method for lower bounds can be asked, and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from consurv._checks import Float
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.keep.classes import KeptByAttributes
from consurv.weighting.augmented import seen_at
from consurv.weighting.sample import Sample
from consurv.weighting.search import check_information, wanted, weighted_level
from consurv.weighting.weights import Weights, weigh

__all__ = [
    "Bound",
    "LevelBound",
    "Method",
    "Options",
    "bound_at_level",
    "found",
    "split_conformal",
]


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    Attributes
    ----------
    clip : float or None
        Quantile of 1/G among events at which 1/G is clipped.
    stabilise : bool
        Weights over their mean (Hájek), where they are not anyhow.
    cutoff : float or None
        Of ``"fixed"``.
    seed : int
        Of what is drawn.
    least_seen : float or None
        Where G falls to this the bound ends; None where it may go on.
    """

    clip: float | None = None
    stabilise: bool = False
    cutoff: float | None = None
    seed: int = 0
    least_seen: float | None = None


@dataclass(frozen=True)
class Bound(KeptByAttributes, ABC):
    """A calibrated bound: from curves of new subjects to times."""

    coverage: float
    weights: Weights

    @property
    def needs_censoring(self) -> bool:
        """Whether the censoring curves of new subjects are looked at."""
        return False

    @abstractmethod
    def of(self, model: SurvivalCurves, censoring: SurvivalCurves | None) -> Float:
        """Return the bounds (n,) of subjects with these curves."""


@dataclass(frozen=True)
class LevelBound(Bound):
    """The raw curve read at another level: L(x) = q(ρ*|x).

    Attributes
    ----------
    level : float
        ρ*.
    least_censoring : float or None
        L is at most the time at which G(·|x) falls to this.
    """

    level: float = 1.0
    least_censoring: float | None = None

    @property
    def needs_censoring(self) -> bool:
        """Whether there is a cap by the censoring curve."""
        return self.least_censoring is not None

    def of(self, model: SurvivalCurves, censoring: SurvivalCurves | None) -> Float:
        """Return q(ρ*|x), capped."""
        bound = model._times_at(np.array([self.level]))[:, 0]
        return self._capped(bound, censoring)

    def at(
        self, model: SurvivalCurves, censoring: SurvivalCurves | None, levels: Float
    ) -> Float:
        """Return q(ρ|x) at a level (n,) of each subject's own, capped; 0 at level 1."""
        bound = model._form.percentile_times(levels[:, None])[:, 0]
        return self._capped(np.where(levels < 1, bound, 0.0), censoring)

    def _capped(self, bound: Float, censoring: SurvivalCurves | None) -> Float:
        if self.least_censoring is None or censoring is None:
            return bound
        cap = censoring._times_at(np.array([self.least_censoring]))[:, 0]
        return np.minimum(bound, cap)


class Method(ABC):
    """One way from calibration subjects to a bound.

    Attributes
    ----------
    name : str
    guarantee : str
        One line for the reader.
    needs_limit : bool
        Whether C of everybody must be known.
    takes_weights : bool
        Whether subjects may have weights, new ones too; then it has a ``mass``.

    Examples
    --------
    >>> from consurv.bounds import METHODS
    >>> METHODS["ipcw"].needs_limit, METHODS["fixed"].needs_limit
    (False, True)
    """

    name: ClassVar[str]
    guarantee: ClassVar[str]
    needs_limit: ClassVar[bool] = False
    takes_weights: ClassVar[bool] = False

    @abstractmethod
    def find(self, sample: Sample, coverage: float, options: Options) -> Bound:
        """Return the bound that a censored sample leads to."""

    def plain(self, sample: Sample, coverage: float) -> Bound:
        """Return the bound where nobody is censored: plain split conformal."""
        return split_conformal(sample, coverage)

    def mass(self, sample: Sample, options: Options) -> Callable[[Float], Float]:
        """Return what tells of levels (m,) how much weight (m,) they cover.

        This one is for a sample in which nobody is censored.
        """
        return lambda levels: sample.counts @ sample.covered(levels)


def split_conformal(sample: Sample, coverage: float) -> LevelBound:
    """Return the bound of a sample without censoring: plain split conformal.

    ρ* is the k-th smallest of S(T|x), k = ⌈coverage·(n + 1)⌉, and L(x) = q(ρ*|x).

    Examples
    --------
    >>> from consurv import Outcome
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 9)
    >>> sample = Sample(Outcome(time=range(1, 10), event=[1] * 9), curves)
    >>> split_conformal(sample, 0.8).level
    0.8
    """
    counts = sample.counts
    weights = weigh(counts)
    check_information(coverage, weights.effective_sample_size, len(sample))
    most = float(counts.sum()) - wanted(coverage, counts)
    level = found(weighted_level(sample.score, counts, most), "split", coverage)
    return LevelBound(coverage, weights, level)


def bound_at_level(
    sample: Sample, level: float, coverage: float, least: float | None, most: float
) -> LevelBound:
    """Return q at a level, resting on those of whom it is known whether T ≥ q.

    Parameters
    ----------
    sample : Sample
        Capped where G falls to *least*.
    level, coverage : float
    least : float or None
    most : float
        1/G is clipped there.
    """
    q = sample.bounds(np.array([level]))[:, 0]
    weights = weigh(sample.counts * seen_at(sample, q, most))
    check_information(coverage, weights.effective_sample_size, len(sample))
    return LevelBound(coverage, weights, level, least)


def found(level: float | None, name: str, coverage: float) -> float:
    """Return a level below 1, or refuse; at 1 every bound would be 0."""
    if level is None or level >= 1:
        raise InvalidInput(
            f"method={name!r} finds no bound above 0 with coverage={coverage:g}: at "
            "every time that was observed too little is known to be covered. Calibrate "
            "with more subjects, ask for less coverage or give another censoring_model"
        )
    return level

"""The search for the map of stage (a)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv.conformal.recalibration.ascent import (
    CAREFUL,
    FIXED,
    QUICK,
    Found,
    begin,
    climb,
    follow,
    together,
)
from consurv.conformal.recalibration.likelihood import Sums, likelihood_sums
from consurv.conformal.recalibration.sample import Sample
from consurv.conformal.recalibration.survey import Survey
from consurv.conformal.recalibration.time_map import N_NUMBERS, TimeMap

__all__ = ["fit_map"]

# Medians or widths whose standard deviation is less are all the same.
_SAME = 1e-3
# Delays to start from, in typical medians: at 0 the likelihood has no slope to follow.
_DELAYS = 0.1, 0.2, 0.4, 0.8
# Maps to start from where no step from 0 leads anywhere, for the curves exclude what
# happened: they are so narrow that widths and most contrasts say nothing, or their
# times are in another unit (days, months and years).
_FAR = (
    [0.0, -1.0, 2.0, -1.0, 0.0],
    [0.0, -1.0, 4.0, -1.0, 0.0],
    *([sign * np.log(unit), 0, 0, 0, 0] for unit in (30, 365) for sign in (1, -1)),
)
# So many steps lead from there.
_FAR_STEPS = 20
# What a delay must add to the log-likelihood: three standard errors, for it is a number
# that few models need.
_PAYS = 4.5


def fit_map(subjects: Survey) -> tuple[TimeMap, float]:
    """Return the map of all subjects, and its degrees of freedom.

    A part of them finds the way where they are many; all make the last steps.
    """
    centre = subjects.facts.centre
    ridge = np.ones(N_NUMBERS)
    ridge[[1, 3]] = np.where(subjects.facts.spread < _SAME, FIXED, 1.0)
    pace = QUICK if subjects.is_part else CAREFUL
    pace = pace.from_afar if subjects.far else pace

    def of_part(asked: Sequence[Float]) -> Sequence[Sums]:
        return _sums(subjects, asked, centre, part=True)

    def of_all(asked: Sequence[Float]) -> Sequence[Sums]:
        return _sums(subjects, asked, centre, part=False)

    # Without a delay, and with the best of some; it stays only if it pays.
    none, prompt = np.zeros(N_NUMBERS), ridge.copy()
    prompt[-1] = FIXED
    delays = [none + np.eye(N_NUMBERS)[-1] * delay for delay in _DELAYS]
    others = [np.where(prompt < FIXED, start, 0.0) for start in _FAR]
    first, *sums = of_part([none, *delays, *others])
    plain = begin(none, prompt, first)
    late = _highest(_begun(delays, ridge, sums))
    far = _begun(others, prompt, sums[len(delays) :])
    plain, late = together(
        of_part, climb(plain, prompt, pace), climb(late, ridge, pace)
    )
    if _highest(far).objective > max(plain.objective, late.objective):
        ascents = [climb(at, prompt, pace, steps=_FAR_STEPS) for at in (plain, *far)]
        plain = _highest(together(of_part, *ascents))
    pays = late.objective - plain.objective > _PAYS
    start, kept = (late.numbers, ridge) if pays else (plain.numbers, prompt)
    ((numbers, dof),) = together(of_all, follow(start, kept, pace))
    return TimeMap(numbers, centre), dof


def _begun(
    starts: Sequence[Float], ridge: Float, sums: Sequence[Sums]
) -> Sequence[Found]:
    pairs = zip(starts, sums, strict=False)  # the sums of others may follow
    return [begin(at, ridge, some) for at, some in pairs]


def _highest(found: Sequence[Found]) -> Found:
    return max(found, key=lambda one: one.objective)


def _sums(
    subjects: Survey, asked: Sequence[Float], centre: Float, *, part: bool
) -> Sequence[Sums]:
    maps = tuple(TimeMap(numbers, centre) for numbers in asked)
    found = subjects.total(_Likelihoods(maps), part=part)
    return [Sums(*(column[i] for column in found)) for i in range(len(maps))]


@dataclass(frozen=True)
class _Likelihoods:
    """The likelihood of several maps, with its slopes."""

    maps: tuple[TimeMap, ...]

    def __call__(self, sample: Sample) -> tuple[Float, Float, Float]:
        found = [likelihood_sums(sample, time_map) for time_map in self.maps]
        value, gradient, information = zip(*found, strict=True)
        return np.array(value), np.stack(gradient), np.stack(information)

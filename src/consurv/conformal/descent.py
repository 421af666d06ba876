"""The shifts of all levels, from the highest level down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from consurv._checks import Float
from consurv.conformal.censoring.base import (
    AnyRule,
    Block,
    Contribution,
    LearningRule,
    LevelMass,
    Sweep,
    SweepRule,
)
from consurv.conformal.quantile import rank, smallest_score
from consurv.errors import InvalidInput

__all__ = ["Step", "descend", "start"]

# So many events at or beyond q' identify a level, however many subjects there are.
ENOUGH_EVENTS = 5


class Step(NamedTuple):
    """The shift of one level, and what it rests on."""

    shift: float
    n: int
    k: int
    identified: bool


def start(
    rule: AnyRule, blocks: Sequence[Block], rng: np.random.Generator
) -> Sequence[Sweep]:
    """Return a sweep for each block, whatever the kind of rule."""
    if isinstance(rule, SweepRule):
        return rule.start(blocks)
    if isinstance(rule, LearningRule):
        rule = rule.learn(blocks)
    return [
        PlainSweep(block.percentile_times, rule.contribution(block, rng))
        for block in blocks
    ]


def descend(sweeps: Sequence[Sweep], levels: Float) -> list[Step]:
    """Return a step for each level, in the order of *levels*.

    Where the shifts of higher levels make a level's mass, one that is not identified
    gets the shift of the last identified one, and so do all below.
    """
    counted = sum(sweep.n_subjects for sweep in sweeps)
    steps: dict[int, Step] = {}
    last = None
    for p in np.argsort(-levels).tolist():
        masses = [sweep.at(p) for sweep in sweeps]
        step = _step(masses, float(levels[p]), counted)
        if any(sweep.learns for sweep in sweeps):
            if not step.identified or (last and not last.identified):
                shift = last.shift if last else 0.0
                step = step._replace(shift=shift, identified=False)
            for sweep in sweeps:
                sweep.learn(p, step.shift)
        last = steps[p] = step
    return [steps[p] for p in range(len(levels))]


def _step(masses: Sequence[LevelMass], level: float, counted: int) -> Step:
    n = sum(mass.n for mass in masses)
    if n < 2:
        raise InvalidInput(
            f"only {n} of {counted} percentile times at level {level:g} are finite; "
            "at least two are needed"
        )
    k = rank(level, n)
    shift = smallest_score(masses, min(k, n))
    events = sum(int(np.count_nonzero(mass.points <= shift)) for mass in masses)
    identified = bool(np.isfinite(shift)) and events >= min(ENOUGH_EVENTS, k / 2)
    return Step(shift, n, k, identified)


class PlainSweep:
    """A block that contributes the same whatever the shifts of other levels."""

    learns = False

    def __init__(self, percentile_times: Float, part: Contribution) -> None:
        self._q, self._part = percentile_times, part
        self.n_subjects = part.n_subjects

    @property
    def n_infinite(self) -> int:
        """Number of subjects that count and are infinite at some level."""
        rows = np.concatenate([self._part.point_rows, self._part.law_rows])
        return int(np.isinf(self._q[rows]).any(axis=1).sum())

    def at(self, p: int) -> LevelMass:
        """Return the mass at the p-th level; infinite rows do not count."""
        column, part = np.ascontiguousarray(self._q[:, p]), self._part
        points = column[part.point_rows] - part.point_times
        points = points[points < np.inf] if _any_infinite(points) else points
        if part.law is None:
            return LevelMass(points)
        law, q = part.law, column[part.law_rows]
        if _any_infinite(q):
            law, q = law.select(q < np.inf), q[q < np.inf]
        return LevelMass(points, law.at(q))

    def learn(self, p: int, shift: float) -> None:
        """Do nothing."""


def _any_infinite(values: Float) -> bool:
    return bool(values.size) and bool(values.max() == np.inf)

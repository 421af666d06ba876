"""What is asked of conformal subjects on the way to a recalibration.

In memory the subjects are read once and kept. Elsewhere a few thousand that find the
way are fetched, once: their raw curves and outcomes, no features. Of all together, read
anew in each round, only sums come back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from consurv._checks import Float, Index
from consurv._weights import at_ranks
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks, Partitions, Several
from consurv.conformal.parts.ranks import CellCounts, Cells, order_statistics
from consurv.conformal.recalibration.sample import (
    Marks,
    Sample,
    samples_of,
    scale_for,
)
from consurv.conformal.recalibration.windows import (
    FREE,
    MOST_TIMES,
    Grain,
    reach_for,
    whole_unit,
)

__all__ = ["Facts", "Gathered", "SampleQuestion", "Sum", "Survey", "survey"]

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
# Subjects that find the way of the map and choose between the forms, to save time:
# those with so many of the smallest marks, where there are twice as many or more.
_PART = 5000
_EVERYBODY = np.uint64(2**64 - 1)
# With fewer all are the part. Those who are alike share a mark: of a longer part than
# this one, and of all, there are only sums.
_FEW = 2 * _PART


class SampleQuestion(Protocol[S_co]):
    """Something asked of subjects; it is pickled on its way to them."""

    def answer(self, samples: Sequence[Sample]) -> S_co:
        """Return the summary of some subjects, perhaps of none."""


@dataclass(frozen=True)
class Sum:
    """Ask for the sum of what a function returns: arrays, or a tuple of them."""

    of: Callable[[Sample], Any]

    def answer(self, samples: Sequence[Sample]) -> Added:
        """Return the sums of some subjects."""
        return Added.merged([Added(self.of(sample)) for sample in samples])


@dataclass(frozen=True)
class Added:
    """A sum, or None where there was nothing to add up."""

    value: Any

    @classmethod
    def merged(cls, parts: Sequence[Added]) -> Added:
        """Return the sum of all."""
        values = [part.value for part in parts if part.value is not None]
        if not values:
            return cls(None)
        if isinstance(values[0], tuple):
            return cls(tuple(reduce(add, some) for some in zip(*values, strict=True)))
        return cls(reduce(add, values))


@dataclass(frozen=True)
class Gathered:
    """Ask for what a function returns for every subject, by their marks."""

    of: Callable[[Sample], Float]

    def answer(self, samples: Sequence[Sample]) -> Numbers:
        """Return the numbers of some subjects."""
        parts = [Numbers(sample.marks, self.of(sample)) for sample in samples]
        return Numbers.merged(parts) if parts else Numbers(np.empty(0, np.uint64), None)


@dataclass(frozen=True)
class Numbers:
    """Numbers (n, ...) of subjects in the order of their marks, which nothing moves."""

    marks: Marks
    values: Any

    @classmethod
    def merged(cls, parts: Sequence[Numbers]) -> Numbers:
        """Join those of several parts."""
        parts = [part for part in parts if len(part.marks)] or list(parts[:1])
        marks = np.concatenate([part.marks for part in parts])
        if not len(marks):
            return parts[0]
        values = np.concatenate([part.values for part in parts])
        order = np.argsort(marks, kind="stable")
        return cls(marks[order], values[order])


@dataclass(frozen=True)
class Facts:
    """What is to be known first.

    Attributes
    ----------
    n, n_events, n_ending : int
        Subjects whose curves have a shape, events, and curves that end early.
    total, total_events : float
        What these subjects weigh, and those with an event; as many there are without
        weights.
    stepped : bool
        Whether some curves have drops.
    times, event_times : ndarray
        The distinct times, and those of events; more than ``MOST_TIMES`` are cut short.
    sums : ndarray of shape (2, 2)
        Of log medians and log widths, and of their squares.
    event_sums : ndarray of shape (2,)
        Of log times of events, and of their squares.
    marks : ndarray of uint64
        The smallest that there are, each once.
    alike : ndarray of int
        How many subjects have each of them.
    """

    n: int
    n_events: int
    n_ending: int
    total: float
    total_events: float
    stepped: bool
    times: Float
    event_times: Float
    sums: Float
    event_sums: Float
    marks: Marks
    alike: Index

    @classmethod
    def merged(cls, parts: Sequence[Facts]) -> Facts:
        """Return the facts of all together."""
        return cls(
            sum(part.n for part in parts),
            sum(part.n_events for part in parts),
            sum(part.n_ending for part in parts),
            sum(part.total for part in parts),
            sum(part.total_events for part in parts),
            any(part.stepped for part in parts),
            _distinct([part.times for part in parts]),
            _distinct([part.event_times for part in parts]),
            np.sum([part.sums for part in parts], axis=0),
            np.sum([part.event_sums for part in parts], axis=0),
            *_smallest([(part.marks, part.alike) for part in parts]),
        )

    @property
    def unit(self) -> float:
        """The unit of whole times, or 0.

        Times count as whole only where raw curves have drops: models with smooth
        curves speak of times that were rounded later. It is enough that events come at
        whole times, as where they are found at visits.
        """
        if not self.stepped:
            return 0.0
        of_events = self.event_times, self.total_events
        return whole_unit(self.times, self.total) or whole_unit(*of_events)

    @property
    def grain(self) -> Grain:
        """How finely times tell something."""
        if not self.total_events:
            return Grain(self.unit)
        mean, square = self.event_sums / self.total_events
        # Of times that are all the same rounding is left.
        variance = square - mean**2 if square - mean**2 > 1e-12 * square else 0.0
        return Grain(self.unit, reach_for(float(np.sqrt(variance)), self.total_events))

    @property
    def centre(self) -> Float:
        """The means of log median and log width."""
        centre: Float = self.sums[0] / (self.total or 1)
        return centre

    @property
    def spread(self) -> Float:
        """Their standard deviations, to some digits."""
        squares = self.sums[1] / self.total
        spread: Float = np.sqrt(np.maximum(squares - self.centre**2, 0.0))
        return spread

    @property
    def last_mark(self) -> np.uint64:
        """Up to which mark subjects belong to the part."""
        return self.marks[-1] if self.total >= _FEW else _EVERYBODY

    @property
    def n_part(self) -> int:
        """How many subjects belong to it."""
        return int(self.alike.sum()) if self.last_mark < _EVERYBODY else self.n


@dataclass(frozen=True)
class _Look:
    """Ask for the facts."""

    def answer(self, samples: Sequence[Sample]) -> Facts:
        """Return those of some subjects."""
        empty = np.empty(0)
        sums = np.zeros((2, 2)), np.zeros(2)
        none = empty, *sums, empty.view(np.uint64), empty.view(np.intp)
        nothing = Facts(0, 0, 0, 0, 0, False, empty, *none)
        return Facts.merged([nothing, *map(_facts, samples)])


def _facts(sample: Sample) -> Facts:
    shapes = sample.shapes
    pair, outcome = np.stack([shapes.log_median, shapes.log_width]), sample.outcome
    events = outcome[outcome.event]
    square = pair**2
    if outcome.weight is not None:
        pair, square = pair * outcome.weight, square * outcome.weight
    log_time, weights = np.log(events.time), events.weights
    return Facts(
        len(sample),
        len(events),
        int(np.isfinite(shapes.t_end).sum()),
        outcome.total_weight,
        events.total_weight,
        bool(shapes.stepped.any()),
        _distinct([outcome.time]),
        _distinct([events.time]),
        np.stack([pair.sum(axis=1), square.sum(axis=1)]),
        np.array([weights @ log_time, weights @ log_time**2]),
        *_smallest([(sample.marks, np.ones(len(sample), dtype=np.intp))]),
    )


def _distinct(times: Sequence[Float]) -> Float:
    """Return the smallest times, each once: one more than may be a lattice."""
    ordered = np.sort(np.concatenate(times))
    new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    distinct: Float = ordered[new][: MOST_TIMES + 1]
    return distinct


def _smallest(parts: Sequence[tuple[Marks, Index]]) -> tuple[Marks, Index]:
    """Return the smallest marks, and how many subjects have each."""
    found, alike = (np.concatenate(column) for column in zip(*parts, strict=True))
    marks, place = np.unique(found, return_inverse=True)
    counts = np.zeros(len(marks), dtype=np.intp)
    np.add.at(counts, place, alike)
    return marks[:_PART], counts[:_PART]


@dataclass(frozen=True)
class Fetched:
    """Subjects in the order of their marks."""

    samples: list[Sample]

    @classmethod
    def merged(cls, parts: Sequence[Fetched]) -> Fetched:
        """Join those of several parts."""
        samples = [sample for part in parts for sample in part.samples]
        if not samples:
            return cls([])
        joined = Sample.concatenate(samples)
        return cls([joined.take(np.argsort(joined.marks, kind="stable"))])


@dataclass(frozen=True)
class _Fetch:
    """Ask for the subjects themselves: rounds about few would take longer."""

    def answer(self, samples: Sequence[Sample]) -> Fetched:
        """Return some subjects."""
        return Fetched.merged([Fetched([sample]) for sample in samples])


class Survey(ABC):
    """Conformal subjects, to be asked.

    Attributes
    ----------
    facts : Facts
    scale : float
        Times are counted in it.
    follow_up : float
        The longest observed time, in the unit of the data.
    far : bool
        Whether a question about all is a round.
    """

    facts: Facts
    scale: float
    follow_up: float
    far: ClassVar[bool]

    @abstractmethod
    def ask(self, question: SampleQuestion[S], *, part: bool = False) -> S:
        """Return the summary of all subjects, or of a part that finds the way."""

    @abstractmethod
    def log_medians(self, shares: Float) -> Float:
        """Return quantiles of the raw log medians."""

    @property
    def is_part(self) -> bool:
        """Whether the part is less than all."""
        return bool(self.facts.last_mark < _EVERYBODY)

    def total(self, of: Callable[[Sample], Any], *, part: bool = False) -> Any:
        """Return the sum of what a function returns for samples."""
        return self.ask(Sum(of), part=part).value


def survey(subjects: Partitions) -> Survey:
    """Return what asks subjects in memory or elsewhere."""
    if isinstance(subjects, Blocks):
        follow_up = max(float(b.outcome.time.max(initial=0.0)) for b in subjects)
        scale = scale_for(follow_up)
        samples = [s for block in subjects for s in samples_of(block, scale)]
        return Here(samples, scale, follow_up)
    follow_up = float(subjects.outcomes.times[-1])
    scale = scale_for(follow_up)
    if subjects.n >= _FEW:
        return There(subjects, scale, follow_up)
    few: Fetched = subjects.ask(_OfBlock(_Fetch(), scale))
    return Here(few.samples, scale, follow_up)


class Here(Survey):
    """Subjects in memory, read once."""

    far: ClassVar[bool] = False

    def __init__(
        self, samples: Sequence[Sample], scale: float, follow_up: float
    ) -> None:
        self.scale, self.follow_up = scale, follow_up
        self.facts = _Look().answer(samples)
        self.samples = [sample.with_grain(self.facts.grain) for sample in samples]

    @cached_property
    def _part(self) -> list[Sample]:
        return _part(self.samples, self.facts.last_mark)

    def ask(self, question: SampleQuestion[S], *, part: bool = False) -> S:
        """Return the summary of all subjects, or of a part that finds the way."""
        return question.answer(self._part if part and self.is_part else self.samples)

    def log_medians(self, shares: Float) -> Float:
        """Return quantiles of the raw log medians."""
        found = [sample.shapes.log_median for sample in self.samples] or [np.zeros(1)]
        values = np.concatenate(found)
        if all(sample.outcome.weight is None for sample in self.samples):
            quantiles: Float = np.quantile(values, shares)
            return quantiles
        weight = np.concatenate([sample.outcome.weights for sample in self.samples])
        order = np.argsort(values)

        def at(ranks: Float) -> Float:
            found: Float = values[order][at_ranks(weight[order], ranks)]
            return found

        return _between(shares, self.facts.total, at)


class There(Survey):
    """Subjects elsewhere, of whom the part is fetched."""

    far: ClassVar[bool] = True

    def __init__(self, subjects: Partitions, scale: float, follow_up: float) -> None:
        self._subjects, self.scale, self.follow_up = subjects, scale, follow_up
        asked = _OfBlock(_Look(), scale), Cells(_LogMedian(scale))
        self.facts, self._cells = subjects.ask(Several(asked))
        self._near: dict[np.uint64, list[Sample]] = {}

    def ask(self, question: SampleQuestion[S], *, part: bool = False) -> S:
        """Return the summary of all subjects, or of a part that finds the way."""
        until = self.facts.last_mark if part else _EVERYBODY
        if (self.facts.n_part if part else self.facts.n) > _FEW:
            return self._asked(question, until)
        if until not in self._near:
            self._near[until] = self._asked(_Fetch(), until).samples
        return question.answer(self._near[until])

    def _asked(self, question: SampleQuestion[S], until: np.uint64) -> S:
        asked = _OfBlock(question, self.scale, self.facts.grain, until)
        answer: S = self._subjects.ask(asked)
        return answer

    def log_medians(self, shares: Float) -> Float:
        """Return quantiles of the raw log medians, as NumPy has them."""
        counts: CellCounts = self._cells
        if not self.facts.n:
            return np.zeros(len(shares))

        def at(ranks: Float) -> Float:
            numbers = _LogMedian(self.scale)
            return order_statistics(self._subjects, numbers, counts, ranks)

        return _between(shares, self.facts.total, at)


def _between(shares: Float, n: float, at: Callable[[Float], Float]) -> Float:
    """Return quantiles as NumPy has them from the numbers at some ranks of n."""
    place = np.maximum(shares * (n - 1), 0.0)
    below = np.floor(place)
    above = np.minimum(below + 1, np.ceil(n) - 1)
    lower, upper = np.split(at(np.concatenate([below, above])), 2)
    way, step = place - below, upper - lower
    found: Float = np.where(way < 0.5, lower + step * way, upper - step * (1 - way))
    return found


@dataclass(frozen=True)
class _OfBlock:
    """A question about subjects, to be put to blocks."""

    question: SampleQuestion[Any]
    scale: float
    grain: Grain = FREE
    last_mark: np.uint64 = _EVERYBODY

    def answer(self, block: Block) -> Any:
        """Return the summary of one block."""
        samples = samples_of(block, self.scale, self.grain)
        if self.last_mark < _EVERYBODY:
            samples = _part(samples, self.last_mark)
        return self.question.answer(samples)


@dataclass(frozen=True)
class _LogMedian:
    """The raw log median of each subject whose curve has a shape."""

    scale: float

    def __call__(self, block: Block) -> Float:
        """Return those of one block."""
        samples = samples_of(block, self.scale)
        return np.concatenate([np.empty(0), *(s.shapes.log_median for s in samples)])

    def weights(self, block: Block) -> Float | None:
        """Return what they weigh."""
        if block.outcome.weight is None:
            return None
        samples = samples_of(block, self.scale)
        return np.concatenate([np.empty(0), *(s.outcome.weights for s in samples)])


def _part(samples: Sequence[Sample], last: np.uint64) -> list[Sample]:
    """Return the subjects with marks up to the last as one sample, or none."""
    some = [sample.take(sample.marks <= last) for sample in samples]
    some = [sample for sample in some if len(sample)]
    return [Sample.concatenate(some)] if some else []

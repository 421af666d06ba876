"""Conformal subjects in partitions, and what can be asked of them wherever they are.

A partition is a block of subjects. A question is put to every block and answered by a
small summary of plain arrays; summaries merge into that of all subjects. Whoever looks
for an adjustment asks, and never sees a row of features. In memory the blocks are in a
list (``Blocks``); elsewhere an engine hands the question to where they lie.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeVar, overload

import numpy as np

from consurv._checks import Float
from consurv._weights import Weighing
from consurv.conformal.parts.blocks import Block, Contribution
from consurv.conformal.quantile.questions import Question, merge
from consurv.conformal.quantile.sketch import (
    FEW_POINTS,
    QUANTILES,
    Sketch,
    quantiles_of,
)
from consurv.conformal.quantile.weighted_questions import WeightedSketch
from consurv.curves.counts import Numbers, tally, together
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = [
    "BlockQuestion",
    "Blocks",
    "Contributed",
    "OutcomeCounts",
    "Outcomes",
    "Partitions",
    "Several",
    "as_partitions",
    "refer",
]

# Quantiles of a level that each part gives at least.
_FEWEST = 1 << 6

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)


class BlockQuestion(Protocol[S_co]):
    """Something asked of blocks; it is pickled on its way to them."""

    def answer(self, block: Block) -> S_co:
        """Return the summary of a block."""


class Partitions(ABC):
    """All conformal subjects.

    Attributes
    ----------
    levels : ndarray of shape (P,)
    n_parts : int
        How many summaries come back.
    """

    levels: Float
    n_parts: int
    _known: Mapping[Any, Any] = MappingProxyType({})

    @abstractmethod
    def ask(self, question: BlockQuestion[S]) -> S:
        """Return the summary of all subjects: one round."""

    def referring_to(self, curve: KaplanMeier, *, member: bool | None) -> Self:
        """Return the same subjects with a curve that speaks for the censored ones.

        Parameters
        ----------
        curve : KaplanMeier
        member : bool or None
            Whether they belong to its sample; None: those that the model was trained
            on do.
        """
        referred = self._referring_to(curve, member)
        referred._known = self._known  # nobody needs to ask again
        return referred

    @abstractmethod
    def _referring_to(self, curve: KaplanMeier, member: bool | None) -> Self:
        """Return the same subjects with a curve."""

    @property
    @abstractmethod
    def has_reference(self) -> bool:
        """Whether all blocks have been given a curve."""

    def open(self, questions: Sequence[BlockQuestion[Any]]) -> None:
        """Ask what will be wanted first, in one round, and remember the answers."""
        new = [question for question in questions if question not in self._known]
        if new:
            answers = self.ask(Several(tuple(new)))
            self._known = {**self._known, **dict(zip(new, answers, strict=True))}

    def known(self, question: BlockQuestion[S]) -> S:
        """Return what is remembered, or ask."""
        if question not in self._known:
            self._known = {**self._known, question: self.ask(question)}
        answer: S = self._known[question]
        return answer

    @property
    def outcomes(self) -> OutcomeCounts:
        """Numbers of subjects and events by time."""
        return self.known(Outcomes())

    @property
    def n(self) -> int:
        """Number of subjects, whatever they weigh."""
        return self.outcomes.n

    @property
    def n_events(self) -> int:
        """Number of events, whatever they weigh."""
        return self.outcomes.n_events

    @property
    def weighted(self) -> bool:
        """Whether subjects do not all count 1."""
        return self.outcomes.rows is not None

    def contributions(self, rule: Any, rng: np.random.Generator) -> Sequence[Any]:
        """Return what they contribute by a rule that looks at each block alone."""
        return [_Elsewhere(self, rule)]


class Blocks(Partitions, Sequence[Block]):
    """Subjects in memory.

    Examples
    --------
    >>> y = Outcome([1, 2], [1, 0])
    >>> Blocks([Block(np.ones((2, 1)), np.array([0.5]), y)]).n_events
    1
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._blocks = list(blocks)
        self.levels, self.n_parts = self._blocks[0].levels, len(self._blocks)

    @overload
    def __getitem__(self, i: int) -> Block: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Block]: ...
    def __getitem__(self, i: Any) -> Any:
        return self._blocks[i]

    def __len__(self) -> int:
        return len(self._blocks)

    def __iter__(self) -> Iterator[Block]:
        return iter(self._blocks)

    def ask(self, question: BlockQuestion[S]) -> S:
        """Return the summary of all subjects."""
        return merge([question.answer(block) for block in self._blocks])

    def _referring_to(self, curve: KaplanMeier, member: bool | None) -> Blocks:
        return Blocks(
            replace(
                block,
                reference=curve,
                member=block.in_training if member is None else member,
            )
            for block in self._blocks
        )

    @property
    def has_reference(self) -> bool:
        """Whether all blocks have been given a curve."""
        return all(block.reference is not None for block in self._blocks)

    @property
    def n(self) -> int:
        """Number of subjects, whatever they weigh."""
        return sum(len(block.outcome) for block in self._blocks)

    @property
    def n_events(self) -> int:
        """Number of events, whatever they weigh."""
        return sum(block.outcome.n_events for block in self._blocks)

    @property
    def weighted(self) -> bool:
        """Whether subjects do not all count 1."""
        return any(block.outcome.weight is not None for block in self._blocks)

    def contributions(
        self, rule: Any, rng: np.random.Generator
    ) -> Sequence[Contribution]:
        """Return what each block contributes: made once, asked often."""
        return [rule.contribution(block, rng) for block in self._blocks]


def as_partitions(blocks: Partitions | Sequence[Block]) -> Partitions:
    """Return blocks in a list as what can be asked."""
    return blocks if isinstance(blocks, Partitions) else Blocks(blocks)


def refer(
    subjects: Partitions, wanted: str | KaplanMeier, training: Outcome | None
) -> tuple[KaplanMeier, Partitions]:
    """Give all subjects one Kaplan–Meier curve for the censored ones.

    Parameters
    ----------
    subjects : Partitions
    wanted : {"train", "conformal"} or KaplanMeier
        Whose outcomes it is made of. Nobody is known to belong to the sample of a
        given one.
    training : Outcome or None
        What the model was trained on; without it the curve is that of *subjects*.
    """
    if isinstance(wanted, KaplanMeier):
        return wanted, subjects.referring_to(wanted, member=False)
    if wanted == "train" and training is not None:
        curve = KaplanMeier(training)
        return curve, subjects.referring_to(curve, member=None)
    curve = subjects.outcomes.curve()
    return curve, subjects.referring_to(curve, member=True)


@dataclass(frozen=True)
class OutcomeCounts:
    """Numbers of subjects by observed time: all that a Kaplan–Meier curve needs.

    Attributes
    ----------
    times : ndarray of shape (K,)
        Distinct, ascending.
    subjects, events : ndarray of shape (K,)
        Observed until each time, and how many of them had the event there; sums of
        weights, where there are weights.
    rows : pair of int or None
        How many subjects and events there are, whatever they weigh; None without
        weights.
    squares : float or None
        The sum of the squares of the weights; None without weights.
    """

    times: Float
    subjects: Numbers
    events: Numbers
    rows: tuple[int, int] | None = None
    squares: float | None = None

    @property
    def n(self) -> int:
        """Number of subjects, whatever they weigh."""
        return self.rows[0] if self.rows else int(self.subjects.sum())

    @property
    def n_events(self) -> int:
        """Number of events, whatever they weigh."""
        return self.rows[1] if self.rows else int(self.events.sum())

    @property
    def weighing(self) -> Weighing | None:
        """What the weights come to; None without weights."""
        if self.squares is None:
            return None
        return Weighing.of_sums(float(self.subjects.sum()), self.squares)

    @classmethod
    def merged(cls, parts: Sequence[OutcomeCounts]) -> OutcomeCounts:
        """Return the counts of all together."""
        merged = together([(part.times, part.subjects, part.events) for part in parts])
        if not any(part.rows for part in parts):
            return cls(*merged)
        rows = sum(part.n for part in parts), sum(part.n_events for part in parts)
        squares = sum(p.n if p.squares is None else p.squares for p in parts)
        return cls(*merged, rows, float(squares))

    def curve(self) -> KaplanMeier:
        """Return the Kaplan–Meier curve.

        Raises
        ------
        InvalidInput
            If there is no event.
        """
        if not self.events.any():
            raise InvalidInput(
                f"no event was observed among {self.n} subjects: there is no "
                "Kaplan–Meier curve; give more subjects, or a curve of others "
                "(kaplan_meier=...)"
            )
        return KaplanMeier.of_counts(self.times, self.subjects, self.events)


@dataclass(frozen=True)
class Outcomes:
    """Ask for numbers of subjects and events by time."""

    def answer(self, block: Block) -> OutcomeCounts:
        """Count those of one block."""
        outcome = block.outcome
        if outcome.weight is None:
            return OutcomeCounts(*tally(outcome))
        rows, weight = (len(outcome), outcome.n_events), outcome.weight
        return OutcomeCounts(*tally(outcome), rows, float(weight @ weight))


@dataclass(frozen=True)
class Several:
    """Ask several questions in one round; the summary is a list of theirs."""

    questions: tuple[Any, ...]

    def answer(self, block: Block) -> _Answers:
        """Return all summaries of one block."""
        return _Answers([question.answer(block) for question in self.questions])


class _Answers(list[Any]):
    @classmethod
    def merged(cls, parts: Sequence[_Answers]) -> _Answers:
        """Merge each with its like."""
        return cls(merge(some) for some in zip(*parts, strict=True))


@dataclass(frozen=True)
class Contributed:
    """Ask about the mass that a rule makes of the subjects of a block.

    The rule must not draw: every round makes the contribution anew.
    """

    rule: Any
    questions: tuple[Question[Any], ...]

    def answer(self, block: Block) -> _Answers:
        """Return the summaries of one block."""
        contribution = self.rule.contribution(block, np.random.default_rng(0))
        counted = _Counted(contribution.n_subjects, contribution.n_infinite)
        found = [contribution.answer(question) for question in self.questions]
        return _Answers([counted, *found])


@dataclass(frozen=True)
class _Counted:
    """How many subjects contribute, and how many are infinite at some level."""

    n_subjects: int = field(metadata={"merge": sum})
    n_infinite: int = field(metadata={"merge": sum})


class _Elsewhere:
    """What subjects that are elsewhere contribute, all as one partition."""

    def __init__(self, subjects: Partitions, rule: Any) -> None:
        self._subjects, self._rule = subjects, rule
        self.weighted = subjects.weighted
        # Few enough to be listed, or else quantiles that are not too many in all.
        few = FEW_POINTS if subjects.n <= FEW_POINTS else 0
        size = quantiles_of(subjects.n) // subjects.n_parts
        size = min(max(size, _FEWEST), QUANTILES)
        levels = np.arange(len(subjects.levels))
        self._sketch: Question[Any] = Sketch(levels, few, size, many=True)
        if self.weighted:
            self._sketch = WeightedSketch(levels, few)
        self._counted: Any = None
        self._sketched: Any = None

    def _look(self) -> None:
        # Who is counted will be sketched.
        self._counted, self._sketched = self._ask((self._sketch,))

    def _ask(self, questions: tuple[Question[Any], ...]) -> Any:
        return self._subjects.ask(Contributed(self._rule, questions))

    @property
    def counted(self) -> _Counted:
        """How many subjects contribute."""
        if self._counted is None:
            self._look()
        counted: _Counted = self._counted
        return counted

    @property
    def n_subjects(self) -> int:
        """Number of subjects that contribute."""
        return self.counted.n_subjects

    @property
    def n_infinite(self) -> int:
        """Number of subjects that count and are infinite at some level."""
        return self.counted.n_infinite

    def answer(self, question: Question[S]) -> S:
        """Return the summary that a question asks for."""
        answer: S
        if not isinstance(question, Sketch | WeightedSketch):
            (answer,) = self.answer_all([question])
            return answer
        if self._sketched is None:
            self._look()
        # It is long: who wants it again asks again.
        answer, self._sketched = self._sketched, None
        return answer

    def answer_all(self, questions: Sequence[Question[Any]]) -> list[Any]:
        """Return the summaries that several questions ask for, in one round."""
        return list(self._ask(tuple(questions))[1:])

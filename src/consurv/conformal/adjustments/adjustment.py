"""What an adjustment is: a kind that reads, finds, applies, tells and stores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from consurv._checks import Bool, Float, as_floats, check_same_length
from consurv._html import facts_table
from consurv._labels import Labels, listed_labels
from consurv._params import AtLeast, Constraint, InstanceOf, OneOf, check_params
from consurv._warnings import warn
from consurv._weights import Weighing
from consurv.conformal.adjustments.adjust import AdjustedCurves
from consurv.conformal.groups.groups import Groups
from consurv.conformal.groups.routed import Routed
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.parts.partitions import (
    Blocks,
    Outcomes,
    Partitions,
    as_partitions,
    refer,
)
from consurv.conformal.quantile.identified import listed
from consurv.conformal.reading.raw_model import RawModel
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.curves.rearrange import REARRANGEMENTS
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["Adjustment", "Picture", "Stored"]

# (1 − coverage)/2 is a level of the grid up to rounding.
_CLOSE = 1e-9
# Weights of less than this on average may be no numbers of subjects.
_LIGHT = 0.1


@dataclass(frozen=True)
class Picture:
    """What an adjustment has changed, for a report to draw: lines over the levels.

    Attributes
    ----------
    label : str
        Of the vertical axis; ``{unit}`` stands for the unit of time, if it has one.
    values : ndarray of shape (P,) or (P, L)
    neutral : {"zero", "one", "diagonal"}
        The line on which nothing is changed.
    caption, alt : str
        How to read it, and what is to be seen.
    names : tuple of L str
        Of the lines, if there are several.
    """

    label: str
    values: Float
    neutral: str
    caption: str
    alt: str
    names: tuple[str, ...] = ()


class Stored(Protocol):
    """A part of an adjustment that says itself how it is stored.

    Its arrays may have any length, where those of the adjustment have one number for
    each level.
    """

    def to_stored(self) -> dict[str, Any]:
        """Return arrays, numbers and words by names of its own."""

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Any:
        """Return the part; everything is checked."""


@dataclass(frozen=True, kw_only=True)
class Adjustment(ABC):
    """What a conformal set says is to be done to raw curves.

    A kind is a frozen dataclass derived from this class, registered by its name
    (``register_adjustment``). It says how raw curves are read, finds its numbers from
    blocks of subjects, applies them, and tells what it did. Its fields are what is
    stored: arrays, numbers and words.

    Attributes
    ----------
    levels : ndarray of shape (P,)
        The levels ρ at which curves are adjusted.
    identified : ndarray of shape (P,) of bool
        Levels with enough events at or beyond q' (five, or half of the k subjects
        that should be there). At the others the number rests on how the rule goes on
        where nothing was observed.
    beyond : ndarray of shape (P,) of bool
        Levels for which the conformal set is too small (k > N): no guarantee.
    n_conformal : int
        Subjects in the conformal set.
    kaplan_meier : KaplanMeier or None
        The curve for censored subjects.
    conformal_set, censoring, rearrange : str
    n_samples : int or None
        How it was made.
    groups : Groups or None
        The adjustments of groups, if there are groups; all else is of all subjects
        together.
    weighing : Weighing or None
        What the weights of the conformal subjects come to, if they have some.
    """

    # Its name, what it does (in a few words, and in a line), and what its numbers are.
    kind: ClassVar[str]
    adjusts: ClassVar[str]
    method: ClassVar[str]
    what: ClassVar[str]
    # Whether adjusted percentile times can cross or fall below 0.
    can_cross: ClassVar[bool] = True
    # Whether it is found by questions alone, wherever the subjects are.
    anywhere: ClassVar[bool] = False
    # The censoring rules that go with it, by name; the first stands for "auto".
    rule_names: ClassVar[tuple[str, ...]] = ()
    # Fields that are objects and store themselves, by the type that reads them again.
    _parts: ClassVar[Mapping[str, type[Stored]]] = {}
    # Whether there is no adjustment without a curve for censored subjects.
    _needs_curve: ClassVar[bool] = True
    # What a stored number or word must be.
    _stored: ClassVar[Mapping[str, Constraint | tuple[Constraint, ...]]] = {
        "n_conformal": AtLeast(2),
        "conformal_set": InstanceOf(str),
        "censoring": InstanceOf(str),
        "n_samples": (OneOf(None), AtLeast(1)),
        "rearrange": OneOf(*REARRANGEMENTS),
    }

    levels: Float
    identified: Bool = field(default_factory=lambda: np.ones(0, dtype=np.bool_))
    beyond: Bool = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    n_conformal: int
    kaplan_meier: KaplanMeier | None = None
    conformal_set: str = "given"
    censoring: str = "auto"
    n_samples: int | None = None
    rearrange: str = "exact"
    groups: Groups | None = None
    weighing: Weighing | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__repr__ = Adjustment.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        # In one line, without its arrays.
        told = f"levels={len(self.levels)}, n_conformal={self.n_conformal}"
        made = f"conformal_set={self.conformal_set!r}, censoring={self.censoring!r}"
        return f"{type(self).__name__}({told}, {made})"

    def _repr_html_(self) -> str:
        """Return a small table, for notebooks."""
        return facts_table(
            {
                "adjusted": self.adjusts,
                "levels": f"{len(self.levels)}, {int(self.identified.sum())} "
                "identified",
                "conformal set": f"{self.conformal_set}: {self.told_subjects}",
                "censoring": self.censoring,
                **({} if self.groups is None else {"groups": self.groups.told}),
            }
        )

    @property
    def told_subjects(self) -> str:
        """How many conformal subjects there are, and what they weigh."""
        told = f"{self.n_conformal:,} subjects"
        return told if self.weighing is None else f"{told} {self.weighing.told}"

    def __post_init__(self) -> None:
        if self.beyond.size != self.levels.size:
            none = np.zeros(self.levels.size, dtype=np.bool_)
            object.__setattr__(self, "beyond", none)
        if self.identified.size != self.levels.size:
            every = np.ones(self.levels.size, dtype=np.bool_)
            object.__setattr__(self, "identified", every)

    # -- from a conformal set to an adjustment ---------------------------------

    @classmethod
    @abstractmethod
    def choose_rule(cls, censoring: Any, n_samples: int | None) -> Any:
        """Return the rule for censored subjects that a name or an object stands for."""

    @classmethod
    def rule_name(cls, rule: Any, censoring: Any) -> str:
        """Return what the rule that was used is to be called."""
        return censoring if isinstance(censoring, str) else str(rule.name)

    @classmethod
    @abstractmethod
    def read(
        cls, raw: RawModel, data: Data, levels: Float, *, in_training: bool
    ) -> Block:
        """Return conformal subjects with what is read off their raw curves."""

    @classmethod
    def reader(cls, rule: Any) -> Callable[..., Block]:
        """Return what reads the raw curves for a rule: ``read``, unless it is choosy.

        Parameters
        ----------
        rule : object
            As ``choose_rule`` gives it.
        """
        return cls.read

    @classmethod
    @abstractmethod
    def find(cls, blocks: Any, rule: Any, rng: np.random.Generator) -> Self:
        """Return the adjustment that all blocks together lead to.

        Parameters
        ----------
        blocks : Partitions
            A sequence of Block, unless the kind runs ``anywhere``: then all that it
            needs it has to ask for.
        rule : object
            As ``choose_rule`` gives it.
        rng : Generator
        """

    @classmethod
    def make(
        cls,
        blocks: Partitions | Sequence[Block],
        rule: Any,
        rng: np.random.Generator,
        *,
        kaplan_meier: str | KaplanMeier = "train",
        training: Outcome | None = None,
        **how: Any,
    ) -> Self:
        """Find the adjustment and write down how it was made.

        Parameters
        ----------
        blocks : sequence of Block, or Partitions
            As ``read`` gives them.
        rule : object
            As ``choose_rule`` gives it.
        rng : Generator
            For rules that draw.
        kaplan_meier : {"train", "conformal"} or KaplanMeier
            Whose outcomes the curve for censored subjects comes from.
        training : Outcome, optional
            What the model was trained on.
        **how
            ``conformal_set``, ``censoring``, ``n_samples`` and ``rearrange``.
        """
        subjects = as_partitions(blocks)
        if not (cls.anywhere or isinstance(subjects, Blocks)):
            raise InvalidInput(
                f"adjustment={cls.kind!r} sees all rows at once and runs in memory only"
            )
        if not isinstance(subjects, Blocks):
            subjects.open((Outcomes(), *getattr(rule, "opening", ())))
        if subjects.weighted:
            _warn_of_light(subjects)
        curve, referred = refer(subjects, kaplan_meier, training)
        found = cls.find(referred, rule, rng)
        weighing = subjects.outcomes.weighing if subjects.weighted else None
        return replace(found, kaplan_meier=curve, weighing=weighing, **how)

    # -- from raw curves to adjusted ones --------------------------------------

    @property
    def raw_levels(self) -> Float:
        """The levels at which raw curves are read."""
        return self.levels

    @property
    def node_levels(self) -> Float:
        """The levels at which adjusted curves have nodes, falling."""
        return np.sort(self.levels)[::-1]

    def read_new(self, raw: RawModel, X: Any) -> Float:
        """Return what is read off the raw curves of subjects to be predicted."""
        return raw.percentile_times(X, self.raw_levels)

    @abstractmethod
    def apply(
        self, reading: Float, random_state: int | np.random.Generator | None = None
    ) -> AdjustedCurves:
        """Return adjusted curves from what was read off raw ones.

        Parameters
        ----------
        reading : array-like of shape (n, P)
            Percentile times at ``raw_levels``, unless the kind reads something else.
        random_state : int or Generator, optional
            Used by ``rearrange="bootstrap"`` alone.
        """

    def predict(
        self,
        raw: RawModel,
        X: Any,
        random_state: int | np.random.Generator | None = None,
    ) -> AdjustedCurves:
        """Return the adjusted curves of new subjects: ``read_new``, then ``apply``."""
        return self.apply(self.read_new(raw, X), random_state)

    def apply_to(
        self,
        curves: SurvivalCurves,
        random_state: int | np.random.Generator | None = None,
    ) -> AdjustedCurves:
        """Return adjusted curves from raw curves."""
        return self.apply(curves._times_at(self.raw_levels), random_state)

    def of_rows(self, labels: Labels | None, unseen: str = "error") -> Self | Routed:
        """Return what predicts rows by the adjustments of their groups.

        Parameters
        ----------
        labels : array of labels, or None without groups
        unseen : {"error", "pooled"}
            What becomes of groups that no conformal subject belongs to.
        """
        if self.groups is None and labels is None:
            return self
        if self.groups is None or labels is None:
            raise InvalidInput(
                "groups are given, and the model was conformalized without; leave them "
                "away, or give them to fit or conformalize, too"
                if self.groups is None
                else "the model was conformalized by groups "
                f"({listed_labels(self.groups.labels)}); give groups=, a label for "
                "each row"
            )
        return Routed(self, self.groups, self.groups.codes(labels, unseen))

    def take(self, rows: slice) -> Self:
        """Return the adjustment of some rows, which is that of all without groups."""
        return self

    def at_observed(self, block: Block) -> Float:
        """Return adjusted survival of conformal subjects at their own times, (n,)."""
        return self.apply(block.reading, 0).survival_at_observed(block.outcome.time)

    # -- what it did -----------------------------------------------------------

    @abstractmethod
    def picture(self) -> Picture:
        """Return what a report draws."""

    @property
    def follow_up(self) -> float:
        """The last time at which anybody was seen; +inf where nobody knows."""
        return np.inf if self.kaplan_meier is None else float(self.kaplan_meier.t_max)

    def attributes(self) -> dict[str, Any]:
        """Return what a fitted ``ConformalSurvival`` shows of it, by name."""
        return {}

    def cautions(self) -> list[tuple[str, str]]:
        """Return what weakens the result, as pairs of title and text."""
        found = []
        if self.beyond.any():
            levels = listed(self.levels[self.beyond])
            found.append(
                (
                    "Levels beyond the guarantee",
                    f"The conformal set is too small for the levels {levels}; "
                    f"{self._instead} there. Use fewer percentiles or more subjects.",
                )
            )
        if not self.identified.all():
            levels = listed(self.levels[~self.identified])
            found.append(
                (
                    "Levels that too few events identify",
                    "Hardly anybody was seen to have the event as late as the levels "
                    f"{levels} ask for. The {self.what} there, and intervals that "
                    "reach so far, rest on what is assumed of times that nobody saw.",
                )
            )
        return found if self.groups is None else [*found, *self.groups.cautions()]

    def check_asked(self, levels: Float) -> None:
        """Warn if percentile times are wanted at levels that the data do not tell.

        Warns
        -----
        CalibrationWarning
            If a level lies outside the grid, or below the lowest identified one.
        """
        low, high = self.levels.min(), self.node_levels[0]
        inside = (levels >= low - _CLOSE) & (levels <= high + _CLOSE)
        told = self.levels[self.identified]
        known = levels >= (told.min() - _CLOSE if told.size else np.inf)
        if not inside.all():
            warn(
                f"the levels {listed(levels[~inside])} lie outside the grid of "
                f"levels, {low:g} to {high:g}: the times there are extrapolated; "
                "choose a lower coverage or more percentiles"
            )
        if (inside & ~known).any():
            warn(
                f"too few events identify the levels {listed(levels[inside & ~known])}:"
                " the times there rest on what is assumed of times that nobody saw"
            )

    _instead: ClassVar[str] = "the largest score is used"

    # -- stored form -----------------------------------------------------------

    def to_stored(self) -> dict[str, Any]:
        """Return the fields as arrays, numbers and words."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        curve = values.pop("kaplan_meier")
        for name in self._parts:
            values |= values.pop(name).to_stored()
        values |= {} if curve is None else curve.to_arrays()
        for part in (values.pop("groups"), values.pop("weighing")):
            values |= {} if part is None else part.to_stored()
        return values

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Self:
        """Return the adjustment that ``to_stored`` gave; everything is checked."""
        apart = ("kaplan_meier", "groups", "weighing", *cls._parts)
        names = [f.name for f in fields(cls) if f.name not in apart]
        missing = [n for n in names if n not in values]
        if cls._needs_curve or any(n in values for n in _COUNTS):
            missing += [n for n in _COUNTS if n not in values]
        if missing:
            raise InvalidInput(f"it lacks {', '.join(missing)}")
        check_params({n: values[n] for n in cls._stored}, cls._stored)
        arrays = {n: as_floats(values[n], n) for n in names if n not in cls._stored}
        check_same_length(**{n: len(array) for n, array in arrays.items()})
        parts = {n: part.from_stored(values) for n, part in cls._parts.items()}
        settings = {n: values[n] for n in cls._stored}
        return cls(
            **cls._checked(arrays),
            **settings,
            **parts,
            kaplan_meier=_curve(values),
            groups=Groups.from_stored(cls, values),
            weighing=Weighing.from_stored(values),
        )

    @classmethod
    def _checked(cls, arrays: dict[str, Float]) -> dict[str, Any]:
        """Return stored arrays in their own types, or refuse them."""
        flags = ("beyond", "identified")
        return {n: a.astype(bool) if n in flags else a for n, a in arrays.items()}


# What a Kaplan–Meier curve is stored as.
_COUNTS = ("times", "at_risk", "events")


def _curve(values: Mapping[str, Any]) -> KaplanMeier | None:
    if not all(name in values for name in _COUNTS):
        return None
    return KaplanMeier.from_arrays(*(as_floats(values[n], n) for n in _COUNTS))


def _warn_of_light(subjects: Partitions) -> None:
    """Warn of weights that add up to far less than there are subjects."""
    total, n = float(subjects.outcomes.subjects.sum()), subjects.n
    if total < _LIGHT * n:
        warn(
            f"sample_weight adds up to {total:.4g} for {n} subjects, which then count "
            "as no more than so many: a weight says how many subjects a row stands "
            "for. If yours only say how much rows count beside each other, multiply "
            "them by n/sum"
        )

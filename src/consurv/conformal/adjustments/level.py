"""``"level"``: levels moved to conformal quantiles (CiPOT)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from consurv._checks import Bool, Float, as_levels
from consurv.conformal.adjustments.adjust import AdjustedCurves, adjust
from consurv.conformal.adjustments.adjustment import Adjustment, Picture
from consurv.conformal.adjustments.levels import WEIGHTS, find_levels, warn_of_levels
from consurv.conformal.censoring.rules import CensoringRule
from consurv.conformal.parts.blocks import Block, CurveBlock, Data
from consurv.conformal.parts.partitions import Partitions, as_partitions
from consurv.conformal.reading.raw_model import KnownCurves, RawModel
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput

__all__ = ["LevelAdjustment"]


@dataclass(frozen=True)
class _Seen:
    """S(t) of subjects at their own times, and what was seen there.

    ``before`` is S(t⁻) of those whose curve drops there, and ``weight`` is empty where
    all count 1: that makes 10 bytes a subject for a smooth model, 18 where all drop.
    """

    at: Float = field(metadata={"merge": np.concatenate})
    event: Bool = field(metadata={"merge": np.concatenate})
    drops: Bool = field(metadata={"merge": np.concatenate})
    before: Float = field(metadata={"merge": np.concatenate})
    weight: Float = field(metadata={"merge": np.concatenate})

    def all_before(self) -> Float:
        """Return S(t⁻) of all."""
        before = self.at.copy()
        before[self.drops] = self.before
        return before


@dataclass(frozen=True)
class _Survival:
    """Ask for all of them.

    The product limit rests on who is at risk at each event, which is the order of all
    probabilities: it has no smaller summary.
    """

    before: bool
    weighted: bool

    def answer(self, block: Block) -> _Seen:
        """Return those of one block."""
        at, before, outcome = block.reading[:, 0], block.reading[:, 1], block.outcome
        drops = (before != at) & self.before
        weight = outcome.weights if self.weighted else np.empty(0)
        return _Seen(at, outcome.event, drops, before[drops], weight)


@dataclass(frozen=True, kw_only=True)
class LevelAdjustment(Adjustment):
    """Adjusted levels ρ*: the adjusted percentile time is q(ρ*|x).

    Attributes
    ----------
    adjusted_levels : ndarray of shape (P,)
        The ρ* at which the raw curves are read instead of ρ.

    Examples
    --------
    >>> from consurv import ConformalSurvival, Outcome, SurvivalCurves
    >>> y = Outcome(time=[1, 2, 3, 4], event=[1, 1, 0, 1])
    >>> model = ConformalSurvival(lambda X: ([2.0, 4.0], [[0.5, 0.1]] * len(X)),
    ...                           percentiles=3, adjustment="level")
    >>> adjustment = model.conformalize(np.zeros((4, 1)), y).adjustment_
    >>> adjustment.kind
    'level'
    >>> adjustment.apply_to(SurvivalCurves([10.0], [[0.0]])).median()
    array([5.])
    """

    kind: ClassVar[str] = "level"
    adjusts: ClassVar[str] = "levels (CiPOT)"
    method: ClassVar[str] = "levels moved to conformal quantiles (CiPOT)"
    what: ClassVar[str] = "adjusted levels"
    can_cross: ClassVar[bool] = False
    anywhere: ClassVar[bool] = True
    rule_names: ClassVar[tuple[str, ...]] = ("auto", *WEIGHTS)
    _instead: ClassVar[str] = "the largest probability is used"

    adjusted_levels: Float

    @classmethod
    def choose_rule(cls, censoring: Any, n_samples: int | None) -> Any:
        """Return the name of the rule, or a rule itself; ``"uniform"`` is the paper's.

        Examples
        --------
        >>> LevelAdjustment.choose_rule("auto", None)
        'self-consistent'
        """
        if n_samples is not None:
            raise InvalidInput(
                f"n_samples={n_samples} goes with adjustment='time'; "
                "adjustment='level' draws nothing: leave it at None"
            )
        if isinstance(censoring, str) and censoring in cls.rule_names:
            return "self-consistent" if censoring == "auto" else censoring
        if isinstance(censoring, CensoringRule) and censoring.for_levels:
            return censoring
        raise InvalidInput(
            f"censoring={censoring!r} goes with adjustment='time'; with "
            f"adjustment='level' choose one of: {', '.join(WEIGHTS)}, DoublyRobust(...)"
        )

    @classmethod
    def rule_name(cls, rule: Any, censoring: Any) -> str:
        """Return the rule itself where it is a name, else that of the rule."""
        return rule if isinstance(rule, str) else str(rule.name)

    @classmethod
    def reader(cls, rule: Any) -> Callable[..., Block]:
        """Return what reads the raw curves, of which some rules need the whole."""
        return cls.read if isinstance(rule, str) else cls._read_whole

    @classmethod
    def _read_whole(
        cls, raw: RawModel, data: Data, levels: Float, *, in_training: bool
    ) -> CurveBlock:
        X, outcome = data
        curves = SurvivalCurves.concatenate([part for _, part in raw.chunks(X)])
        survival = KnownCurves(raw, curves).survival_around_observed(X, outcome.time)
        return CurveBlock(
            *(survival, levels, outcome),
            features=X,
            in_training=in_training,
            curves=curves,
        )

    @classmethod
    def read(
        cls, raw: RawModel, data: Data, levels: Float, *, in_training: bool
    ) -> Block:
        """Return conformal subjects with S(t) and S(t⁻) of their raw curves."""
        X, outcome = data
        survival = raw.survival_around_observed(X, outcome.time)
        return Block(survival, levels, outcome, features=X, in_training=in_training)

    @classmethod
    def find(
        cls, blocks: Partitions | Sequence[Block], rule: Any, rng: np.random.Generator
    ) -> Self:
        """Return the adjusted levels of all blocks together."""
        subjects = as_partitions(blocks)
        levels, weighted = subjects.levels, subjects.weighted
        # The paper's rule knows S(t) alone.
        seen = subjects.ask(_Survival(rule != "uniform", weighted))
        if isinstance(rule, CensoringRule):
            found = rule.adjusted_levels(subjects)
            warn_of_levels(found, levels, seen.event)
        else:
            weight = seen.weight if weighted else None
            known = seen.at, seen.event, levels, rule, seen.all_before(), weight
            found = find_levels(*known)
        return cls(
            levels=levels,
            adjusted_levels=found.levels,
            beyond=found.beyond,
            identified=found.identified,
            n_conformal=subjects.n,
        )

    @property
    def raw_levels(self) -> Float:
        """The levels ρ*."""
        return self.adjusted_levels

    def read_new(self, raw: RawModel, X: Any) -> Float:
        """Return the percentile times of the raw curves at ρ*.

        The levels were found on the curves, so it is these that they belong to, even
        if the model gives percentile times of its own.
        """
        return raw.curve_times(X, self.adjusted_levels)

    def apply(
        self, reading: Any, random_state: int | np.random.Generator | None = None
    ) -> AdjustedCurves:
        """Return adjusted curves from raw percentile times at ``raw_levels``."""
        return adjust(
            reading,
            self.levels,
            np.zeros(len(self.levels)),  # nothing is left to shift
            rearrange=self.rearrange,
            random_state=random_state,
        )

    def at_observed(self, block: Block) -> Float:
        """Return the level whose ρ* is the raw survival at the observed times."""
        order = np.argsort(self.levels)
        adjusted = np.concatenate([[0.0], self.adjusted_levels[order], [1.0]])
        levels = np.concatenate([[0.0], self.levels[order], [1.0]])
        survival: Float = np.interp(block.reading[:, 0], adjusted, levels)
        return survival

    def attributes(self) -> dict[str, Any]:
        """Return the adjusted levels."""
        return {"adjusted_levels_": self.adjusted_levels}

    def picture(self) -> Picture:
        """Return adjusted level against level."""
        gap = float(np.abs(self.adjusted_levels - self.levels).max())
        return Picture(
            label="Adjusted level ρ*",
            values=self.adjusted_levels,
            neutral="diagonal",
            caption="The level at which the raw curves are read, the same for all "
            "subjects, over the level that is wanted. Above the diagonal the model was "
            "too optimistic.",
            alt=f"Adjusted level against level, up to {gap:.3f} apart.",
        )

    @classmethod
    def _checked(cls, arrays: dict[str, Float]) -> dict[str, Any]:
        adjusted = arrays["adjusted_levels"]
        if adjusted.min() < 0 or adjusted.max() > 1:
            raise InvalidInput(f"adjusted_levels leave [0, 1]: {adjusted.tolist()}")
        return super()._checked(arrays) | {"levels": as_levels(arrays["levels"])}

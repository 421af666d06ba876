"""What shifts of time and of log time share: numbers found by one search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from consurv._checks import Float, Index, as_levels
from consurv._params import AtLeast
from consurv.conformal.adjustments.adjustment import Adjustment
from consurv.conformal.adjustments.shifts import find_shifts
from consurv.conformal.censoring.rules import RULES, CensoringRule, resolve_rule
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.parts.partitions import Partitions, as_partitions
from consurv.conformal.reading.raw_model import RawModel
from consurv.errors import InvalidInput

__all__ = ["ShiftedAdjustment"]


@dataclass(frozen=True, kw_only=True)
class ShiftedAdjustment(Adjustment):
    """An adjustment by the conformal quantiles of scores of percentile times.

    Attributes
    ----------
    n_subjects : ndarray of shape (P,)
        How many subjects count at each level.
    n_infinite : int
        Subjects left out at some level because their percentile time is infinite.
    """

    anywhere: ClassVar[bool] = True
    rule_names: ClassVar[tuple[str, ...]] = tuple(RULES)
    _stored: ClassVar[Any] = {"n_infinite": AtLeast(0), **Adjustment._stored}
    # Scores of all subjects share a factor of time, and not a shift.
    _proportional: ClassVar[bool] = False

    n_subjects: Index = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    n_infinite: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        size = self.levels.size
        if self.n_subjects.size != size:
            object.__setattr__(self, "n_subjects", np.full(size, self.n_conformal))

    @classmethod
    def choose_rule(cls, censoring: Any, n_samples: int | None) -> CensoringRule:
        """Return the rule for censored subjects that a name or an object stands for."""
        return resolve_rule(censoring, n_samples)

    @classmethod
    def read(
        cls, raw: RawModel, data: Data, levels: Float, *, in_training: bool
    ) -> Block:
        """Return conformal subjects with their percentile times."""
        X, outcome = data
        return Block(
            raw.percentile_times(X, levels),
            levels,
            outcome,
            features=X,
            in_training=in_training,
            proportional=cls._proportional,
        )

    @classmethod
    def find(
        cls,
        blocks: Partitions | Sequence[Block],
        rule: CensoringRule,
        rng: np.random.Generator,
    ) -> Self:
        """Return the adjustment that all blocks together lead to."""
        subjects = as_partitions(blocks)
        found = find_shifts(subjects, rule, rng)
        return cls(
            levels=subjects.levels,
            n_subjects=found.n_subjects,
            beyond=found.beyond,
            identified=found.identified,
            n_infinite=found.n_infinite,
            n_conformal=subjects.n,
            **cls._numbers(found.shifts),
        )

    @classmethod
    def _numbers(cls, quantiles: Float) -> dict[str, Any]:
        """Return the kind's own field from the conformal quantiles of its scores."""
        raise NotImplementedError

    def cautions(self) -> list[tuple[str, str]]:
        """Return what weakens the numbers."""
        found = super().cautions()
        if self.n_infinite:
            found.append(
                (
                    "Infinite percentile times in the conformal set",
                    f"{self.n_infinite:,} of {self.n_conformal:,} conformal subjects "
                    "have curves that never drop; they do not count towards the "
                    f"{self.what}.",
                )
            )
        return found

    @classmethod
    def _checked(cls, arrays: dict[str, Float]) -> dict[str, Any]:
        checked = super()._checked(arrays)
        checked["levels"] = as_levels(arrays["levels"])
        counts = arrays["n_subjects"]
        if not ((counts >= 0) & (counts <= 2**53)).all():
            raise InvalidInput(
                f"n_subjects must be counts, got {counts.max():g}; save it again"
            )
        checked["n_subjects"] = counts.astype(np.intp)
        return checked

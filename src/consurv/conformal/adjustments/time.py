"""``"time"``: percentile times shifted by conformal quantiles (CSD, the paper's)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from consurv._checks import Bool, Float, Index, as_levels
from consurv._params import AtLeast
from consurv.conformal.adjust import AdjustedCurves, adjust
from consurv.conformal.adjustments.adjustment import Adjustment, Picture
from consurv.conformal.block import Block, Data
from consurv.conformal.censoring.rules import RULES, CensoringRule, resolve_rule
from consurv.conformal.reading import RawModel
from consurv.conformal.shifts import find_shifts

__all__ = ["TimeAdjustment"]


@dataclass(frozen=True, kw_only=True)
class TimeAdjustment(Adjustment):
    """Shifts b(ρ): the adjusted percentile time is q(ρ|x) − b(ρ).

    Attributes
    ----------
    shifts : ndarray of shape (P,)
    n_subjects : ndarray of shape (P,)
        How many subjects count at each level.
    n_infinite : int
        Subjects left out at some level because their percentile time is infinite.
    identified : ndarray of shape (P,) of bool
        Levels with enough events at or beyond q' (five, or half of the k subjects
        that should be there). At the others the shift rests on how the rule goes on
        where nothing was observed.

    Examples
    --------
    >>> levels = np.array([0.75, 0.25])
    >>> shifts = TimeAdjustment(levels=levels, shifts=np.array([2.0, 1.0]),
    ...                         n_conformal=8)
    >>> shifts.apply([[3, 9], [1, 7]]).median()
    array([4.5, 3. ])
    """

    kind: ClassVar[str] = "time"
    adjusts: ClassVar[str] = "percentile times (CSD)"
    method: ClassVar[str] = "percentile times shifted by conformal quantiles (CSD)"
    what: ClassVar[str] = "shifts"
    rule_names: ClassVar[tuple[str, ...]] = tuple(RULES)
    _stored: ClassVar[Any] = {"n_infinite": AtLeast(0), **Adjustment._stored}

    shifts: Float
    n_subjects: Index = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    n_infinite: int = 0
    identified: Bool = field(default_factory=lambda: np.ones(0, dtype=np.bool_))

    def __post_init__(self) -> None:
        super().__post_init__()
        size = self.levels.size
        if self.identified.size != size:
            object.__setattr__(self, "identified", np.ones(size, dtype=np.bool_))
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
        times = raw.percentile_times(X, levels)
        return Block(times, levels, outcome, features=X, in_training=in_training)

    @classmethod
    def find(
        cls, blocks: Sequence[Block], rule: CensoringRule, rng: np.random.Generator
    ) -> Self:
        """Return the shifts that all blocks together lead to."""
        found = find_shifts(blocks, rule, rng)
        return cls(
            levels=blocks[0].levels,
            shifts=found.shifts,
            n_subjects=found.n_subjects,
            beyond=found.beyond,
            identified=found.identified,
            n_infinite=found.n_infinite,
            n_conformal=sum(len(block.outcome) for block in blocks),
        )

    def apply(
        self, reading: Any, random_state: int | np.random.Generator | None = None
    ) -> AdjustedCurves:
        """Return adjusted curves from raw percentile times."""
        return adjust(
            reading,
            self.levels,
            self.shifts,
            rearrange=self.rearrange,
            random_state=random_state,
        )

    def attributes(self) -> dict[str, Any]:
        """Return the shifts."""
        return {"shifts_": self.shifts}

    def picture(self) -> Picture:
        """Return shift against level."""
        low, high = self.shifts.min(), self.shifts.max()
        return Picture(
            label="Shift to earlier{unit}",
            values=self.shifts,
            neutral="zero",
            caption="By how much the time at which survival falls to a level was made "
            "earlier, the same for all subjects. Where it is positive the model was "
            "too optimistic.",
            alt=f"Shift against level, from {low:.4g} to {high:.4g} units of time.",
        )

    def cautions(self) -> list[tuple[str, str]]:
        """Return what weakens the shifts."""
        found = super().cautions()
        if self.n_infinite:
            found.append(
                (
                    "Infinite percentile times in the conformal set",
                    f"{self.n_infinite:,} of {self.n_conformal:,} conformal subjects "
                    "have curves that never drop; they do not count towards the "
                    "shifts.",
                )
            )
        return found

    @classmethod
    def _checked(cls, arrays: dict[str, Float]) -> dict[str, Any]:
        checked = super()._checked(arrays)
        checked["levels"] = as_levels(arrays["levels"])
        checked["n_subjects"] = arrays["n_subjects"].astype(np.intp)
        return checked

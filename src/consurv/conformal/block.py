"""Some subjects of the conformal set, as adjustments and censoring rules see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = ["Block", "Data", "refer"]

Data = tuple[Any, Outcome]


@dataclass(frozen=True)
class Block:
    """Subjects with what was read off their raw curves, and what was observed.

    Parameters
    ----------
    reading : ndarray of n rows
        What the kind of adjustment reads: percentile times (n, P), or else.
    levels : ndarray of shape (P,)
    outcome : Outcome of n subjects
    reference : KaplanMeier, optional
        The curve that speaks for censored subjects; by default that of the block.
    member : bool
        Whether the subjects belong to the sample of *reference*.
    features : optional
        Rows of X, for rules that look at them.
    in_training : bool
        Whether the model was trained on them.
    proportional : bool
        Whether scores are −t/q, which all subjects share as a factor of time, and not
        q − t, which they share as a shift.
    """

    reading: Float
    levels: Float
    outcome: Outcome
    reference: KaplanMeier | None = None
    member: bool = False
    features: Any = None
    in_training: bool = False
    proportional: bool = False

    @property
    def percentile_times(self) -> Float:
        """The reading, for rules to which it is percentile times (n, P)."""
        return self.reading

    def line(self, q: Float) -> tuple[Float, Float]:
        """Return (offset, rate) of percentile times: the score of t is their line.

        The score is s = (offset − t)/rate, and the time with score s is
        offset − s·rate. For −t/q this is linear in t, where a difference of logarithms,
        which has the same order, would bend; and a change of the unit of time changes
        no bit.
        """
        none = np.broadcast_to(0.0 if self.proportional else 1.0, q.shape)
        return (none, q) if self.proportional else (q, none)

    @cached_property
    def kaplan_meier(self) -> KaplanMeier:
        """The curve to use, estimated on first use."""
        return self.reference or KaplanMeier(self.outcome)

    @property
    def in_sample(self) -> bool:
        """Whether the subjects belong to the sample of ``kaplan_meier``."""
        return self.member or self.reference is None


def refer(
    blocks: Sequence[Block], wanted: str | KaplanMeier, training: Outcome | None
) -> tuple[KaplanMeier, list[Block]]:
    """Give all blocks one Kaplan–Meier curve for their censored subjects.

    Parameters
    ----------
    blocks : sequence of Block
    wanted : {"train", "conformal"} or KaplanMeier
        Whose outcomes it is made of. Nobody is known to belong to the sample of a
        given one.
    training : Outcome or None
        What the model was trained on; without it the curve is that of the blocks.
    """
    if isinstance(wanted, KaplanMeier):
        curve, members = wanted, [False] * len(blocks)
    elif wanted == "train" and training is not None:
        curve, members = KaplanMeier(training), [block.in_training for block in blocks]
    else:
        everyone = Outcome.concatenate([block.outcome for block in blocks])
        curve, members = KaplanMeier(everyone), [True] * len(blocks)
    pairs = zip(blocks, members, strict=True)
    return curve, [replace(b, reference=curve, member=m) for b, m in pairs]

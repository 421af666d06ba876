"""From the parts of a conformal set to the blocks that a censoring rule sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consurv._checks import Float
from consurv.conformal.censoring.base import Block
from consurv.conformal.policies import ConformalPart
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = ["Reference", "blocks_of"]


@dataclass(frozen=True)
class Reference:
    """The Kaplan–Meier curve for censored subjects, and whose outcomes it is made of.

    Attributes
    ----------
    kaplan_meier : KaplanMeier
    sample : {"train", "conformal"} or None
        None: it was given, and nobody is known to belong to its sample.
    """

    kaplan_meier: KaplanMeier
    sample: str | None

    @classmethod
    def choose(
        cls,
        wanted: str | KaplanMeier,
        parts: Sequence[ConformalPart],
        training: Outcome | None,
    ) -> Reference:
        """Return the curve that is *wanted*: given, or made of some outcomes.

        Without training outcomes it is that of the conformal set.
        """
        if isinstance(wanted, KaplanMeier):
            return cls(wanted, None)
        if wanted == "train" and training is not None:
            return cls(KaplanMeier(training), "train")
        everyone = Outcome.concatenate([part.outcome for part in parts])
        return cls(KaplanMeier(everyone), "conformal")

    def holds(self, part: ConformalPart) -> bool:
        """Say whether the subjects of a part belong to the sample of the curve."""
        return self.sample == "conformal" or (
            self.sample == "train" and part.in_training
        )


def blocks_of(
    parts: Sequence[ConformalPart], levels: Float, reference: Reference
) -> list[Block]:
    """Return a block for each part; they share the Kaplan–Meier curve."""
    return [
        Block(
            part.reading,
            levels,
            part.outcome,
            reference=reference.kaplan_meier,
            member=reference.holds(part),
            features=part.features,
        )
        for part in parts
    ]

"""The border that every metric shares."""

from __future__ import annotations

from typing import Any

from consurv._checks import check_same_length
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["check_events", "check_inputs"]


def check_inputs(y: Any, curves: Any, *, instead: str = "") -> Outcome:
    """Return the outcomes if there is one curve for each of them.

    Parameters
    ----------
    y : any form of outcomes that :meth:`Outcome.of` reads
    curves : SurvivalCurves
    instead : str
        Way out of this metric for those who hold no curves, for the message.

    Raises
    ------
    InvalidInput
        If *curves* are something else, the lengths differ or no event was observed:
        without one, nothing that a metric compares with was seen.
    """
    if not isinstance(curves, SurvivalCurves):
        shape = getattr(curves, "shape", None)
        raise InvalidInput(
            f"curves must be SurvivalCurves, got {type(curves).__name__}"
            f"{f' of shape {shape}' if shape else ''}; make them with "
            f"SurvivalCurves(times, survival){instead}"
        )
    outcome = Outcome.of(y)
    check_same_length(y=len(outcome), curves=len(curves))
    check_events(outcome)
    return outcome


def check_events(y: Outcome) -> None:
    """Refuse outcomes among which no event was observed."""
    if y.n_events == 0:
        raise InvalidInput(
            f"y has no event among its {len(y)} subjects, so there is nothing to "
            "compare the predictions with; is the event coded as censoring?"
        )

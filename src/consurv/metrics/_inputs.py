"""The border that every metric shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float, as_floats, as_plain_array, check_same_length
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["as_risk", "check_events", "check_inputs"]


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


def as_risk(risk: ArrayLike) -> Float:
    """Return scores as floats; NaN and +inf are refused, −inf (never) is not."""
    array = as_plain_array(risk, "risk")
    if array.dtype.kind != "f":
        return as_floats(array, "risk")
    never = array == -np.inf
    scores = as_floats(np.where(never, 0.0, array), "risk")
    return np.where(never.reshape(scores.shape), -np.inf, scores)

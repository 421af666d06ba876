"""The border that every metric shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float, as_floats, as_plain_array, check_same_length
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["as_risk", "check_events", "check_inputs", "check_weighted", "of_counted"]


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
        without one, nothing that a metric compares with was seen. And if the outcomes
        have weights: metrics that take them ask for ``check_weighted``.
    """
    outcome = _read(y, curves, instead)
    if outcome.weight is not None:
        raise InvalidInput(
            "this metric takes no weights, and the outcomes have some; give outcomes "
            "without weights, or choose a metric that has sample_weight"
        )
    check_events(outcome)
    return outcome


def check_weighted(
    y: Any, curves: Any, sample_weight: Any, *, instead: str = ""
) -> tuple[Outcome, SurvivalCurves]:
    """Return outcomes with weights, and curves, of those who weigh more than nothing.

    Raises
    ------
    InvalidInput
        As ``check_inputs`` does, and if weights are no numbers of subjects.
    """
    outcome = _read(y, curves, instead).weighted(sample_weight)
    counted = outcome.counted
    curves = curves if counted is None else curves[counted]
    check_events(outcome.counting)
    return outcome.counting, curves


def _read(y: Any, curves: Any, instead: str) -> Outcome:
    if not isinstance(curves, SurvivalCurves):
        shape = getattr(curves, "shape", None)
        raise InvalidInput(
            f"curves must be SurvivalCurves, got {type(curves).__name__}"
            f"{f' of shape {shape}' if shape else ''}; make them with "
            "SurvivalCurves(times, survival), or SurvivalCurves.from_frame of a table "
            f"of times x subjects{instead}"
        )
    outcome = Outcome.of(y)
    check_same_length(y=len(outcome), curves=len(curves))
    return outcome


def check_events(y: Outcome) -> None:
    """Refuse outcomes among which no event was observed."""
    if y.n_events == 0:
        raise InvalidInput(
            f"y has no event among its {len(y)} subjects, so there is nothing to "
            "compare the predictions with; is the event coded as censoring?"
        )


def of_counted(risk: ArrayLike, y: Outcome) -> Float:
    """Return the scores of those who weigh more than nothing."""
    scores = as_risk(risk)
    check_same_length(y=len(y), risk=len(scores))
    return scores if y.counted is None else scores[y.counted]


def as_risk(risk: ArrayLike) -> Float:
    """Return scores as floats; NaN and +inf are refused, −inf (never) is not."""
    array = as_plain_array(risk, "risk")
    if array.dtype.kind != "f":
        return as_floats(array, "risk")
    never = array == -np.inf
    scores = as_floats(np.where(never, 0.0, array), "risk")
    return np.where(never.reshape(scores.shape), -np.inf, scores)

"""The training outcomes that some metrics weigh or complete the censored with."""

from __future__ import annotations

from typing import Any

from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["training_curve"]


def training_curve(y_train: Any, y: Outcome) -> KaplanMeier:
    """Return the Kaplan–Meier estimate of the training outcomes.

    Parameters
    ----------
    y_train : any form of outcomes, KaplanMeier or None
        A curve is taken as it is, such as ``kaplan_meier_`` of a fitted model. None
        stands for the outcomes *y* that are being evaluated.
    y : Outcome

    Raises
    ------
    InvalidInput
        If *y_train* cannot be read as outcomes or holds no event.
    """
    if isinstance(y_train, KaplanMeier):
        return y_train
    if y_train is None:
        return KaplanMeier(y)
    try:
        outcome = Outcome.of(y_train)
    except InvalidInput as error:
        raise InvalidInput(f"y_train: {error}") from error
    if outcome.n_events == 0:
        raise InvalidInput(
            f"y_train has no event among its {len(outcome)} subjects; give the "
            "outcomes that the model was trained on. Is the event coded as censoring?"
        )
    return KaplanMeier(outcome)

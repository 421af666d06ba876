"""The validation set that training stops by, split off where none is given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._warnings import warn
from consurv.outcome import Outcome
from consurv.splits import split

__all__ = ["with_validation"]

Data = tuple[NDArray[Any], Outcome]


def with_validation(
    data: Data, validation: Data | None, fraction: float, rng: np.random.Generator
) -> tuple[Data, Data]:
    """Return training and validation rows; a warning if the latter have no event.

    Examples
    --------
    >>> data = np.zeros((10, 1)), Outcome(time=np.arange(1, 11), event=np.ones(10))
    >>> kept, held = with_validation(data, None, 0.2, np.random.default_rng(0))
    >>> len(kept[1]), len(held[1])
    (8, 2)
    """
    if validation is None:
        X, outcome = data
        # To stop on, not to test on: the more alike the parts, the better.
        kept, held = split(outcome, fraction, rng, stratify="event+time")
        data, validation = (X[kept], outcome[kept]), (X[held], outcome[held])
    if validation[1].n_events == 0:
        warn(
            f"none of the {len(validation[1])} subjects of the validation set has "
            "an event, so that it hardly tells when to stop; give X_val and y_val "
            "or raise validation_fraction",
        )
    return data, validation

"""The models that speak for censoring, trained where the model itself is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from consurv.adapters import adapter_for
from consurv.adapters.adapter import describe
from consurv.conformal.censoring.rules import CensoringRule
from consurv.conformal.parts.blocks import Data
from consurv.conformal.reading.raw_model import RawModel, fit_plainly, rows_of
from consurv.conformal.sets.trainer import take
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome
from consurv.splits import folds

__all__ = ["Fitted", "Nuisance", "curves_of", "flipped", "out_of_fold"]

# Events are put before censorings at the same time by this share of it.
_EARLIER = 1e-9


def flipped(outcome: Outcome) -> Outcome:
    """Return outcomes of which censoring is the event.

    At a tied time the event comes first, so that who has it is not at risk of being
    censored there: tied events are put a hair earlier.

    Examples
    --------
    >>> flipped(Outcome(time=[1, 2, 2], event=[1, 0, 1])).event
    array([False,  True, False])
    """
    event, time = outcome.event, outcome.time
    tied = event & np.isin(time, time[~event])
    return Outcome(np.where(tied, time * (1 - _EARLIER), time), ~event)


class Fitted(NamedTuple):
    """Fitted models: of censoring, and of the event where it is another one."""

    censoring: Any
    event: Any = None


class Nuisance(CensoringRule):
    """Models of censoring and event that are trained along, out of fold.

    Parameters
    ----------
    censoring : object
        A survival model for (time, not event), in any form that the adapters take.
    event : object, optional
        One for (time, event), beside the model itself.
    """

    def __init__(self, censoring: Any, event: Any = None) -> None:
        self.models = Fitted(censoring, event)

    @property
    def is_fitted(self) -> bool:
        """Whether all models can give curves now."""
        return all(
            model is None or adapter_for(model).is_fitted(model)
            for model in self.models
        )

    @property
    def imputer(self) -> Fitted:
        """The models."""
        return self.models

    def fitted(
        self, training: Data | None, validation: Data | None, earlier: Any = None
    ) -> Nuisance:
        """Return this with fitted models: its own, or copies trained here."""
        if self.is_fitted:
            return self
        if training is None:
            return Nuisance(*earlier) if earlier is not None else self
        stop = None if validation is None else (validation[0], flipped(validation[1]))
        turned = training[0], flipped(training[1])
        censoring = _trained(self.models.censoring, turned, stop)
        event = _trained(self.models.event, training, validation)
        return Nuisance(censoring, event)


def _trained(model: Any, data: Data, validation: Data | None) -> Any:
    """Return a model that can give curves: as it is, or a trained copy."""
    if model is None or adapter_for(model).is_fitted(model):
        return model
    if not data[1].n_events:
        return None  # nobody is censored here
    adapter = adapter_for(model)
    return fit_plainly(adapter, adapter.clone(model), data, validation)


def out_of_fold(
    nuisance: Nuisance, data: Data, n_folds: int, rng: np.random.Generator
) -> Iterator[tuple[Any, Fitted]]:
    """Yield rows of *data* with models that were trained on the other rows.

    For a model that came fitted, whose training rows are not at hand.
    """
    censored = int(np.count_nonzero(~data[1].event))
    number = min(n_folds, censored, len(data[1]))
    if number < 2:
        raise InvalidInput(
            f"{censored} censored subjects are too few to fit "
            f"{describe(nuisance.models.censoring)} to the censoring of the others; "
            "give a fitted censoring_model, or more subjects"
        )
    fold = folds(data[1], number, rng)
    for k in range(number):
        rest = take(data, np.flatnonzero(fold != k))
        yield np.flatnonzero(fold == k), nuisance.fitted(rest, None).models


def curves_of(model: Any, X: Any, rows: Any = None) -> SurvivalCurves:
    """Return the curves of some rows of *X*, in chunks."""
    some = X if rows is None else rows_of(X, rows)
    return SurvivalCurves.concatenate([c for _, c in RawModel(model).chunks(some)])

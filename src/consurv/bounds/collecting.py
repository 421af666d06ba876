"""From rows and models to a sample: who is predicted by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float, as_plain_array, check_same_length
from consurv.conformal.censoring.nuisance import (
    Fitted,
    Nuisance,
    curves_of,
    out_of_fold,
)
from consurv.conformal.parts.blocks import CurveBlock, Data
from consurv.conformal.reading.raw_model import RawModel
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome
from consurv.weighting.sample import Sample

__all__ = ["check_limit", "from_blocks", "from_rows", "read_curves"]


def read_curves(raw: RawModel, data: Data, *, in_training: bool) -> CurveBlock:
    """Return conformal subjects with all of their raw curves."""
    X, outcome = data
    curves = SurvivalCurves.concatenate([part for _, part in raw.chunks(X)])
    nothing = np.empty((len(outcome), 0))
    return CurveBlock(
        nothing, nothing[0], outcome, features=X, in_training=in_training, curves=curves
    )


def from_blocks(blocks: Sequence[Any], models: Fitted | None) -> Sample:
    """Return the subjects of blocks; *models* are for those without their own."""
    outcome = Outcome.concatenate([block.outcome for block in blocks])
    curves = SurvivalCurves.concatenate([block.curves for block in blocks])
    sample = Sample(outcome, curves)
    if models is None or outcome.n_events == len(outcome):
        return sample
    parts = [
        _nuisance_curves(block.imputer or models, block.features) for block in blocks
    ]
    return _with_nuisance(sample, parts)


def from_rows(
    raw: RawModel, data: Data, nuisance: Nuisance | None, n_folds: int, rng: Any
) -> tuple[Sample, Fitted | None]:
    """Return rows as a sample, and the nuisance models for new subjects.

    Models that are not fitted are fitted to the rows themselves, each subject seeing
    those of the other folds.
    """
    X, outcome = data
    sample = Sample(outcome, read_curves(raw, data, in_training=False).curves)  # type: ignore[arg-type]
    if nuisance is None or outcome.n_events == len(outcome):
        return sample, None
    if nuisance.is_fitted:
        part = _nuisance_curves(nuisance.models, X)
        return _with_nuisance(sample, [part]), nuisance.models
    rows, parts = [], []
    for some, models in out_of_fold(nuisance, data, n_folds, rng):
        rows.append(some)
        parts.append(_nuisance_curves(models, X, some))
    order = np.concatenate(rows)
    ordered = Sample(outcome[order], sample.model[order])
    back = np.argsort(order)
    sample = _rows(_with_nuisance(ordered, parts), back)
    return sample, nuisance.fitted(data, None).models


def _nuisance_curves(
    models: Fitted, X: Any, rows: Any = None
) -> tuple[SurvivalCurves, SurvivalCurves | None]:
    if models.censoring is None:
        raise InvalidInput(
            "nobody is censored among the rows that the censoring model is fitted to, "
            "but some are among those that calibrate; give a fitted censoring_model"
        )
    event = None if models.event is None else curves_of(models.event, X, rows)
    return curves_of(models.censoring, X, rows), event


def _with_nuisance(sample: Sample, parts: Sequence[Any]) -> Sample:
    censoring = SurvivalCurves.concatenate([part[0] for part in parts])
    event = None
    if parts[0][1] is not None:
        event = SurvivalCurves.concatenate([part[1] for part in parts])
    return replace(sample, censoring=censoring, event=event)


def _rows(sample: Sample, rows: Any) -> Sample:
    curves = {
        name: getattr(sample, name)[rows]
        for name in ("outcome", "model", "censoring", "event")
        if getattr(sample, name) is not None
    }
    return Sample(**curves)


def check_limit(limit: ArrayLike | None, outcome: Outcome) -> Float | None:
    """Return C of everybody, which an observation never outlasts."""
    if limit is None:
        return None
    found = as_plain_array(limit, "censoring_time").astype(float)
    check_same_length(censoring_time=len(found), y=len(outcome))
    # inf is an answer: never censored.
    wrong = ~(found >= outcome.time) | (~outcome.event & (found != outcome.time))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidInput(
            f"censoring_time has {wrong.sum()} values that do not go with y, the first "
            f"at row {row}: {found[row]:g} where y has time {outcome.time[row]:g}; it "
            "is the time itself of who is censored, and at least that of an event"
        )
    return found

"""One cell: a dataset, a model and a seed; the raw model beside every contestant."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv.conformal.adjustments import Adjustment, adjustment_kind
from consurv.conformal.parts.blocks import Block
from consurv.conformal.reading.inputs import read_levels
from consurv.conformal.reading.raw_model import KnownCurves
from studies.evaluation import describe_error
from studies.folds import Trained, scores_of, trained
from studies.limits import one_thread

__all__ = ["CONTESTANTS", "Contestant", "record", "run"]

_LEVELS = read_levels(19)


@dataclass(frozen=True)
class Contestant:
    """A kind of adjustment with its censoring rule, and who sets it."""

    adjustment: str
    censoring: str = "auto"
    reuse: bool = False  # the training rows themselves, as 0.1.0 did


CONTESTANTS: Mapping[str, Contestant] = {
    "0.1.0": Contestant("time", reuse=True),
    "time": Contestant("time"),
    "log-time": Contestant("log-time"),
    "level": Contestant("level"),
    "recalibrated": Contestant("recalibrated"),
}


def record(dataset: str, model: str, seed: int) -> dict[str, Any]:
    """Return the record of a cell; an error becomes part of it."""
    found: dict[str, Any] = {"dataset": dataset, "model": model, "seed": seed}
    try:
        with one_thread():
            return {**found, "scores": run(dataset, model, seed)}
    except Exception as error:  # the run goes on
        return {**found, "error": describe_error(error)}


def run(dataset: str, model: str, seed: int) -> dict[str, dict[str, float]]:
    """Return the metrics of the raw curves and of every contestant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = trained(dataset, model, seed)
        test = found.split.test[0]
        curves = found.final.curves(test)
        scores = {"raw": scores_of(found.split, curves)}
        known = KnownCurves(found.final, curves)
        for name, adjustment in _adjustments(found, seed).items():
            adjusted = adjustment.predict(known, test, seed)
            scores[name] = scores_of(found.split, adjusted)
    return scores


def _adjustments(found: Trained, seed: int) -> dict[str, Adjustment]:
    """Find the adjustments of all contestants."""
    training, rng = found.split.train, np.random.default_rng(seed)
    adjustments = {}
    for name, contestant in CONTESTANTS.items():
        kind = adjustment_kind(contestant.adjustment)
        sources = [(fold.model, found.own(fold)) for fold in found.folds]
        if contestant.reuse:
            sources = [(found.final, training)]
        blocks: list[Block] = [
            kind.read(raw, own, _LEVELS, in_training=True) for raw, own in sources
        ]
        rule = kind.choose_rule(contestant.censoring, None)
        adjustments[name] = kind.make(blocks, rule, rng, training=training[1])
    return adjustments

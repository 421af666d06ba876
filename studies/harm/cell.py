"""One cell: a dataset, a model and a seed; the raw model beside every contestant."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv.adapters import adapter_for
from consurv.conformal.adjustments import Adjustment, adjustment_kind
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.reading.inputs import read_levels
from consurv.conformal.reading.raw_model import KnownCurves, RawModel
from consurv.conformal.sets.alignment import Anchor
from consurv.curves.curves import SurvivalCurves
from consurv.metrics import evaluate
from consurv.models import make_model
from studies.evaluation import describe_error
from studies.harm.sources import load
from studies.limits import one_thread
from studies.protocol import Split, split_table

__all__ = ["CONTESTANTS", "Contestant", "make", "record", "run"]

_FOLDS = 5
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

# Beside the registry: two more accelerated laws and trees that go deep.
_FOREIGN: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "lognormal-aft": ("lifelines", "LogNormalAFTFitter", {"penalizer": 0.01}),
    "loglogistic-aft": ("lifelines", "LogLogisticAFTFitter", {"penalizer": 0.01}),
    "trees": (
        "sksurv.ensemble",
        "GradientBoostingSurvivalAnalysis",
        {"max_depth": 1, "n_estimators": 100},
    ),
    "deep-trees": (
        "sksurv.ensemble",
        "GradientBoostingSurvivalAnalysis",
        {"max_depth": 6, "learning_rate": 0.3, "max_features": "sqrt"},
    ),
}


def make(name: str, seed: int) -> Any:
    """Return an untrained model by name."""
    if name not in _FOREIGN:
        return make_model(name, seed)
    from importlib import import_module
    from inspect import signature

    module, label, settings = _FOREIGN[name]
    kind = getattr(import_module(module), label)
    if "random_state" in signature(kind).parameters:
        settings = {**settings, "random_state": seed}
    return kind(**settings)


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
        X, y, impute = load(dataset)
        split = split_table(X, y, seed, False, impute)
        final = _train(model, seed, split.train)
        raw = RawModel(final)
        curves = raw.curves(split.test[0])
        scores = {"raw": _scores(split, curves)}
        known = KnownCurves(raw, curves)
        for name, found in _adjustments(model, seed, split, raw).items():
            adjusted = found.predict(known, split.test[0], seed)
            scores[name] = _scores(split, adjusted)
    return scores


def _adjustments(
    model: str, seed: int, split: Split, raw: RawModel
) -> dict[str, Adjustment]:
    """Find all adjustments; each fold is trained once for all of them."""
    kinds = {n: (c, adjustment_kind(c.adjustment)) for n, c in CONTESTANTS.items()}
    blocks: dict[str, list[Block]] = {name: [] for name in kinds}
    rng = np.random.default_rng(seed)
    fold = rng.permutation(len(split.train[1])) % _FOLDS
    stops = raw.adapter.takes_validation(raw.estimator)
    anchor = Anchor.of(raw, split.train[0]) if stops else None
    for i in range(_FOLDS):
        rows = np.flatnonzero(fold != i)
        own = _take(split.train, np.flatnonzero(fold == i))
        folded = RawModel(_train(model, seed, _take(split.train, rows)))
        if anchor is not None:
            folded = anchor.align(folded, split.train[0], rows)
        for name, (contestant, kind) in kinds.items():
            if not contestant.reuse:
                block = kind.read(folded, own, _LEVELS, in_training=True)
                blocks[name].append(block)
    found = {}
    for name, (contestant, kind) in kinds.items():
        if contestant.reuse:
            blocks[name] = [kind.read(raw, split.train, _LEVELS, in_training=True)]
        rule = kind.choose_rule(contestant.censoring, None)
        training = split.train[1]
        found[name] = kind.make(blocks[name], rule, rng, training=training)
    return found


def _train(model: str, seed: int, data: Data) -> Any:
    template = make(model, seed)
    return adapter_for(template).fit(template, *data, None)


def _take(data: Data, rows: Any) -> Data:
    return data[0].iloc[rows], data[1][rows]


def _scores(split: Split, curves: SurvivalCurves) -> dict[str, float]:
    """Return the metrics of a record, by name."""
    found = evaluate(split.test[1], curves, y_train=split.kaplan_meier)
    return {name: float(value) for name, value in found.as_dict().items()}

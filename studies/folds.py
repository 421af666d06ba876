"""What two studies of real data ask: models of all training rows, and of folds.

What calibrating does to real data (`studies.harm`) and what else one could do
(`studies.calibrators`) rest on the same curves. Where both ask one after the other in a
process, as ``python -m studies.real`` lets them, models are trained once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from consurv._checks import Index
from consurv.adapters import adapter_for
from consurv.conformal.parts.blocks import Data
from consurv.conformal.reading.raw_model import RawModel
from consurv.conformal.sets.alignment import Anchor
from consurv.curves.curves import SurvivalCurves
from consurv.metrics import evaluate
from consurv.models import make_model
from studies.harm.sources import load
from studies.protocol import Split, split_table

__all__ = ["Fold", "Trained", "fit", "make", "scores_of", "trained"]

_FOLDS = 5

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


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows of the training part, and a model that did not see them."""

    rows: Index
    model: RawModel


@dataclass(frozen=True, eq=False)
class Trained:
    """A split, the model of all its training rows, and those of the folds.

    Models that stop early are aligned with the final one, as `ConformalSurvival` does.
    """

    split: Split
    final: RawModel
    folds: tuple[Fold, ...]

    def own(self, fold: Fold) -> Data:
        """Return the data of the rows of a fold."""
        return _take(self.split.train, fold.rows)


@lru_cache(maxsize=1)
def trained(dataset: str, model: str, seed: int) -> Trained:
    """Train the models of a cell; those of the last one are kept in memory.

    Examples
    --------
    >>> found = trained("WHAS500", "weibull-aft", 0)
    >>> [len(fold.rows) for fold in found.folds]
    [90, 90, 90, 90, 90]
    """
    X, y, impute = load(dataset)
    split = split_table(X, y, seed, False, impute)
    final = RawModel(_fit(model, seed, split.train))
    stops = final.adapter.takes_validation(final.estimator)
    anchor = Anchor.of(final, split.train[0]) if stops else None
    fold = np.random.default_rng(seed).permutation(len(split.train[1])) % _FOLDS
    folds = []
    for i in range(_FOLDS):
        rest, own = np.flatnonzero(fold != i), np.flatnonzero(fold == i)
        raw = RawModel(_fit(model, seed, _take(split.train, rest)))
        if anchor is not None:
            raw = anchor.align(raw, split.train[0], rest)
        folds.append(Fold(own, raw))
    return Trained(split, final, tuple(folds))


def fit(template: Any, data: Data) -> Any:
    """Train a model by the adapter that goes with it."""
    return adapter_for(template).fit(template, *data, None)


def scores_of(split: Split, curves: SurvivalCurves) -> dict[str, float]:
    """Return the metrics of curves of the test rows, by name."""
    found = evaluate(split.test[1], curves, y_train=split.kaplan_meier)
    return {name: float(value) for name, value in found.as_dict().items()}


def _fit(model: str, seed: int, data: Data) -> Any:
    return fit(make(model, seed), data)


def _take(data: Data, rows: Index) -> Data:
    return data[0].iloc[rows], data[1][rows]

"""Conformal-set policies: who trains the model and who sets its adjustment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.adapters import Adapter
from consurv.adapters.adapter import n_rows
from consurv.conformal.levels import times_at
from consurv.curves.chunks import CHUNK_ROWS, in_chunks, row_chunks
from consurv.curves.curves import SurvivalCurves
from consurv.outcome import Outcome
from consurv.splits import folds, split

__all__ = ["POLICIES", "ConformalPart", "Job", "Trained", "choose_policy"]

# The paper's advice: a validation set of this size is enough on its own.
ENOUGH_FOR_VALIDATION = 1000

Data = tuple[Any, Outcome]


@dataclass(frozen=True)
class ConformalPart:
    """Some conformal subjects: what was read off their raw curves, and outcomes.

    Attributes
    ----------
    reading : ndarray
        Percentile times (n, P), or for levels the survival at the observed times (n,).
    outcome : Outcome of n subjects
    in_training : bool
        Whether the model was trained on them.
    features : optional
        Their rows of X, for censoring rules that look at them.
    """

    reading: Float
    outcome: Outcome
    in_training: bool
    features: Any = None


@dataclass(frozen=True)
class Trained:
    """A trained estimator, what it was trained on and its conformal set."""

    estimator: Any
    training: Data
    validation: Data | None
    conformal: list[ConformalPart]


@dataclass(frozen=True)
class Job:
    """What a policy works with."""

    adapter: Adapter
    template: Any
    adjustment: str
    levels: Float
    validation_fraction: float
    n_folds: int
    rng: np.random.Generator

    @property
    def takes_validation(self) -> bool:
        """Whether training makes use of a validation set."""
        return self.adapter.takes_validation(self.template)

    def train(self, data: Data, validation: Data | None) -> Any:
        """Return a copy of the template trained on *data*."""
        estimator = self.adapter.clone(self.template)
        return self.adapter.fit(estimator, *data, validation)

    def part(self, estimator: Any, data: Data, *, in_training: bool) -> ConformalPart:
        """Return the conformal part of subjects predicted by *estimator*."""
        return ConformalPart(self.read(estimator, data), data[1], in_training, data[0])

    def read(self, estimator: Any, data: Data) -> Float:
        """Return what the adjustment is made from, a row for each subject."""
        X, y = data
        if self.adjustment == "level":
            return survival_of(self.adapter, estimator, X, y)
        return percentile_times_of(self.adapter, estimator, X, self.levels)

    def hold_out(self, data: Data, fraction: float) -> tuple[Data, Data]:
        """Split *data* in two, stratified."""
        kept, held = split(data[1], fraction, self.rng)
        return take(data, kept), take(data, held)

    def with_validation(
        self, data: Data, validation: Data | None
    ) -> tuple[Data, Data | None]:
        """Split a validation set off *data* if the estimator wants one and has none."""
        if validation is not None or not self.takes_validation:
            return data, validation
        return self.hold_out(data, self.validation_fraction)


def predict_chunks(
    adapter: Adapter, estimator: Any, X: Any
) -> Iterator[tuple[slice, SurvivalCurves]]:
    """Yield slices of the rows of *X* and their raw curves, a chunk at a time."""

    def predict(rows: slice) -> SurvivalCurves:
        return adapter.curves(estimator, rows_of(X, rows))

    return in_chunks(predict, n_rows(X), CHUNK_ROWS)


def percentile_times_of(
    adapter: Adapter, estimator: Any, X: Any, levels: Float
) -> Float:
    """Return the raw percentile times (n, P) that shifts are made from and applied to.

    They are the model's own where it gives them at all *levels*, and may cross then.
    Otherwise they are read off its curves.
    """
    own = own_times_of(adapter, estimator, X, levels)
    return curve_times_of(adapter, estimator, X, levels) if own is None else own


def own_times_of(
    adapter: Adapter, estimator: Any, X: Any, levels: Float
) -> Float | None:
    """Return the percentile times (n, P) that the model gives itself.

    None if there is a level at which it gives none. Predicts a chunk at a time.
    """
    own = adapter.own_levels(estimator)
    if own is None or not np.isin(levels, own).all():
        return None
    columns = np.equal.outer(levels, own).argmax(axis=1)
    q = np.empty((n_rows(X), len(levels)))
    for rows in row_chunks(len(q), CHUNK_ROWS):
        times = adapter.own_percentile_times(estimator, rows_of(X, rows))
        q[rows] = times[:, columns]
    return q


def curve_times_of(adapter: Adapter, estimator: Any, X: Any, levels: Float) -> Float:
    """Return the percentile times (n, P) of the raw curves, a chunk at a time.

    Levels may be 0 or 1 and may repeat.
    """
    q = np.empty((n_rows(X), len(levels)))
    for rows, curves in predict_chunks(adapter, estimator, X):
        q[rows] = times_at(curves, levels)
    return q


def survival_of(adapter: Adapter, estimator: Any, X: Any, y: Outcome) -> Float:
    """Return the raw survival at the observed times (n,), a chunk at a time."""
    survival = np.empty(len(y))
    for rows, curves in predict_chunks(adapter, estimator, X):
        survival[rows] = curves.survival_at_observed(y.time[rows])
    return survival


def on_validation(job: Job, data: Data, validation: Data | None) -> Trained:
    """Policy 1: the validation set, given or split off."""
    if validation is None:
        data, validation = job.hold_out(data, job.validation_fraction)
    estimator = job.train(data, validation)
    part = job.part(estimator, validation, in_training=False)
    return Trained(estimator, data, validation, [part])


def on_train_and_validation(job: Job, data: Data, validation: Data | None) -> Trained:
    """Policy 2: training and validation set together."""
    data, validation = job.with_validation(data, validation)
    estimator = job.train(data, validation)
    parts = [job.part(estimator, data, in_training=True)]
    if validation is not None:
        parts.append(job.part(estimator, validation, in_training=False))
    return Trained(estimator, data, validation, parts)


def on_train(job: Job, data: Data, validation: Data | None) -> Trained:
    """Take the training set itself."""
    estimator = job.train(data, validation)
    part = job.part(estimator, data, in_training=True)
    return Trained(estimator, data, validation, [part])


def on_half(job: Job, data: Data, validation: Data | None) -> Trained:
    """Train on one half, conformalize on the other: the classical split."""
    data, held = job.hold_out(data, 0.5)
    data, validation = job.with_validation(data, validation)
    estimator = job.train(data, validation)
    part = job.part(estimator, held, in_training=False)
    return Trained(estimator, data, validation, [part])


def on_cross(job: Job, data: Data, validation: Data | None) -> Trained:
    """Predict every subject out of fold; the final model is trained on all."""
    fold = folds(data[1], job.n_folds, job.rng)
    own = [np.flatnonzero(fold == i) for i in range(job.n_folds)]
    readings = []
    for i, rows in enumerate(own):
        rest = take(data, np.flatnonzero(fold != i))
        estimator = job.train(*job.with_validation(rest, validation))
        readings.append(job.read(estimator, take(data, rows)))
    order = np.argsort(np.concatenate(own))  # back to the order of the rows
    reading = np.concatenate(readings)[order]
    final = job.train(*job.with_validation(data, validation))
    part = ConformalPart(reading, data[1], in_training=True, features=data[0])
    return Trained(final, data, validation, [part])


POLICIES: Mapping[str, Callable[[Job, Data, Data | None], Trained]] = {
    "validation": on_validation,
    "train+validation": on_train_and_validation,
    "train": on_train,
    "half": on_half,
    "cross": on_cross,
}


def choose_policy(job: Job, n: int, n_validation: int | None) -> str:
    """Return what ``"auto"`` stands for, by the paper's advice.

    Parameters
    ----------
    job : Job
    n : int
        Subjects to train on.
    n_validation : int or None
        Size of the user's own validation set, if there is one.
    """
    if n_validation is None:
        if not job.takes_validation:
            return "train"
        n_validation = int(n * job.validation_fraction)
    enough = n_validation >= ENOUGH_FOR_VALIDATION
    return "validation" if enough else "train+validation"


def take(data: Data, rows: NDArray[np.intp]) -> Data:
    """Return some subjects of *data*."""
    return rows_of(data[0], rows), data[1][rows]


def rows_of(X: Any, rows: Any) -> Any:
    """Return some rows of a feature table, by position."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]

"""Conformal sets: who trains the model and who sets its adjustment. One entry each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Index
from consurv.adapters import Adapter
from consurv.conformal.blocks import Block, Data
from consurv.conformal.reading import RawModel, rows_of
from consurv.splits import folds, split

__all__ = [
    "CONFORMAL_SETS",
    "ConformalSet",
    "Trained",
    "Trainer",
    "choose",
    "set_names",
]

# The paper's advice: a validation set of this size is enough on its own.
ENOUGH_FOR_VALIDATION = 1000


@dataclass(frozen=True)
class Trained:
    """A trained estimator, what it was trained on and its conformal set."""

    estimator: Any
    training: Data
    validation: Data | None
    blocks: list[Block]


@dataclass(frozen=True)
class Trainer:
    """Trains copies of an estimator and reads the curves of conformal subjects.

    Parameters
    ----------
    adapter, template : Adapter and the estimator to copy
    read : callable
        From a RawModel, features and outcomes to a Block.
    validation_fraction, n_folds, rng
        As ``ConformalSurvival`` has them.
    """

    adapter: Adapter
    template: Any
    read: Callable[[RawModel, Data, bool], Block]
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

    def block(self, estimator: Any, data: Data, *, in_training: bool) -> Block:
        """Return subjects as conformal ones, predicted by *estimator*."""
        return self.read(RawModel(estimator, self.adapter), data, in_training)

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


@dataclass(frozen=True)
class ConformalSet:
    """All that is to be known of a choice of conformal subjects.

    Attributes
    ----------
    meaning : str
        Who they are, in a few words.
    caution : pair of str or None
        What a reader of the results should be wary of, as a title and a text in which
        ``{what}`` stands for what was found (shifts, levels); None if nothing.
    collect : callable or None
        From a Trainer, data and the user's validation set to a Trained; None for what
        ``fit`` cannot be asked for.
    """

    meaning: str
    caution: tuple[str, str] | None
    collect: Callable[[Trainer, Data, Data | None], Trained] | None = None


def on_validation(trainer: Trainer, data: Data, validation: Data | None) -> Trained:
    """Policy 1: the validation set, given or split off."""
    if validation is None:
        data, validation = trainer.hold_out(data, trainer.validation_fraction)
    estimator = trainer.train(data, validation)
    block = trainer.block(estimator, validation, in_training=False)
    return Trained(estimator, data, validation, [block])


def on_both(trainer: Trainer, data: Data, validation: Data | None) -> Trained:
    """Policy 2: training and validation set together."""
    data, validation = trainer.with_validation(data, validation)
    estimator = trainer.train(data, validation)
    blocks = [trainer.block(estimator, data, in_training=True)]
    if validation is not None:
        blocks.append(trainer.block(estimator, validation, in_training=False))
    return Trained(estimator, data, validation, blocks)


def on_train(trainer: Trainer, data: Data, validation: Data | None) -> Trained:
    """Take the training set itself."""
    estimator = trainer.train(data, validation)
    block = trainer.block(estimator, data, in_training=True)
    return Trained(estimator, data, validation, [block])


def on_half(trainer: Trainer, data: Data, validation: Data | None) -> Trained:
    """Train on one half, conformalize on the other: the classical split."""
    data, held = trainer.hold_out(data, 0.5)
    data, validation = trainer.with_validation(data, validation)
    estimator = trainer.train(data, validation)
    block = trainer.block(estimator, held, in_training=False)
    return Trained(estimator, data, validation, [block])


def on_cross(trainer: Trainer, data: Data, validation: Data | None) -> Trained:
    """Predict every subject out of fold; the final model is trained on all."""
    fold = folds(data[1], trainer.n_folds, trainer.rng)
    blocks = []
    for i in range(trainer.n_folds):
        rest = take(data, np.flatnonzero(fold != i))
        estimator = trainer.train(*trainer.with_validation(rest, validation))
        own = take(data, np.flatnonzero(fold == i))
        blocks.append(trainer.block(estimator, own, in_training=True))
    final = trainer.train(*trainer.with_validation(data, validation))
    return Trained(final, data, validation, blocks)


_REUSED = (
    "The {what} come from %s. This often works well, but the guarantee holds only for "
    "subjects that the model never saw."
)
CONFORMAL_SETS: dict[str, ConformalSet] = {
    "validation": ConformalSet("a validation set, not trained on", None, on_validation),
    "train+validation": ConformalSet(
        "the training and validation set together",
        (
            "Conformal set reused from training",
            _REUSED % "the subjects that the model was trained and validated on",
        ),
        on_both,
    ),
    "train": ConformalSet(
        "the training set itself",
        (
            "Conformal set reused from training",
            _REUSED % "the subjects that the model was trained on",
        ),
        on_train,
    ),
    "half": ConformalSet("half of the subjects, not trained on", None, on_half),
    "cross": ConformalSet(
        "all training subjects, predicted out of fold",
        (
            "Cross-fitted {what}",
            "The {what} come from models trained without the subjects in question, but "
            "not from the final model, for which there is no guarantee.",
        ),
        on_cross,
    ),
    "given": ConformalSet("subjects given to conformalize()", None),
    "restored": ConformalSet("as saved", None),
}


def set_names() -> tuple[str, ...]:
    """Return what ``fit`` can be asked for, ``"auto"`` first.

    Examples
    --------
    >>> set_names()[:3]
    ('auto', 'validation', 'train+validation')
    """
    return "auto", *(name for name, s in CONFORMAL_SETS.items() if s.collect)


def choose(takes_validation: bool, n_validation: int) -> str:
    """Return what ``"auto"`` stands for, by the paper's advice.

    Parameters
    ----------
    takes_validation : bool
        Whether there is a validation set: the model uses one, or the user gave one.
    n_validation : int
        Its size.

    Examples
    --------
    >>> choose(False, 0), choose(True, 90), choose(True, 1000)
    ('train', 'train+validation', 'validation')
    """
    if not takes_validation:
        return "train"
    enough = n_validation >= ENOUGH_FOR_VALIDATION
    return "validation" if enough else "train+validation"


def take(data: Data, rows: Index) -> Data:
    """Return some subjects of *data*."""
    return rows_of(data[0], rows), data[1][rows]

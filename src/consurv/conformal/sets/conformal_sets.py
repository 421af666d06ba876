"""Conformal sets: who trains the model and who sets its adjustment. One entry each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from consurv.adapters.adapter import describe
from consurv.conformal.parts.blocks import Data
from consurv.conformal.reading.raw_model import OutOfBagModel
from consurv.conformal.sets.cross_fitting import on_cross
from consurv.conformal.sets.trainer import Trained, Trainer, take
from consurv.errors import InvalidInput

__all__ = [
    "CONFORMAL_SETS",
    "ConformalSet",
    "choose",
    "papers_choice",
    "set_names",
]

# The paper's advice: a validation set of this size is enough on its own.
ENOUGH_FOR_VALIDATION = 1000
# Up to so many rows "auto" cross-fits. What cross-fitting gains over one held-out part
# is the rows: all of them train and all conformalize. Here a fifth is 4,000 subjects,
# which set a level to within .008 (one standard error), less than the raw curves of
# most models are off by, and a model rarely misses the fifth that it is not trained on;
# six fits instead of one cost the more the larger the table. Measured at this size,
# both leave the same error (docs/bed.md, from rows to curves).
CROSS_UP_TO = 20_000
# What "holdout" holds out: a fifth, but no more than sets a level to within .005.
_HELD_OUT, _MOST_HELD_OUT = 0.2, 10_000


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


def on_holdout(trainer: Trainer, data: Data, validation: Data | None) -> Trained:
    """Conformalize on a random part, train on the rest; no row does both.

    The user's validation rows join in where the model does not stop by them.
    """
    fraction = min(_HELD_OUT, _MOST_HELD_OUT / len(data[1]))
    data, held = trainer.hold_out(data, fraction)
    data, stop = trainer.with_validation(data, validation)
    estimator = trainer.train(data, stop)
    blocks = [trainer.block(estimator, held, in_training=False)]
    if validation is not None and not trainer.takes_validation:
        blocks.append(trainer.block(estimator, validation, in_training=False))
    return Trained(estimator, data, stop, blocks)


def on_out_of_bag(trainer: Trainer, data: Data, validation: Data | None) -> Trained:
    """Predict every subject by the trees of the forest that did not draw it."""
    adapter = trainer.adapter
    if not adapter.has_out_of_bag(trainer.template):
        raise InvalidInput(
            f"conformal_set='out-of-bag' needs a forest of scikit-survival with "
            f"bootstrap=True, which {describe(trainer.template)} is not; 'cross' "
            "serves any model"
        )
    estimator = trainer.train(data, validation)
    drawn = OutOfBagModel(estimator, adapter, data[0])
    unseen = take(data, drawn.rows)
    blocks = [trainer.read(drawn, unseen, in_training=True)]
    if validation is not None:
        blocks.append(trainer.block(estimator, validation, in_training=False))
    return Trained(estimator, data, validation, blocks)


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
    "holdout": ConformalSet(
        "a random fifth of the subjects (10,000 at most), not trained on",
        None,
        on_holdout,
    ),
    "cross": ConformalSet(
        "all training subjects, predicted out of fold",
        (
            "Cross-fitted {what}",
            "The {what} come from models trained without the subjects in question, but "
            "not from the final model, for which there is no guarantee.",
        ),
        on_cross,
    ),
    "out-of-bag": ConformalSet(
        "all training subjects, predicted by trees that did not draw them",
        (
            "Out-of-bag {what}",
            "The {what} come from the trees that did not draw the subject in question, "
            "about a third of the forest; there is no guarantee for all of it.",
        ),
        on_out_of_bag,
    ),
    "given": ConformalSet("subjects given to conformalize()", None),
    "federated": ConformalSet("subjects of several sites, counted there", None),
    "restored": ConformalSet("as saved", None),
}


def set_names() -> tuple[str, ...]:
    """Return what ``fit`` can be asked for, ``"auto"`` first.

    Examples
    --------
    >>> set_names()[:3]
    ('auto', 'paper', 'validation')
    """
    return "auto", "paper", *(name for name, s in CONFORMAL_SETS.items() if s.collect)


def choose(asked: str, trainer: Trainer, n: int, n_validation: int | None) -> str:
    """Return the policy that a name stands for.

    Parameters
    ----------
    asked : str
        One of ``set_names()``.
    trainer : Trainer
    n : int
        Rows to train on.
    n_validation : int or None
        Size of the user's own validation set; None if there is none.
    """
    if asked == "paper":
        if n_validation is not None:
            return papers_choice(True, n_validation)
        held = int(n * trainer.validation_fraction)
        return papers_choice(trainer.takes_validation, held)
    if asked != "auto":
        return asked
    if trainer.adapter.has_out_of_bag(trainer.template, enough=True):
        return "out-of-bag"
    if n <= CROSS_UP_TO:
        return "cross"
    enough = (n_validation or 0) >= ENOUGH_FOR_VALIDATION
    return "validation" if enough else "holdout"


def papers_choice(takes_validation: bool, n_validation: int) -> str:
    """Return what ``"paper"`` stands for, by the paper's advice.

    Parameters
    ----------
    takes_validation : bool
        Whether there is a validation set: the model uses one, or the user gave one.
    n_validation : int
        Its size.

    Examples
    --------
    >>> papers_choice(False, 0), papers_choice(True, 90), papers_choice(True, 1000)
    ('train', 'train+validation', 'validation')
    """
    if not takes_validation:
        return "train"
    enough = n_validation >= ENOUGH_FOR_VALIDATION
    return "validation" if enough else "train+validation"

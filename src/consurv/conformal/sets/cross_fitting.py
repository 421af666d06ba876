"""Cross-fitting: every subject is predicted by a model that never saw it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from joblib import Parallel, delayed

from consurv._checks import Index
from consurv._progress import steps
from consurv._warnings import warn
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.reading.raw_model import RawModel
from consurv.conformal.sets.alignment import Anchor
from consurv.conformal.sets.trainer import Trained, Trainer, take
from consurv.errors import InvalidInput
from consurv.splits import folds

__all__ = ["on_cross"]


@dataclass(frozen=True)
class _Fold:
    """The rows of a fold: to train on, to stop by, to predict."""

    training: Index
    validation: Index | None
    unseen: Index


@dataclass(frozen=True)
class _Result:
    """What became of a fold: a block, or the reason why there is none."""

    block: Block | None
    failure: str
    seconds: list[float]
    caught: list[tuple[str, type[Warning]]]


def on_cross(trainer: Trainer, data: Data, validation: Data | None) -> Trained:
    """Predict every subject out of fold; the final model is trained on all.

    The user's validation rows are predicted by the final model, which was not trained
    on them, though it may have stopped by them. Subjects of a fold that cannot be
    trained do not count; where that leaves less than half of them, or no folds can be
    made, the rows that train the final model set the adjustment.
    """
    # First, so that a model that cannot be trained at all says so at once.
    training, stop = trainer.with_validation(data, validation)
    final = trainer.train(training, stop)
    n_folds = min(trainer.n_folds, len(data[1]), data[1].n_events)
    if n_folds < 2:
        return _reuse(
            trainer,
            Trained(final, training, stop, []),
            f"{len(data[1])} subjects with {data[1].n_events} events are too few to "
            "predict each by a model of the others",
        )
    # A model that stops early is another one in each fold.
    final_raw = RawModel(final, trainer.adapter)
    anchor = Anchor.of(final_raw, data[0]) if trainer.takes_validation else None
    results = _run(trainer, data, validation, n_folds, anchor)
    blocks = [result.block for result in results if result.block is not None]
    failures = [result.failure for result in results if result.block is None]
    n_left = sum(len(block.outcome) for block in blocks)
    why = f"{len(failures)} of {n_folds} folds could not be trained"
    if failures:
        why += f" ({failures[0]})"
    if 2 * n_left < len(data[1]):
        return _reuse(trainer, Trained(final, training, stop, []), why)
    if failures:
        warn(f"{why}; their {len(data[1]) - n_left} subjects do not count")
    if validation is not None:
        blocks.append(trainer.block(final, validation, in_training=False))
    return Trained(final, data, validation, blocks)


def _reuse(trainer: Trainer, trained: Trained, why: str) -> Trained:
    """Let the rows that a model was trained on set its adjustment, with a warning."""
    warn(
        f"{why}; the adjustment comes from the rows that the model was trained on, of "
        "which it may know too much. Give conformalize rows of their own, or train on "
        "more"
    )
    final, stop = trained.estimator, trained.validation
    blocks = [trainer.block(final, trained.training, in_training=True)]
    if stop is not None:
        blocks.append(trainer.block(final, stop, in_training=False))
    policy = "train" if stop is None else "train+validation"
    return replace(trained, blocks=blocks, policy=policy)


def _run(
    trainer: Trainer,
    data: Data,
    validation: Data | None,
    n_folds: int,
    anchor: Anchor | None,
) -> list[_Result]:
    """Train and predict the folds, in parallel if asked; the order is theirs."""
    plan = list(_plan(trainer, data, validation, n_folds))
    # Large tables reach the workers as files; "c" lets models write to their copy.
    parallel = Parallel(n_jobs=trainer.n_jobs, return_as="generator", mmap_mode="c")
    worker = replace(trainer, seconds=[], n_jobs=None, verbose=False)
    jobs = (
        delayed(_run_fold)(worker, data, validation, fold, anchor, os.getpid())
        for fold in plan
    )
    results = []
    with steps("folds", n_folds, trainer.verbose) as advance:
        for result in parallel(jobs):
            results.append(result)
            advance()
    for result in results:
        trainer.seconds.extend(result.seconds)
        for message, category in result.caught:
            warn(message, category)
    return results


def _plan(
    trainer: Trainer, data: Data, validation: Data | None, n_folds: int
) -> Iterator[_Fold]:
    """Yield the folds; all draws are made here, so that it matters not who trains."""
    outcome = data[1]
    # Plainly at random, as all conformal splits are, unless a fold would be trained
    # on no event at all.
    fold = folds(outcome, n_folds, trainer.rng, stratify=None)
    if len(np.unique(fold[outcome.event])) < 2:
        fold = folds(outcome, n_folds, trainer.rng, stratify="event")
    for number in range(n_folds):
        rest = np.flatnonzero(fold != number)
        stop = None
        if validation is None and trainer.takes_validation:
            rest, stop = _inner(trainer, data, rest)
        yield _Fold(rest, stop, np.flatnonzero(fold == number))


def _inner(trainer: Trainer, data: Data, rows: Index) -> tuple[Index, Index | None]:
    """Split rows to stop by off the rows of a fold; None if they are too few."""
    numbers = rows, data[1][rows]
    try:
        kept, held = trainer.with_validation(numbers, None)
    except InvalidInput:
        return rows, None  # the model may know what to do; else the fold fails
    return kept[0], None if held is None else held[0]


def _run_fold(
    trainer: Trainer,
    data: Data,
    validation: Data | None,
    fold: _Fold,
    anchor: Anchor | None,
    parent: int,
) -> _Result:
    stop = validation if fold.validation is None else take(data, fold.validation)
    trainer = replace(trainer, seconds=[])
    block, failure = None, ""
    with _recorded(os.getpid() != parent) as caught:
        try:
            align = None
            if anchor is not None:
                align = partial(anchor.align, X=data[0], training=fold.training)
            block = trainer.unseen_block(
                take(data, fold.training), stop, take(data, fold.unseen), align
            )
        except Warning:  # the user wants warnings to be errors
            raise
        except Exception as error:  # foreign models fail in any way
            first_line = next(iter(str(error).strip().splitlines()), "")
            failure = f"{type(error).__name__}: {first_line}"
    return _Result(block, failure, trainer.seconds, caught)


@contextmanager
def _recorded(elsewhere: bool) -> Iterator[list[tuple[str, type[Warning]]]]:
    """Collect the warnings of another process, which nobody would see there."""
    caught: list[tuple[str, type[Warning]]] = []
    if not elsewhere:
        yield caught
        return
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        yield caught
    caught.extend((str(w.message), w.category) for w in recorded)

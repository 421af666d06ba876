"""Training copies of an estimator and reading the curves of conformal subjects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from consurv._checks import Index
from consurv.adapters import Adapter
from consurv.conformal.censoring.rules import CensoringRule
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.reading.raw_model import RawModel, fit_plainly, rows_of
from consurv.splits import Stratify, split

__all__ = ["Trained", "Trainer", "take"]


@dataclass(frozen=True)
class Trained:
    """A trained estimator, what it was trained on and its conformal set.

    ``policy`` is the name of the policy in effect where it is not the one asked for.
    """

    estimator: Any
    training: Data
    validation: Data | None
    blocks: list[Block]
    policy: str | None = None


@dataclass(frozen=True)
class Trainer:
    """Trains copies of an estimator and reads the curves of conformal subjects.

    Parameters
    ----------
    adapter, template : Adapter and the estimator to copy
    read : callable
        From a RawModel, features and outcomes to a Block.
    rule : object
        The censoring rule, which may have a model to be trained along.
    validation_fraction, n_folds, n_jobs, verbose, rng
        As ``ConformalSurvival`` has them.

    Attributes
    ----------
    seconds : list of float
        What each training took.
    """

    adapter: Adapter
    template: Any
    read: Callable[..., Block]
    rule: Any
    validation_fraction: float
    n_folds: int
    rng: np.random.Generator
    n_jobs: int | None = None
    verbose: bool = False
    seconds: list[float] = field(default_factory=list)

    @property
    def takes_validation(self) -> bool:
        """Whether training makes use of a validation set."""
        return self.adapter.takes_validation(self.template)

    def train(self, data: Data, validation: Data | None) -> Any:
        """Return a copy of the template trained on *data*."""
        estimator = self.adapter.clone(self.template)
        start = perf_counter()
        estimator = fit_plainly(self.adapter, estimator, data, validation)
        self.seconds.append(perf_counter() - start)
        return estimator

    def block(self, estimator: Any, data: Data, *, in_training: bool) -> Block:
        """Return subjects as conformal ones, predicted by *estimator*."""
        raw = RawModel(estimator, self.adapter)
        return self.read(raw, data, in_training=in_training)

    def unseen_block(
        self,
        training: Data,
        validation: Data | None,
        unseen: Data,
        align: Callable[[RawModel], RawModel] | None = None,
    ) -> Block:
        """Return subjects as conformal ones, predicted by a model of other rows.

        *align* brings that model to where another one stands. A model that censored
        subjects follow is one of the other rows, too.
        """
        raw = RawModel(self.train(training, validation), self.adapter)
        block = self.read(align(raw) if align else raw, unseen, in_training=True)
        return replace(block, imputer=self._imputer(training, validation))

    def _imputer(self, training: Data, validation: Data | None) -> Any:
        """Return the rule's model trained here; None if it has none to be trained."""
        if not isinstance(self.rule, CensoringRule):
            return None
        fitted = self.rule.fitted(training, validation)
        return None if fitted is self.rule else fitted.imputer

    def hold_out(self, data: Data, fraction: float) -> tuple[Data, Data]:
        """Split conformal subjects off *data*, plainly at random.

        The theorem wants the held-out scores to be exchangeable with that of a new
        subject. Spread evenly over the times they vary less than chance has it, and
        P(T ≥ q') misses k/(N + 1): .038 instead of .05 with N = 19.
        """
        return self._split(data, fraction, None)

    def with_validation(
        self, data: Data, validation: Data | None
    ) -> tuple[Data, Data | None]:
        """Split a validation set off *data* if the estimator wants one and has none.

        Training stops by it, and the more it is like the rest the better: it is
        balanced in event and time.
        """
        if validation is not None or not self.takes_validation:
            return data, validation
        return self._split(data, self.validation_fraction, "event+time")

    def _split(
        self, data: Data, fraction: float, stratify: Stratify
    ) -> tuple[Data, Data]:
        kept, held = split(data[1], fraction, self.rng, stratify=stratify)
        return take(data, kept), take(data, held)


def take(data: Data, rows: Index) -> Data:
    """Return some subjects of *data*."""
    return rows_of(data[0], rows), data[1][rows]

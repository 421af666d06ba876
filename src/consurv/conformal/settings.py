"""What is asked of the post-process, checked; and how to answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from consurv._params import make_rng
from consurv.adapters import Adapter
from consurv.conformal.adjustments import Adjustment, choose_kind
from consurv.conformal.adjustments.shifts import check_place
from consurv.conformal.censoring.rules import CensoringRule
from consurv.conformal.groups.making import GroupSet, check_rule, with_groups
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.parts.partitions import Partitions
from consurv.conformal.reading.inputs import read_levels
from consurv.conformal.reading.raw_model import RawModel
from consurv.conformal.sets.conformal_sets import CONFORMAL_SETS, choose
from consurv.conformal.sets.trainer import Trained, Trainer
from consurv.outcome import Outcome

__all__ = ["Settings"]


class Settings:
    """The settings of a ``ConformalSurvival``, as what they stand for.

    Parameters
    ----------
    model : ConformalSurvival
        Whose parameters have been checked one by one.
    """

    def __init__(self, model: Any) -> None:
        self.kind = choose_kind(model.adjustment, model.get_params(deep=False))
        self.levels = read_levels(model.percentiles)
        self.rule = self.kind.choose_rule(model.censoring, model.n_samples)
        self.rng = make_rng(model.random_state)
        self._model = model
        self._groups: GroupSet | None = None

    @property
    def imputer(self) -> Any:
        """The model that censored subjects follow, or None if the rule has none."""
        return getattr(self.rule, "imputer", None)

    def group_by(self, groups: GroupSet | None) -> None:
        """Make an adjustment for each group; refuse settings that do not allow it."""
        if groups is not None:
            check_rule(groups.pooling, self.rule)
        self._groups = groups

    def train(
        self, adapter: Adapter, data: Data, validation: Data | None
    ) -> tuple[Trained, str, tuple[float, ...]]:
        """Train the model; return its conformal set, the policy, and what it took."""
        model = self._model
        trainer = Trainer(
            adapter,
            model.estimator,
            partial(self.kind.reader(self.rule), levels=self.levels),
            self.rule,
            model.validation_fraction,
            model.n_folds,
            self.rng,
            model.n_jobs,
            bool(model.verbose),
        )
        n_validation = None if validation is None else len(validation[1])
        name = choose(model.conformal_set, trainer, len(data[1]), n_validation)
        collect = CONFORMAL_SETS[name].collect
        assert collect is not None  # set_names() lists no other
        trained = collect(trainer, data, validation)
        return trained, trained.policy or name, tuple(trainer.seconds)

    def rule_fitted(
        self, training: Data | None, validation: Data | None, earlier: Any = None
    ) -> Any:
        """Return the rule with its model fitted, if it has one."""
        if not isinstance(self.rule, CensoringRule):
            return self.rule
        return self.rule.fitted(training, validation, earlier)

    def reader(self, raw: RawModel) -> Callable[[Data], Block]:
        """Return what reads the raw curves of subjects that the model never saw."""
        read = self.kind.reader(self.rule)
        return partial(read, raw, levels=self.levels, in_training=False)

    def make(
        self,
        blocks: Partitions | list[Block],
        training: Outcome | None,
        conformal_set: str,
    ) -> Adjustment:
        """Return the adjustment that a conformal set leads to."""
        model = self._model
        if isinstance(self.rule, CensoringRule):
            check_place(blocks, self.rule)  # before rows are predicted
        make = partial(
            self.kind.make,
            rule=self.rule,
            rng=self.rng,
            kaplan_meier=model.kaplan_meier,
            training=training,
            conformal_set=conformal_set,
            censoring=self.kind.rule_name(self.rule, model.censoring),
            n_samples=model.n_samples,
            rearrange=model.rearrange,
        )
        pooled = make(blocks)
        if self._groups is None:
            return pooled
        return with_groups(pooled, blocks, self._groups, make)

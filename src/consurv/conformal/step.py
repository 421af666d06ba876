"""The conformal step: from a conformal set and some settings to an adjustment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.adapters.adapter import describe
from consurv.conformal.adjustment import Adjustment
from consurv.conformal.blocks import Reference, blocks_of
from consurv.conformal.censoring import AnyRule
from consurv.conformal.censoring.from_estimator import FromEstimator
from consurv.conformal.inputs import level_rule
from consurv.conformal.levels import LevelResult, find_levels
from consurv.conformal.policies import ConformalPart, Data
from consurv.conformal.shifts import ShiftResult, find_shifts, resolve_rule
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = ["ConformalStep", "choose_rule"]


@dataclass(frozen=True)
class ConformalStep:
    """What is asked of the conformal step, checked.

    Attributes
    ----------
    levels : ndarray of shape (P,)
    rule : CensoringRule or str
        For censored subjects, as ``choose_rule`` gives it.
    censoring : str or CensoringRule
        What the user said the rule is.
    n_samples : int or None
    kaplan_meier : str or KaplanMeier
        Whose outcomes the curve for censored subjects comes from.
    rearrange : str
    rng : Generator
    """

    levels: Float
    rule: AnyRule | str
    censoring: str | AnyRule
    n_samples: int | None
    kaplan_meier: str | KaplanMeier
    rearrange: str
    rng: np.random.Generator

    @property
    def imputer(self) -> Any:
        """The model that censored subjects follow, or None if the rule has none."""
        return self.rule.estimator if isinstance(self.rule, FromEstimator) else None

    def with_imputer(
        self, training: Data | None, validation: Data | None, earlier: Any = None
    ) -> ConformalStep:
        """Return the step with the model of its rule fitted, if there is one.

        Parameters
        ----------
        training, validation : (X, Outcome) or None
            To train it on, if it is not fitted.
        earlier : optional
            A model that was trained before, to go on with if it is not fitted.
        """
        rule = self.rule
        if not isinstance(rule, FromEstimator):
            return self
        if earlier is not None and not rule.is_fitted():
            return replace(self, rule=FromEstimator(earlier))
        return replace(self, rule=rule.fitted(training, validation))

    def find(
        self, parts: Sequence[ConformalPart], training: Outcome | None, policy: str
    ) -> Adjustment:
        """Return the adjustment that a conformal set leads to.

        Parameters
        ----------
        parts : sequence of ConformalPart
        training : Outcome or None
            What the model was trained on, where that is known.
        policy : str
            What the conformal set is.
        """
        reference = Reference.choose(self.kaplan_meier, parts, training)
        result: ShiftResult | LevelResult
        if isinstance(self.rule, str):
            pairs = [(part.reading, part.outcome.event) for part in parts]
            result, said = find_levels(pairs, self.levels, self.rule), self.rule
        else:
            blocks = blocks_of(parts, self.levels, reference)
            result = find_shifts(blocks, self.rule, self.rng)
            named = isinstance(self.censoring, str)
            said = str(self.censoring) if named else _name(self.rule)
        return Adjustment(
            result=result,
            kaplan_meier=reference.kaplan_meier,
            conformal_set=policy,
            censoring=said,
            n_samples=self.n_samples,
            rearrange=self.rearrange,
        )


def choose_rule(
    adjustment: str, censoring: str | AnyRule, n_samples: int | None
) -> AnyRule | str:
    """Return the rule for censored subjects: for times an object, for levels a name.

    Examples
    --------
    >>> choose_rule("level", "auto", None)
    'uniform'
    """
    if adjustment == "level":
        return level_rule(censoring, n_samples)
    return resolve_rule(censoring, n_samples)


def _name(rule: AnyRule) -> str:
    """Name a rule that is not registered under one."""
    model = f"({describe(rule.estimator)})" if isinstance(rule, FromEstimator) else ""
    return type(rule).__name__ + model

"""Any survival model as the law of censored subjects: S(t | t > c, x)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from consurv._checks import Bool, check_same_length
from consurv._warnings import warn
from consurv.adapters import adapter_for
from consurv.adapters.adapter import describe
from consurv.conformal.censoring.laws.curves import CurveLaw, Curves
from consurv.conformal.censoring.laws.law import AT_THE_END
from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.parts.blocks import Block, Contribution, Data
from consurv.conformal.reading.raw_model import RawModel, fit_plainly, rows_of
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput, NotConformalizedError

__all__ = ["FromCurves", "FromEstimator"]


@dataclass(frozen=True)
class FromCurves(CensoringRule):
    """Censored subjects follow the given curves beyond c.

    A subject censored at c has the law S(t | t > c) = S(t)/S(c) of its own curve; where
    S(c) = 0 it stands at c. It is exact and needs no seed. Curves that never come down
    to 0 say that the event never happens: their subjects do not count, and a
    ``CalibrationWarning`` says how many. Pchip curves are taken as linear between their
    nodes.

    Parameters
    ----------
    curves : SurvivalCurves
        One for each subject of the conformal set; those of events are not looked at.

    Examples
    --------
    Of four subjects the second is censored at 4, and follows a straight line to 8:

    >>> from consurv import Outcome, SurvivalCurves, conformal_shifts
    >>> q = [[5.0], [4.0], [6.0], [7.0]]
    >>> y = Outcome(time=[3, 4, 6, 9], event=[1, 0, 1, 1])
    >>> curves = SurvivalCurves([8.0], [[0.0]] * 4)
    >>> conformal_shifts(q, [0.5], y, censoring=FromCurves(curves))
    array([0.])
    """

    curves: SurvivalCurves

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Return points for events and laws for censored subjects."""
        outcome = block.outcome
        check_same_length(curves=len(self.curves), y=len(outcome))
        censored = np.flatnonzero(~outcome.event)
        curves = self.curves[censored]
        return _contribution(block, [_curves(curves, outcome.time[censored])])


class FromEstimator(CensoringRule, BaseEstimator):  # type: ignore[misc]
    """Censored subjects follow the curves of a survival model beyond c.

    The paper's remark after KM-sampling: any law may stand in for Kaplan–Meier, such as
    that of a model that knows the covariates. See ``FromCurves`` for what is computed.
    The curves of the censored subjects of the conformal set are held in memory.

    Parameters
    ----------
    estimator : object
        A survival model in any form that ``ConformalSurvival`` takes. A fitted one is
        used as it is. From one that is not fitted ``ConformalSurvival.fit`` trains a
        copy, on the rows that train the model itself; under ``"cross"`` it trains one
        more for every fold, on the other rows. So does every fold of scikit-learn's
        cross-validation, which makes unfitted copies; ``FrozenEstimator`` keeps a
        model as it is.

    Examples
    --------
    >>> from consurv import ConformalSurvival, Outcome
    >>> rng = np.random.default_rng(0)
    >>> times = np.linspace(0.1, 60, 300)
    >>> def model(X, scale=20):
    ...     return times, np.exp(-times / (scale * np.exp(X[:, :1])))
    >>> def better(X):
    ...     return model(X, scale=10)
    >>> X = rng.normal(scale=0.3, size=(500, 1))
    >>> time, limit = rng.exponential(10 * np.exp(X[:, 0])), rng.exponential(15, 500)
    >>> y = Outcome(time=np.minimum(time, limit), event=time <= limit)
    >>> calibrated = ConformalSurvival(model, censoring=FromEstimator(better))
    >>> calibrated.conformalize(X, y).predict_quantile(X, [0.5]).mean().round(1)
    np.float64(8.0)
    """

    takes_weights = True

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Return points for events and laws for censored subjects."""
        if block.features is None:
            raise InvalidInput(
                "FromEstimator needs the features of the conformal set, which arrays "
                "of percentile times do not have; give FromCurves(curves)"
            )
        time, censored = block.outcome.time, np.flatnonzero(~block.outcome.event)
        model = self.estimator if block.imputer is None else block.imputer
        chunks = RawModel(model).chunks(rows_of(block.features, censored))
        parts = [_curves(curves, time[censored[rows]]) for rows, curves in chunks]
        return _contribution(block, parts)

    def is_fitted(self) -> bool:
        """Say whether the model can give curves now."""
        return adapter_for(self.estimator).is_fitted(self.estimator)

    @property
    def name(self) -> str:
        """The rule and its model."""
        return f"FromEstimator({describe(self.estimator)})"

    @property
    def imputer(self) -> Any:
        """The model."""
        return self.estimator

    def fitted(
        self, training: Data | None, validation: Data | None, earlier: Any = None
    ) -> FromEstimator:
        """Return this rule with a fitted model: its own, or a copy trained here."""
        adapter = adapter_for(self.estimator)
        if self.is_fitted():
            return self
        if training is not None:
            copy = adapter.clone(self.estimator)
            return FromEstimator(fit_plainly(adapter, copy, training, validation))
        if earlier is not None:
            return FromEstimator(earlier)
        raise NotConformalizedError(
            f"the {describe(self.estimator)} inside FromEstimator is not fitted: "
            "fit it first, or call fit(X, y), which trains it along"
        )


def _curves(curves: SurvivalCurves, c: Any) -> Curves:
    nodes = curves._nodes
    if nodes.interpolation == "pchip":
        nodes = nodes._replace(interpolation="linear", rates=None)
    return Curves(nodes, c)


def _contribution(block: Block, parts: Sequence[Curves]) -> Contribution:
    """Return points for events and for those at the end of their curves, else laws."""
    outcome = block.outcome
    events, censored = np.flatnonzero(outcome.event), np.flatnonzero(~outcome.event)
    if not censored.size:
        return Contribution.of_points(block, events, outcome.time[events])
    endless = np.concatenate([np.isinf(part.end) for part in parts])
    over = np.concatenate([part.survival <= AT_THE_END for part in parts])
    _warn_about(endless)
    spread = ~endless & ~over
    points = np.concatenate([events, censored[over & ~endless]])
    law = CurveLaw(parts).select(spread) if spread.any() else None
    return Contribution(block, points, outcome.time[points], censored[spread], law)


def _warn_about(endless: Bool) -> None:
    if endless.any():
        warn(
            f"by their curves {np.count_nonzero(endless)} censored subjects never have "
            "the event (the curves never come down to 0); they do not count"
        )

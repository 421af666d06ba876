"""The five metrics of the paper and calibration by risk in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._labels import Label, Labels
from consurv.curves.curves import SurvivalCurves
from consurv.metrics._inputs import check_weighted, of_counted
from consurv.metrics._training import training_curve
from consurv.metrics.brier import BrierScoreResult, integrated_brier_score
from consurv.metrics.by_group import GroupEvaluation, each_group
from consurv.metrics.concordance import ConcordanceResult, concordance_of_risk
from consurv.metrics.d_calibration import DCalibrationResult, d_calibration
from consurv.metrics.group_calibration import group_calibration, labels_of_counted
from consurv.metrics.km_calibration import KMCalibrationResult, km_calibration
from consurv.metrics.mae import MAEResult, mae_po_of_times, predicted_times
from consurv.metrics.registry import EVALUATION
from consurv.metrics.risk_calibration import RiskCalibrationResult, risk_calibration
from consurv.outcome import Outcome

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """What :func:`evaluate` returns: the full result of each metric.

    Attributes
    ----------
    c_index : ConcordanceResult
        Harrell's index of the medians; higher is better, 0.5 is chance.
    d_calibration : DCalibrationResult
    km_calibration : KMCalibrationResult
    integrated_brier_score : BrierScoreResult
    mae_po : MAEResult
    risk_calibration : RiskCalibrationResult
        Lower is better for these five.
    by_group : GroupEvaluation or None
        The same for each group, if groups were given.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.1], [0.5], [0.6]])
    >>> found = evaluate(([1, 1, 0, 1], [4.0, 5.0, 8.0, 9.0]), curves)
    >>> float(found.c_index), found.d_calibration.p_value > 0.05
    (1.0, True)
    >>> list(found.as_dict())[:3]
    ['c_index', 'd_calibration', 'km_calibration']
    """

    c_index: ConcordanceResult
    d_calibration: DCalibrationResult
    km_calibration: KMCalibrationResult
    integrated_brier_score: BrierScoreResult
    mae_po: MAEResult
    risk_calibration: RiskCalibrationResult
    by_group: GroupEvaluation | None = None

    def as_dict(self) -> dict[str, float]:
        """Return the number of each metric by its name."""
        return {name: float(getattr(self, name)) for name in EVALUATION}

    def to_series(self) -> pd.Series[float]:
        """Return the number of each metric as a pandas Series."""
        import pandas as pd

        return pd.Series(self.as_dict(), name="value")

    def __repr__(self) -> str:
        return f"Evaluation\n{self}"

    def _repr_html_(self) -> str:
        """Return a small table, for notebooks."""
        rows = "".join(
            f"<tr><td>{EVALUATION[name].label}</td><td>{value:.4g}</td>"
            f"<td>{EVALUATION[name].perfect:g} is perfect</td></tr>"
            for name, value in self.as_dict().items()
        )
        return f"<table>{rows}</table>"

    def __str__(self) -> str:
        return "\n".join(f"{name:<24}{v:.4g}" for name, v in self.as_dict().items())


def evaluate(
    y: Any,
    curves: SurvivalCurves,
    *,
    y_train: Any = None,
    tau: float | None = None,
    risk: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Evaluation:
    """Evaluate curves by the paper's five metrics and by risk, each with its defaults.

    The medians and the Kaplan–Meier curve of the training outcomes are computed once.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n ≥ 2 subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    y_train : outcomes in any form, KaplanMeier or None
        The training outcomes, for the weights of the integrated Brier score and the
        pseudo-observations of MAE-PO; by default *y*.
    tau : float, optional
        Bound of the times in MAE-PO, needed where medians are infinite; see
        :func:`mae_po`.
    risk : array-like of shape (n,), optional
        What calibration by risk groups the subjects by, such as minus the raw medians
        to compare curves before and after in the same groups; by default minus the
        medians of *curves*. See :func:`risk_calibration`.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, in all metrics. Training outcomes weigh 1
        each, unless they are an ``Outcome`` with weights; weights that are not whole
        numbers need *y_train*, see :func:`mae_po`.
    groups : array-like of shape (n,), optional
        A label for each subject: ``by_group`` of the result then has the metrics within
        each group, by its own risk, and the worst of them.

    Returns
    -------
    Evaluation

    Raises
    ------
    InvalidInput
        If one of the metrics cannot be computed.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.1], [0.5], [0.6]])
    >>> result = evaluate(([1, 1, 0, 1], [4.0, 5.0, 8.0, 9.0]), curves)
    >>> result.to_series().round(3)
    c_index                   1.000
    ...
    Name: value, dtype: float64
    >>> sites = ["a", "a", "b", "b"]
    >>> result = evaluate(([1, 1, 0, 1], [4.0, 5.0, 8.0, 9.0]), curves, groups=sites)
    >>> result.by_group.to_frame()["c_index"]
    group
    a        1.0
    b        NaN
    worst    1.0
    Name: c_index, dtype: float64
    """
    everybody = Outcome.of(y).weighted(sample_weight)
    outcome, curves = check_weighted(y, curves, sample_weight)
    if risk is not None:
        risk = of_counted(risk, everybody)
    medians = predicted_times(curves, "median", tau)
    # None stays None: then the subjects belong to the sample themselves.
    training = None if y_train is None else training_curve(y_train, outcome)
    return Evaluation(
        c_index=concordance_of_risk(outcome, -medians),
        d_calibration=d_calibration(outcome, curves),
        km_calibration=km_calibration(outcome, curves),
        integrated_brier_score=integrated_brier_score(
            outcome, curves, y_train=training
        ),
        mae_po=mae_po_of_times(outcome, medians, y_train=training, tau=tau),
        risk_calibration=risk_calibration(
            outcome, curves, risk=-medians if risk is None else risk
        ),
        by_group=None
        if groups is None
        else _by_group(
            outcome, curves, labels_of_counted(groups, everybody), training, tau
        ),
    )


def _by_group(
    y: Outcome,
    curves: SurvivalCurves,
    labels: Labels,
    training: Any,
    tau: float | None,
) -> GroupEvaluation:
    def one(label: Label) -> Evaluation:
        rows = np.flatnonzero(labels == label)
        return evaluate(y[rows], curves[rows], y_train=training, tau=tau)

    return each_group(group_calibration(y, curves, groups=labels), one)

"""The five metrics of the paper and calibration by risk in one call."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from consurv.curves.curves import SurvivalCurves
from consurv.metrics._inputs import check_weighted, of_counted
from consurv.metrics._training import training_curve
from consurv.metrics.brier import BrierScoreResult, integrated_brier_score
from consurv.metrics.concordance import ConcordanceResult, concordance_of_risk
from consurv.metrics.d_calibration import DCalibrationResult, d_calibration
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
    """

    c_index: ConcordanceResult
    d_calibration: DCalibrationResult
    km_calibration: KMCalibrationResult
    integrated_brier_score: BrierScoreResult
    mae_po: MAEResult
    risk_calibration: RiskCalibrationResult

    def as_dict(self) -> dict[str, float]:
        """Return the number of each metric by its name."""
        return {field.name: float(getattr(self, field.name)) for field in fields(self)}

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
    )

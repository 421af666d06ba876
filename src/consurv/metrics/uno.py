"""Uno's concordance index: pairs weighted for censoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from consurv._checks import Bool
from consurv._params import Between, Constraints, OneOf, check_params
from consurv._warnings import warn
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics._inputs import check_inputs
from consurv.metrics._pairs import count_pairs
from consurv.metrics._training import training_curve
from consurv.metrics.concordance import risk_of
from consurv.metrics.facts import Metric
from consurv.metrics.ipcw import SIDES, CensoringCurve, Side
from consurv.metrics.results import MetricResult
from consurv.outcome import Outcome

__all__ = ["UNO", "UnoConcordanceResult", "uno_concordance_index"]

_RULES: Constraints = {
    "tied_risks": OneOf("half", "drop"),
    "weights": SIDES,
    "tau": (OneOf(None), Between(0, np.inf)),
}


@dataclass(frozen=True, eq=False)
class UnoConcordanceResult(MetricResult):
    """What :func:`uno_concordance_index` returns; ``float()`` is the index.

    Attributes
    ----------
    value : float
        The weighted share of the comparable pairs that are ordered rightly.
    tau : float
        Only events before this time count; +inf if all of them do.
    n_pairs : int
        The comparable pairs that count.
    n_events_left_out : int
        Events at or after *tau*, or at which no weight exists.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.2], [0.4], [0.3], [0.9]])
    >>> uno_concordance_index(([1, 0, 1, 1], [1.0, 2.0, 3.0, 4.0]), curves)
    UnoConcordanceResult(value=1, tau=inf, n_pairs=4, n_events_left_out=0)
    """

    tau: float
    n_pairs: int
    n_events_left_out: int


def uno_concordance_index(
    y: Any,
    curves: SurvivalCurves,
    *,
    y_train: Any = None,
    tau: float | None = None,
    risk: Literal["median", "mean"] | float = "median",
    tied_risks: Literal["half", "drop"] = "half",
    weights: Side = "right",
) -> UnoConcordanceResult:
    """Share of rightly ordered pairs, as it would be without censoring.

    Comparable pairs are those of :func:`concordance_index`. A pair whose first event
    is at t_i has the weight G(t_i)⁻², with G the curve of the censoring times
    (:class:`CensoringCurve`), because both subjects had to stay uncensored until then.
    Harrell's index depends on the censoring, this one only on *tau*. O(n log n).

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    y_train : outcomes in any form, KaplanMeier or None
        The training outcomes, from which G is estimated; by default from *y*.
    tau : float, optional
        Only events before this time count. By default all at which weights exist: up
        to the last training time and where G > 0. One warning tells how many more were
        left out.
    risk : {"median", "mean"} or float
        What ranks the subjects, as in :func:`concordance_index`.
    tied_risks : {"half", "drop"}
        Comparable pairs with equal risks count one half, or do not count at all.
    weights : {"right", "left"}
        G(t_i)⁻² as published and in scikit-survival (default), or G(t_i⁻)⁻². They
        differ where censorings are tied with events; then the left limit is the
        probability that belongs to the pairs counted here.

    Returns
    -------
    UnoConcordanceResult

    Raises
    ------
    InvalidInput
        If no pair counts, or an argument does not fit.

    References
    ----------
    Uno, Cai, Pencina, D'Agostino and Wei (2011), Statistics in Medicine 30.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.2], [0.4], [0.3], [0.9]])
    >>> y = ([1, 0, 1, 1], [1.0, 2.0, 3.0, 4.0])
    >>> round(float(uno_concordance_index(y, curves)), 3)
    1.0
    """
    outcome = check_inputs(y, curves)
    check_params({"tied_risks": tied_risks, "weights": weights, "tau": tau}, _RULES)
    censoring = CensoringCurve(training_curve(y_train, outcome))
    pair_weights = censoring.weights_of(outcome.time, weights) ** 2
    before = outcome.time < (np.inf if tau is None else float(tau))
    _warn_of_lost(outcome.event & before & (pair_weights == 0), outcome)
    pair_weights[~before] = 0.0

    counts = count_pairs(outcome, risk_of(curves, risk))
    ties = counts.tied_risk * (0.5 if tied_risks == "half" else 0.0)
    comparable = counts.comparable - (counts.tied_risk if tied_risks == "drop" else 0)
    total = float(pair_weights @ comparable)
    if total == 0:
        raise InvalidInput(
            f"y has no comparable pair that counts among its {len(outcome)} subjects: "
            f"none of the {outcome.n_events} events has a weight, comes before tau and "
            "is outlived by another subject"
        )
    return UnoConcordanceResult(
        value=float(pair_weights @ (counts.concordant + ties)) / total,
        tau=np.inf if tau is None else float(tau),
        n_pairs=int(comparable[pair_weights > 0].sum()),
        n_events_left_out=int(np.count_nonzero(outcome.event & (pair_weights == 0))),
    )


def _warn_of_lost(lost: Bool, y: Outcome) -> None:
    if lost.any():
        warn(
            f"{int(lost.sum())} of {y.n_events} events have no weight, the first at "
            f"time {y.time[lost].min():g}: the censoring curve of the training "
            "outcomes is 0 or has ended there; they are left out",
        )


UNO = Metric(
    "uno_c_index",
    "Uno's C-index",
    "ranking of subjects whatever the censoring; 0.5 is chance, 1 perfect",
    uno_concordance_index,
    higher_is_better=True,
    highest=1.0,
)

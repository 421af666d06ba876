"""All metrics by name; scorers, reports and tables read what they need from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from consurv.metrics.antolini import ANTOLINI
from consurv.metrics.brier import BRIER, IBS
from consurv.metrics.concordance import C_INDEX
from consurv.metrics.d_calibration import D_CAL
from consurv.metrics.facts import Metric
from consurv.metrics.group_calibration import GROUP_CAL
from consurv.metrics.ici import ICI
from consurv.metrics.km_calibration import KM_CAL
from consurv.metrics.mae import MAE_HINGE, MAE_MARGIN, MAE_PO
from consurv.metrics.one_calibration import ONE_CAL
from consurv.metrics.risk_calibration import RISK_CAL
from consurv.metrics.uno import UNO

__all__ = ["EVALUATION", "METRICS", "PAPER", "metric_of"]

# In the order of the paper's figures and of its Table 2.
PAPER: Mapping[str, Metric] = {
    metric.name: metric for metric in (C_INDEX, D_CAL, KM_CAL, IBS, MAE_PO)
}
# Those of an Evaluation, in its order.
EVALUATION: Mapping[str, Metric] = {**PAPER, RISK_CAL.name: RISK_CAL}
METRICS: Mapping[str, Metric] = {
    **EVALUATION,
    **{
        metric.name: metric
        for metric in (
            UNO,
            ANTOLINI,
            BRIER,
            ONE_CAL,
            ICI,
            GROUP_CAL,
            MAE_MARGIN,
            MAE_HINGE,
        )
    },
}
"""What is known of each metric, by its name: label, unit, direction and function.

Examples
--------
>>> METRICS["c_index"].label, METRICS["c_index"].perfect
('C-index', 1.0)
>>> METRICS["d_calibration"].better(0.001, 0.002)
True
"""


def metric_of(function: Callable[..., Any]) -> Metric | None:
    """Return what is known of the metric that *function* computes, if it is ours.

    Examples
    --------
    >>> from consurv.metrics import mae_hinge
    >>> metric_of(mae_hinge).unit
    'time'
    """
    found = (metric for metric in METRICS.values() if metric.compute is function)
    return next(found, None)

"""Metrics as scorers for ``cross_val_score`` and ``GridSearchCV``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from consurv._registry import resolve
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics.brier import integrated_brier_score
from consurv.metrics.concordance import concordance_index
from consurv.metrics.d_calibration import d_calibration
from consurv.metrics.km_calibration import km_calibration
from consurv.metrics.mae import mae_po
from consurv.metrics.results import MetricResult

__all__ = ["SCORERS", "CurveScorer", "get_scorer", "make_scorer"]

Metric = Callable[..., MetricResult]


@dataclass(frozen=True)
class CurveScorer:
    """A metric of curves that scikit-learn can call as ``scorer(estimator, X, y)``.

    Attributes
    ----------
    metric : callable
        ``metric(y, curves, **options)``.
    greater_is_better : bool
        Whether the score is the metric or, for errors, minus it.
    options : mapping of str to object
    curves : callable or None
        ``curves(estimator, X)``; by default ``estimator.predict_survival_function(X)``.
    """

    metric: Metric
    greater_is_better: bool
    options: Mapping[str, Any] = field(default_factory=dict)
    curves: Callable[[Any, Any], SurvivalCurves] | None = None

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Return the score of a fitted estimator, higher = better."""
        value = float(self.metric(y, self._curves(estimator, X), **self.options))
        return value if self.greater_is_better else -value

    def _curves(self, estimator: Any, X: Any) -> SurvivalCurves:
        if self.curves is not None:
            return self.curves(estimator, X)
        predict = getattr(estimator, "predict_survival_function", None)
        curves = None if predict is None else predict(X)
        if not isinstance(curves, SurvivalCurves):
            found = (
                "is missing" if predict is None else f"gives {type(curves).__name__}"
            )
            raise InvalidInput(
                f"predict_survival_function of {type(estimator).__name__} {found}, but "
                "the scorer needs SurvivalCurves; pass curves=, a function of the "
                "estimator and X, such as lambda e, X: adapter_for(e).curves(e, X) "
                "with adapter_for from consurv.adapters"
            )
        return curves


def make_scorer(
    metric: Metric,
    *,
    greater_is_better: bool,
    curves: Callable[[Any, Any], SurvivalCurves] | None = None,
    **options: Any,
) -> CurveScorer:
    """Turn a metric into a scorer for ``cross_val_score`` and ``GridSearchCV``.

    Parameters
    ----------
    metric : callable
        ``metric(y, curves, **options)`` with a result that ``float()`` takes.
    greater_is_better : bool
        False for errors: scikit-learn looks for the highest score, so that minus the
        metric is returned.
    curves : callable, optional
        ``curves(estimator, X)``, for estimators whose ``predict_survival_function``
        does not return :class:`SurvivalCurves`.
    **options
        Keyword arguments of the metric. In a cross-validation *y_train* is not that of
        the fold: without it, metrics that want training outcomes take those that they
        score.

    Returns
    -------
    CurveScorer

    Raises
    ------
    InvalidInput
        If the metric has no such option.

    Examples
    --------
    >>> make_scorer(concordance_index, greater_is_better=True, risk="mean").options
    {'risk': 'mean'}
    """
    known = [
        name
        for name, parameter in signature(metric).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    unknown = [name for name in options if name not in known]
    if unknown:
        raise InvalidInput(
            f"{getattr(metric, '__name__', metric)} has no option {unknown[0]!r}; "
            f"choose among: {', '.join(known) or 'none'}"
        )
    return CurveScorer(metric, greater_is_better, options, curves)


SCORERS: Mapping[str, CurveScorer] = {
    "c-index": make_scorer(concordance_index, greater_is_better=True),
    "d-calibration": make_scorer(d_calibration, greater_is_better=False),
    "km-calibration": make_scorer(km_calibration, greater_is_better=False),
    "ibs": make_scorer(integrated_brier_score, greater_is_better=False),
    "mae-po": make_scorer(mae_po, greater_is_better=False),
}


def get_scorer(
    name: str,
    *,
    curves: Callable[[Any, Any], SurvivalCurves] | None = None,
    **options: Any,
) -> CurveScorer:
    """Return the scorer of one of the paper's five metrics.

    Parameters
    ----------
    name : {"c-index", "d-calibration", "km-calibration", "ibs", "mae-po"}
    curves, **options
        As in :func:`make_scorer`.

    Returns
    -------
    CurveScorer

    Examples
    --------
    >>> get_scorer("ibs", times=50).greater_is_better
    False
    """
    found = resolve(SCORERS, name, "scorer")
    return make_scorer(
        found.metric,
        greater_is_better=found.greater_is_better,
        curves=curves,
        **options,
    )

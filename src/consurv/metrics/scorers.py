"""Metrics as scorers for ``cross_val_score`` and ``GridSearchCV``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from consurv._registry import resolve
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics.registry import EVALUATION, metric_of
from consurv.metrics.results import MetricResult

__all__ = ["SCORERS", "CurveScorer", "get_scorer", "make_scorer"]

Function = Callable[..., MetricResult]


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

    metric: Function
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
    metric: Function,
    *,
    greater_is_better: bool | None = None,
    curves: Callable[[Any, Any], SurvivalCurves] | None = None,
    **options: Any,
) -> CurveScorer:
    """Turn a metric into a scorer for ``cross_val_score`` and ``GridSearchCV``.

    Parameters
    ----------
    metric : callable
        ``metric(y, curves, **options)`` with a result that ``float()`` takes.
    greater_is_better : bool, optional
        Known of the metrics of this package. False for errors: scikit-learn looks for
        the highest score, so that minus the metric is returned.
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
        If the metric has no such option, or it is not known which way is better.

    Examples
    --------
    >>> from consurv.metrics import concordance_index
    >>> scorer = make_scorer(concordance_index, risk="mean")
    >>> scorer.greater_is_better, scorer.options
    (True, {'risk': 'mean'})
    """
    if greater_is_better is None:
        greater_is_better = _direction(metric)
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


def _direction(metric: Function) -> bool:
    known = metric_of(metric)
    if known is None:
        raise InvalidInput(
            f"{getattr(metric, '__name__', metric)} is no metric of consurv; say with "
            "greater_is_better= whether higher is better"
        )
    return known.higher_is_better


# The names that users write: c_index -> c-index; the long one has its label.
_NAMES = {"integrated_brier_score": "ibs"}
SCORERS: Mapping[str, CurveScorer] = {
    _NAMES.get(name, name.replace("_", "-")): make_scorer(metric.compute)
    for name, metric in EVALUATION.items()
}


def get_scorer(
    name: str,
    *,
    curves: Callable[[Any, Any], SurvivalCurves] | None = None,
    **options: Any,
) -> CurveScorer:
    """Return the scorer of one of the metrics of :func:`evaluate`.

    Parameters
    ----------
    name : {"c-index", "d-calibration", "km-calibration", "ibs", "mae-po", \
            "risk-calibration"}
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
    return make_scorer(found.metric, curves=curves, **options)

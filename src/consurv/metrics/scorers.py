"""Metrics as scorers for ``cross_val_score`` and ``GridSearchCV``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

from sklearn.utils.metadata_routing import MetadataRequest

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
    requests : mapping of str to bool, str or None
        What is asked for with scikit-learn's metadata routing: see
        ``set_score_request``.
    """

    metric: Function
    greater_is_better: bool
    options: Mapping[str, Any] = field(default_factory=dict)
    curves: Callable[[Any, Any], SurvivalCurves] | None = None
    requests: Mapping[str, Any] = field(default_factory=dict)

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None
    ) -> float:
        """Return the score of a fitted estimator, higher = better.

        Subjects count as much as *sample_weight* says, or as outcomes with weights do.
        """
        options = dict(self.options)
        if sample_weight is not None:
            self._check_weights()
            options["sample_weight"] = sample_weight
        value = float(self.metric(y, self._curves(estimator, X), **options))
        return value if self.greater_is_better else -value

    def set_score_request(self, *, sample_weight: bool | str | None) -> CurveScorer:
        """Return the scorer with a request for weights, for metadata routing.

        Parameters
        ----------
        sample_weight : bool, str or None
            True asks for what is routed under that name, a str for what has another
            name; False leaves it out, and with None it is refused.

        Examples
        --------
        With ``sklearn.set_config(enable_metadata_routing=True)`` weights reach scorers
        that ask for them:
        ``cross_validate(model, X, y, scoring=scorer, params={"sample_weight": w})``.

        >>> scorer = get_scorer("ibs").set_score_request(sample_weight=True)
        >>> scorer.get_metadata_routing().score.requests
        {'sample_weight': True}
        """
        if sample_weight:
            self._check_weights()
        return replace(self, requests={"sample_weight": sample_weight})

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what is asked for; scikit-learn calls this."""
        asked = MetadataRequest(owner=type(self).__name__)
        if "sample_weight" in _options_of(self.metric):
            # Unless a request says otherwise, routed weights are refused, not lost.
            for name, alias in {"sample_weight": None, **self.requests}.items():
                asked.score.add_request(param=name, alias=alias)
        return asked

    def _check_weights(self) -> None:
        if "sample_weight" not in _options_of(self.metric):
            raise InvalidInput(
                f"{_name(self.metric)} takes no sample_weight; leave it away, or "
                "choose a metric that has it"
            )

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
    known = _options_of(metric)
    unknown = [name for name in options if name not in known]
    if unknown:
        raise InvalidInput(
            f"{_name(metric)} has no option {unknown[0]!r}; "
            f"choose among: {', '.join(known) or 'none'}"
        )
    return CurveScorer(metric, greater_is_better, options, curves)


def _options_of(metric: Function) -> list[str]:
    """Return the names of what a metric takes by name alone."""
    return [
        name
        for name, parameter in signature(metric).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]


def _name(metric: Function) -> str:
    return str(getattr(metric, "__name__", metric))


def _direction(metric: Function) -> bool:
    known = metric_of(metric)
    if known is None:
        raise InvalidInput(
            f"{_name(metric)} is no metric of consurv; say with "
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

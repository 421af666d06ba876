"""scikit-learn's Pipeline with a survival model as its last step."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from consurv._checks import Float, check_plain
from consurv.adapters.adapter import Adapter, OutOfBag, Validation
from consurv.adapters.lookup import adapter_for, risk_adapter_for
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "PipelineAdapter"]


class PipelineAdapter(Adapter):
    """The steps transform, the last one is served by its own adapter.

    So the last step may be a model that scikit-learn itself does not know, such as a
    lifelines regression. The steps learn from the training rows alone; a validation
    set is transformed by what they learned.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> def model(X):
    ...     return [1.0, 2.0], [[0.5, 0.25]] * len(X)
    >>> pipeline = make_pipeline(FunctionTransformer(), model)
    >>> ADAPTER.curves(pipeline, [[0.0], [1.0]]).median()
    array([1., 1.])
    """

    def clone(self, estimator: Any) -> Any:
        """Return an unfitted copy; the last step's adapter copies the last step."""
        last = estimator.steps[-1][1]
        copy = clone(estimator)
        copy.steps[-1] = (estimator.steps[-1][0], _adapter(last).clone(last))
        return copy

    def is_fitted(self, estimator: Any) -> bool:
        """Ask the last step, which is trained after all others."""
        last = estimator.steps[-1][1]
        return _adapter(last).is_fitted(last)

    def takes_validation(self, estimator: Any) -> bool:
        """Ask the last step."""
        last = estimator.steps[-1][1]
        return _adapter(last).takes_validation(last)

    def fit(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train the steps in order, in place."""
        X, validation = self._prepare(estimator, X, y, validation)
        last = estimator.steps[-1][1]
        adapter_for(last).fit(last, X, y, validation)
        return estimator

    def _prepare(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation
    ) -> tuple[Any, Validation]:
        """Train the steps before the last; return the data as the last one sees it."""
        check_plain(X, "X")
        if len(estimator.steps) > 1:
            head = estimator[:-1]
            X = head.fit_transform(X, y.to_structured())
            # With a memory, scikit-learn trains copies and puts them in the head.
            estimator.steps = [*head.steps, estimator.steps[-1]]
        if validation is not None and self.takes_validation(estimator):
            validation = (_transform(estimator, validation[0]), validation[1])
        return X, validation

    def warn_of_fit(self, estimator: Any) -> None:
        """Ask the last step."""
        last = estimator.steps[-1][1]
        adapter_for(last).warn_of_fit(last)

    def own_levels(self, estimator: Any) -> Float | None:
        """Ask the last step."""
        last = estimator.steps[-1][1]
        return adapter_for(last).own_levels(last)

    def own_percentile_times(self, estimator: Any, X: Any) -> Float:
        """Return those of the last step for the transformed rows."""
        last = estimator.steps[-1][1]
        check_plain(X, "X")
        return adapter_for(last).own_percentile_times(last, _transform(estimator, X))

    def has_out_of_bag(self, estimator: Any, *, enough: bool = False) -> bool:
        """Ask the last step."""
        last = estimator.steps[-1][1]
        return adapter_for(last).has_out_of_bag(last, enough=enough)

    def out_of_bag(self, estimator: Any, X: Any) -> OutOfBag:
        """Return that of the last step for the transformed rows."""
        last = estimator.steps[-1][1]
        return adapter_for(last).out_of_bag(last, _transform(estimator, X))

    def fit_risk(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train the steps in order, the last one to rank."""
        X, validation = self._prepare(estimator, X, y, validation)
        last = estimator.steps[-1][1]
        risk_adapter_for(last).fit_risk(last, X, y, validation)
        return estimator

    def risk(self, estimator: Any, X: Any) -> Float:
        """Return the scores of the last step for the transformed rows."""
        last = estimator.steps[-1][1]
        return risk_adapter_for(last).risk(last, _transform(estimator, X))

    def is_log_hazard(self, estimator: Any) -> bool:
        """Ask the last step."""
        last = estimator.steps[-1][1]
        return risk_adapter_for(last).is_log_hazard(last)

    def _predict(self, estimator: Any, X: Any) -> SurvivalCurves:
        last = estimator.steps[-1][1]
        return adapter_for(last).curves(last, _transform(estimator, X))


def _adapter(last: Any) -> Adapter:
    """Return what serves the last step, be it for its curves or its scores alone."""
    try:
        return adapter_for(last)
    except InvalidInput:
        if not hasattr(last, "predict"):
            raise
        return risk_adapter_for(last)


def _transform(pipeline: Any, X: Any) -> Any:
    # Step by step: a slice of the pipeline would ask whether its last transformer is
    # fitted, which stateless transformers without that tag deny.
    for _, step in pipeline.steps[:-1]:
        if step is not None and step != "passthrough":
            X = step.transform(X)
    return X


ADAPTER = PipelineAdapter()

"""Models of any library by the method that tells their curves."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np

from consurv._checks import Float, as_floats
from consurv.adapters.adapter import describe, n_rows
from consurv.adapters.native import NativeAdapter
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput

__all__ = ["ADAPTER", "MethodAdapter", "curves_of_frame", "curves_of_quantiles"]

# Levels at which quantiles are asked for: every percent hits 9, 19, 49 or 99 levels.
_LEVELS: Float = np.arange(1, 100) / 100


class MethodAdapter(NativeAdapter):
    """``predict_surv_df``, ``predict_survival`` or ``predict_quantiles``.

    ``predict_surv_df(X)`` gives a DataFrame of times x subjects. So may
    ``predict_survival(X)``, or SurvivalCurves, a pair (times, survival), an array with
    a column for each of the model's ``times``. ``predict_quantiles(X, alpha=[...])``
    gives a column of times for each probability of an event by then.

    Examples
    --------
    >>> class Exponential:
    ...     def predict_quantiles(self, X, alpha):
    ...         return np.outer(X[:, 0], -np.log(1 - np.asarray(alpha)))
    >>> ADAPTER.curves(Exponential(), np.array([[1.0], [2.0]])).median().round(3)
    array([0.693, 1.386])
    """

    def _predict(self, estimator: Any, X: Any) -> Any:
        if hasattr(estimator, "predict_surv_df"):
            return curves_of_frame(estimator.predict_surv_df(X))
        if hasattr(estimator, "predict_survival"):
            return _survival(estimator, X)
        return curves_of_quantiles(estimator, X)


def curves_of_frame(frame: Any, interpolation: str = "linear") -> SurvivalCurves:
    """Read a frame of times x subjects, in whatever order its times come."""
    if not hasattr(frame, "sort_index"):
        raise InvalidInput(
            f"predict_surv_df gave a {type(frame).__name__}; it must give a pandas "
            "DataFrame of times x subjects"
        )
    return SurvivalCurves.from_frame(frame.sort_index(), interpolation)


def _survival(estimator: Any, X: Any) -> Any:
    predict = estimator.predict_survival
    needed = [
        p.name
        for p in list(signature(predict).parameters.values())[1:]
        if p.default is Parameter.empty
        and p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    times = getattr(estimator, "times_", getattr(estimator, "times", None))
    if needed and times is None:
        raise InvalidInput(
            f"{describe(estimator)}.predict_survival wants {needed[0]!r}, and the "
            "model has no times of its own; name them in one line: "
            "ConformalSurvival(lambda X: (times, model.predict_survival(X, times)))"
        )
    found = predict(X, times) if needed else predict(X)
    if isinstance(found, np.ndarray) and times is not None:
        return np.asarray(times, dtype=float), found
    return curves_of_frame(found) if hasattr(found, "sort_index") else found


def curves_of_quantiles(estimator: Any, X: Any) -> SurvivalCurves:
    """Ask for the times by which 1 %, 2 % ... 99 % have had their event."""
    found = estimator.predict_quantiles(X, alpha=_LEVELS.tolist())
    name = f"predict_quantiles of {describe(estimator)}"
    times = as_floats(found, f"what {name} gave", ndim=2, allow_inf=True)
    wanted = (n_rows(X), len(_LEVELS))
    if times.shape != wanted:
        raise InvalidInput(
            f"{name} gave shape {times.shape} for {wanted[0]} rows and {wanted[1]} "
            "probabilities; it must give a row for each row of X and a column for each "
            "probability"
        )
    # Laws that know no start, such as a normal one, may begin before 0.
    times = np.maximum(times, 0.0)
    return SurvivalCurves.from_percentile_times(times, 1 - _LEVELS)


ADAPTER = MethodAdapter()

"""Regressions of lifelines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from inspect import Parameter, signature
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from consurv._checks import Float, as_floats
from consurv.adapters.adapter import Adapter, Validation, describe
from consurv.adapters.lifelines_input import (
    check_cells,
    clear_errors,
    named_columns,
    plain_strata,
    used_columns,
    warn_of_fit,
)
from consurv.adapters.structure import agrees, proportional
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import (
    Law,
    LogLogistic,
    LogNormal,
    Steps,
    Weibull,
)
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "LifelinesAdapter"]

T = TypeVar("T")


class LifelinesAdapter(Adapter):
    """lifelines regressions: Cox, accelerated failure time and other parametric ones.

    Features travel as a DataFrame; the columns of an array are called x0, x1, ...
    Rows are read by position, whatever their index says. ``fit`` uses the settings of
    the fitter's constructor; what only lifelines' own ``fit`` takes (a formula,
    weights) needs a fitter that was fitted there and ``conformalize``.

    - Cox with the Breslow baseline: step curves at the distinct training times, held
      as log risks beside the baseline, or the baseline of each stratum.
    - Weibull, log-normal and log-logistic AFT: exact laws. Past the last training time
      they keep the model's own tail.
    - Other parametric models: linear on about 600 common times from a hundredth of the
      first to a hundred times the last training time; the survival is off by less
      than 1e-3 within them.

    Examples
    --------
    >>> from lifelines import WeibullAFTFitter
    >>> X = np.array([[0.0], [1.0], [0.0], [1.0], [0.0]])
    >>> y = Outcome(time=[4, 1, 3, 2, 6], event=[1, 1, 0, 1, 1])
    >>> aft = ADAPTER.fit(WeibullAFTFitter(penalizer=0.1), X, y)
    >>> ADAPTER.is_fitted(aft), ADAPTER.is_fitted(ADAPTER.clone(aft))
    (True, False)
    >>> len(ADAPTER.curves(aft, X))
    5
    """

    def clone(self, estimator: Any) -> Any:
        """Build a new fitter of the same class from its constructor's settings."""
        _check_is_regression(estimator)
        return type(estimator)(**deepcopy(_settings(estimator)))

    def is_fitted(self, estimator: Any) -> bool:
        """Look for the fitted parameters; scikit-learn does not know these models."""
        _check_is_regression(estimator)
        return hasattr(estimator, "params_")

    def feature_names(self, estimator: Any) -> list[Any] | None:
        """Return the columns of its formulas, and those that it is stratified by."""
        return named_columns(estimator)

    def fit(
        self,
        estimator: Any,
        X: Any,
        y: Outcome,
        validation: Validation = None,
    ) -> Any:
        """Train in place on one DataFrame of features, time and event."""
        _check_is_regression(estimator)
        frame = _features(X)
        if "Intercept" in frame.columns and getattr(estimator, "fit_intercept", False):
            raise InvalidInput(
                f"X has a column called 'Intercept', a name that {describe(estimator)} "
                "keeps for its own; rename it"
            )
        check_cells(estimator, frame, list(frame.columns))
        frame = plain_strata(estimator, frame)
        time, event = _free_name("time", frame), _free_name("event", frame)
        # Two columns beside the others, which are not copied: lifelines does that.
        frame = frame.copy(deep=False)
        frame[time], frame[event] = y.time, y.event
        estimator.fit(frame, duration_col=time, event_col=event)
        return estimator

    def _predict(self, estimator: Any, X: Any) -> SurvivalCurves:
        _check_is_regression(estimator)
        make = _entry(_CURVES, estimator) or _common_grid_curves
        frame = plain_strata(estimator, _features(X))
        check_cells(estimator, frame, used_columns(estimator, frame))
        with clear_errors(estimator, frame):
            return make(estimator, frame)

    def warn_of_fit(self, estimator: Any) -> None:
        """Warn of delayed entry, weights and other kinds of censoring."""
        warn_of_fit(estimator)


def _check_is_regression(fitter: Any) -> None:
    reason = _entry(_REFUSED, fitter)
    if reason is not None:
        raise InvalidInput(f"{describe(fitter)} cannot be used: {reason}")


def _entry(table: Mapping[str, T], fitter: Any) -> T | None:
    """Return what *table* says of the fitter's class or its nearest parent."""
    names = (kind.__name__ for kind in type(fitter).__mro__)
    return next((table[name] for name in names if name in table), None)


def _settings(fitter: Any) -> dict[str, Any]:
    """Read the constructor's arguments back from the attributes they became."""
    names: list[str] = []
    constructors = (k for k in type(fitter).__mro__ if "__init__" in vars(k))
    for kind in constructors:
        parameters = signature(kind).parameters.values()
        passed_on = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        names += [p.name for p in parameters if p.kind not in passed_on]
        if Parameter.VAR_KEYWORD not in {p.kind for p in parameters}:
            break  # the parents' settings cannot be given
    settings = {name: getattr(fitter, name) for name in names}
    if settings.get("knots") is not None:  # lifelines takes one of the two
        settings.pop("n_baseline_knots", None)
    return settings


def _features(X: Any) -> pd.DataFrame:
    """Return *X* as a DataFrame with text for names and rows numbered from 0."""
    if isinstance(X, pd.DataFrame):
        frame = X.reset_index(drop=True).set_axis(X.columns.map(str), axis=1)
    elif hasattr(X, "columns"):  # polars and its like
        frame = pd.DataFrame({str(name): X[name].to_numpy() for name in X.columns})
    else:
        array = as_floats(X, "X", ndim=2)
        frame = pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])])
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InvalidInput(
            f"X has two columns called {twice!r}, and lifelines tells columns apart "
            "by their names; rename one"
        )
    return frame


def _free_name(name: str, frame: pd.DataFrame) -> str:
    while name in frame.columns:
        name += "_"
    return name


def _by_position(frame: pd.DataFrame, n: int) -> pd.DataFrame:
    # A stratified Cox model returns its subjects stratum by stratum.
    return frame.reindex(columns=pd.RangeIndex(n))


def _cox_curves(fitter: Any, X: pd.DataFrame) -> SurvivalCurves:
    if fitter.baseline_estimation_method != "breslow":
        return _common_grid_curves(fitter, X)
    times = fitter.baseline_cumulative_hazard_.index.to_numpy(dtype=float)

    def table(rows: slice) -> SurvivalCurves:
        part = X.iloc[rows].reset_index(drop=True)
        frame = fitter.predict_survival_function(part, times=times)
        frame = _by_position(frame, len(part))
        return SurvivalCurves.from_frame(frame, interpolation="step")

    curves = _proportional_curves(fitter, X, times)
    if curves is not None and agrees(curves, table):
        return curves
    return table(slice(None))


def _proportional_curves(
    fitter: Any, X: pd.DataFrame, times: Float
) -> SurvivalCurves | None:
    """Return curves from the baselines of all strata; None if one is not known."""
    hazards = fitter.baseline_cumulative_hazard_
    # Groups are read as lifelines reads them, so that their keys are its columns.
    groups = [(None, X)] if not fitter.strata else X.groupby(fitter.strata)
    baselines, stratum = [], np.empty(len(X), dtype=np.intp)
    for i, (key, group) in enumerate(groups):
        try:
            hazard = hazards if key is None else hazards[[key]]
        except KeyError:
            return None
        with np.errstate(divide="ignore"):
            log_hazard = np.log(hazard.to_numpy(dtype=float)[:, 0])
        baselines.append(Steps(times, np.maximum.accumulate(log_hazard)))
        stratum[group.index.to_numpy()] = i
    log_risk = fitter.predict_log_partial_hazard(X).to_numpy(dtype=float)
    return proportional(baselines, log_risk, stratum)


def _aft_curves(law: type[Law]) -> Callable[[Any, pd.DataFrame], SurvivalCurves]:
    """Make curves for a family log T = location + scale * W with W a fixed law.

    Where only the location depends on features, and on these alone, it is a sum. Else
    two percentile times tell location and scale of each subject, which takes lifelines
    some milliseconds.
    """

    def curves(fitter: Any, X: pd.DataFrame) -> SurvivalCurves:
        known = _linear_predictor(fitter, X)
        if known is not None:
            return SurvivalCurves._of(law(*known, _last_time(fitter)))
        standard = law(np.zeros(1), np.ones(1))
        w_median, w_low = np.log(standard.percentile_times(np.array([0.5, 0.1]))[0])
        # A linear predictor that overflows has percentile times 0 or +inf throughout.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            median, low = (
                np.log(np.asarray(fitter.predict_percentile(X, p=p), dtype=float))
                for p in (0.5, 0.1)
            )
            scale = (low - median) / (w_low - w_median)
            scale[np.isnan(scale)] = 0.0
            location = median - scale * w_median
        return SurvivalCurves._of(law(location, scale, _last_time(fitter)))

    return curves


# Of the parameters of a family, the one that depends on features by default, the other,
# and the sign with which the logarithm of the other is that of the scale.
_FAMILIES = {
    "WeibullAFTFitter": ("lambda_", "rho_", -1.0),
    "LogNormalAFTFitter": ("mu_", "sigma_", 1.0),
    "LogLogisticAFTFitter": ("alpha_", "beta_", -1.0),
}


def _linear_predictor(fitter: Any, X: pd.DataFrame) -> tuple[Float, Float] | None:
    """Return location and scale (n,); None where more than columns comes in."""
    main, other, sign = _entry(_FAMILIES, fitter) or ("", "", 0.0)
    columns = fitter.regressors.mappings.get(main)
    spread = fitter.params_.get(other)
    if not isinstance(columns, list) or spread is None:
        return None  # a formula, or parameters of an own class
    features = [name for name in columns if name != "Intercept"]
    if list(spread.index) != ["Intercept"] or not set(features) <= set(X.columns):
        return None
    weights = fitter.params_[main]
    values = X[features].to_numpy(dtype=float)
    location: Float = values @ weights[features].to_numpy()
    if "Intercept" in columns:
        location = location + weights["Intercept"]
    return location, np.full(len(X), np.exp(sign * spread["Intercept"]))


def _last_time(fitter: Any) -> float:
    """Return the largest training time."""
    times = getattr(fitter, "durations", None)
    return float(np.max(fitter.timeline if times is None else times))


def _common_grid_curves(fitter: Any, X: pd.DataFrame) -> SurvivalCurves:
    times = _common_times(np.asarray(fitter.timeline, dtype=float))
    kinks = getattr(fitter, "breakpoints", None)
    if kinks is not None:
        times = np.union1d(times, kinks)
    frame = _by_position(fitter.predict_survival_function(X, times=times), len(X))
    return SurvivalCurves.from_frame(frame)


def _common_times(timeline: Float) -> Float:
    """Return a grid on which linear interpolation is close for any smooth curve.

    Quantiles of the training times are dense where the curves move; geometric steps
    of a few percent keep the error independent of the unit, and reach far enough to
    both sides for subjects unlike the average.
    """
    timeline = timeline[timeline > 0]
    spread = np.geomspace(timeline.min() / 100, timeline.max() * 100, 400)
    dense = np.quantile(timeline, np.linspace(0, 1, 201))
    times: Float = np.union1d(spread, dense)
    return times


_CURVES: dict[str, Callable[[Any, pd.DataFrame], SurvivalCurves]] = {
    "CoxPHFitter": _cox_curves,
    "WeibullAFTFitter": _aft_curves(Weibull),
    "LogNormalAFTFitter": _aft_curves(LogNormal),
    "LogLogisticAFTFitter": _aft_curves(LogLogistic),
}

_REFUSED = {
    "UnivariateFitter": "it knows no features and gives everybody the same curve; "
    "choose a regression such as CoxPHFitter or WeibullAFTFitter",
    "CoxTimeVaryingFitter": "it predicts no survival curves, and features that change "
    "over time are not supported; choose CoxPHFitter",
    "AalenAdditiveFitter": "its survival functions can rise and leave [0, 1]; choose "
    "CoxPHFitter, or wrap it in a function X -> (times, survival) that repairs them",
}

ADAPTER = LifelinesAdapter()

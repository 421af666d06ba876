"""Which model a name stands for; its library is imported when it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from consurv._registry import resolve
from consurv.errors import MissingDependency

__all__ = ["make_model", "model_name", "model_names"]


def make_model(name: str, random_state: int | None = None) -> Any:
    """Return an untrained survival model with the paper's settings.

    Parameters
    ----------
    name : str
        One of `model_names` or a short form of it (AFT, CoxPH, GB, RSF), in any case.
    random_state : int, optional
        Seed of the models that draw random numbers.

    Returns
    -------
    object
        An estimator that ``ConformalSurvival`` takes.

    Raises
    ------
    InvalidInput
        If there is no model of that name.
    MissingDependency
        If its library is not installed.

    Examples
    --------
    >>> make_model("AFT").penalizer
    0.01
    """
    return _FACTORIES[model_name(name)](random_state)


def model_name(name: str) -> str:
    """Return the full name of a model for any form of it.

    Examples
    --------
    >>> model_name("GB")
    'gradient-boosting'
    """
    full_names = {full: full for full in _FACTORIES}
    return resolve(full_names, _SHORT_FORMS.get(str(name).lower(), name), "model")


def model_names() -> list[str]:
    """Return the names that `make_model` knows.

    Examples
    --------
    >>> model_names()
    ['weibull-aft', 'coxph', 'gradient-boosting', 'random-forest']
    """
    return list(_FACTORIES)


def _weibull_aft(random_state: int | None) -> Any:
    try:
        from lifelines import WeibullAFTFitter
    except ImportError as error:
        raise MissingDependency("lifelines", "models") from error
    return WeibullAFTFitter(penalizer=0.01)


def _coxph(random_state: int | None) -> Any:
    try:
        from lifelines import CoxPHFitter
    except ImportError as error:
        raise MissingDependency("lifelines", "models") from error
    return CoxPHFitter(penalizer=0.01)


def _gradient_boosting(random_state: int | None) -> Any:
    try:
        from sksurv.ensemble import ComponentwiseGradientBoostingSurvivalAnalysis
    except ImportError as error:
        raise MissingDependency("scikit-survival", "models") from error
    return ComponentwiseGradientBoostingSurvivalAnalysis(
        n_estimators=100, random_state=random_state
    )


def _random_forest(random_state: int | None) -> Any:
    try:
        from sksurv.ensemble import RandomSurvivalForest
    except ImportError as error:
        raise MissingDependency("scikit-survival", "models") from error
    # One thread: several add up their trees in an order that changes the last digits.
    return RandomSurvivalForest(min_samples_leaf=15, random_state=random_state)


_FACTORIES: dict[str, Callable[[int | None], Any]] = {
    "weibull-aft": _weibull_aft,
    "coxph": _coxph,
    "gradient-boosting": _gradient_boosting,
    "random-forest": _random_forest,
}

_SHORT_FORMS = {
    "aft": "weibull-aft",
    "cox": "coxph",
    "gb": "gradient-boosting",
    "rsf": "random-forest",
}

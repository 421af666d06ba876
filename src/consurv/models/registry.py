"""Which model a name stands for; its library is imported when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from typing import Any

from consurv._registry import resolve
from consurv.errors import InvalidInput, MissingDependency

__all__ = [
    "BOOSTERS",
    "OWN_CLASSES",
    "make_model",
    "model_class",
    "model_name",
    "model_names",
]


@dataclass(frozen=True)
class _Entry:
    """A class, the module that holds it and settings other than its defaults."""

    label: str
    module: str
    settings: Mapping[str, Any] = field(default_factory=dict)


_MODELS = {
    "km": _Entry("KaplanMeierModel", "consurv.models.marginal"),
    "weibull-aft": _Entry("WeibullAFT", "consurv.models.aft"),
    "coxph": _Entry("CoxPH", "consurv.models.cox"),
    "gradient-boosting": _Entry("GradientBoosting", "consurv.models.boosting"),
    # Leaves of 3, scikit-survival's default, learn the training rows by heart.
    "random-forest": _Entry(
        "RandomSurvivalForest", "sksurv.ensemble", {"min_samples_leaf": 15}
    ),
    "deepsurv": _Entry("DeepSurv", "consurv.models.deep.deepsurv"),
    "n-mtlr": _Entry("NMTLR", "consurv.models.deep.nmtlr"),
    "deephit": _Entry("DeepHit", "consurv.models.deep.deephit"),
    "coxtime": _Entry("CoxTime", "consurv.models.deep.coxtime"),
    "cqrnn": _Entry("CQRNN", "consurv.models.deep.cqrnn"),
    "lognormal": _Entry("LogNormalNN", "consurv.models.deep.lognormal"),
}

_BOOSTERS = {
    "xgboost-aft": _Entry("XGBSurvivalAFT", "consurv.models.boosters.xgboost"),
    "xgboost-cox": _Entry("XGBSurvivalCox", "consurv.models.boosters.xgboost"),
    "catboost-aft": _Entry("CatBoostSurvivalAFT", "consurv.models.boosters.catboost"),
    "catboost-cox": _Entry("CatBoostSurvivalCox", "consurv.models.boosters.catboost"),
}
BOOSTERS = tuple(_BOOSTERS)
_MODELS |= _BOOSTERS

# Ways to bring models of other libraries, which are made of a model and not by a name.
_BROUGHT = {
    "FromRisk": "consurv.models.from_risk",
    "FromTorch": "consurv.models.from_torch",
}

# Our own classes, which `consurv.models` offers by their names.
OWN_CLASSES = _BROUGHT | {
    entry.label: entry.module
    for entry in _MODELS.values()
    if entry.module.startswith("consurv.")
}

_SHORT_FORMS = {
    "kaplan-meier": "km",
    "aft": "weibull-aft",
    "cox": "coxph",
    "gb": "gradient-boosting",
    "rsf": "random-forest",
    "mtlr": "n-mtlr",
    "nmtlr": "n-mtlr",
    "lognormalnn": "lognormal",
    "xgboost": "xgboost-aft",
    "catboost": "catboost-aft",
}


def make_model(name: str, random_state: int | None = None, **params: Any) -> Any:
    """Return an untrained survival model; those of the paper with its settings.

    Parameters
    ----------
    name : str
        One of `model_names` or a short form of it (AFT, Cox, GB, MTLR, RSF, XGBoost,
        CatBoost), in any case.
    random_state : int, optional
        Seed of the models that draw random numbers.
    **params
        Settings of that model's constructor.

    Returns
    -------
    object
        An estimator that ``ConformalSurvival`` takes.

    Raises
    ------
    InvalidInput
        If there is no model of that name, or it has no such setting.
    MissingDependency
        If its library is not installed.

    Examples
    --------
    >>> make_model("AFT", penalty=0.1)
    WeibullAFT(penalty=0.1)
    """
    kind = model_class(name)
    known = list(signature(kind).parameters)
    for param in params:
        if param not in known:
            raise InvalidInput(
                f"{model_name(name)} has no setting {param!r}; choose among "
                f"{', '.join(known)}"
            )
    if "random_state" in known:
        params["random_state"] = random_state
    return kind(**{**_MODELS[model_name(name)].settings, **params})


def model_class(name: str) -> type[Any]:
    """Return the class of a model.

    Examples
    --------
    >>> model_class("Cox").__name__
    'CoxPH'
    """
    entry = _MODELS[model_name(name)]
    try:
        module = import_module(entry.module)
    except MissingDependency:  # ours say themselves what they lack
        raise
    except ImportError as error:
        raise MissingDependency("scikit-survival", "models") from error
    kind: type[Any] = getattr(module, entry.label)
    return kind


def model_name(name: str) -> str:
    """Return the full name of a model for any form of it.

    Examples
    --------
    >>> model_name("GB")
    'gradient-boosting'
    """
    full_names = {full: full for full in _MODELS}
    return resolve(full_names, _SHORT_FORMS.get(str(name).lower(), name), "model")


def model_names() -> list[str]:
    """Return the names that `make_model` knows.

    Examples
    --------
    >>> model_names()[:4]
    ['km', 'weibull-aft', 'coxph', 'gradient-boosting']
    """
    return list(_MODELS)

"""Survival models, by class and by name."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consurv.models.registry import OWN_CLASSES, make_model, model_name, model_names

if TYPE_CHECKING:
    from consurv.models.aft import WeibullAFT
    from consurv.models.boosters.catboost import (
        CatBoostSurvivalAFT,
        CatBoostSurvivalCox,
    )
    from consurv.models.boosters.xgboost import XGBSurvivalAFT, XGBSurvivalCox
    from consurv.models.boosting import GradientBoosting
    from consurv.models.cox import CoxPH
    from consurv.models.deep.coxtime import CoxTime
    from consurv.models.deep.cqrnn import CQRNN
    from consurv.models.deep.deephit import DeepHit
    from consurv.models.deep.deepsurv import DeepSurv
    from consurv.models.deep.lognormal import LogNormalNN
    from consurv.models.deep.nmtlr import NMTLR
    from consurv.models.from_risk import FromRisk
    from consurv.models.from_torch import FromTorch
    from consurv.models.marginal import KaplanMeierModel

__all__ = [
    "CQRNN",
    "NMTLR",
    "CatBoostSurvivalAFT",
    "CatBoostSurvivalCox",
    "CoxPH",
    "CoxTime",
    "DeepHit",
    "DeepSurv",
    "FromRisk",
    "FromTorch",
    "GradientBoosting",
    "KaplanMeierModel",
    "LogNormalNN",
    "WeibullAFT",
    "XGBSurvivalAFT",
    "XGBSurvivalCox",
    "make_model",
    "model_name",
    "model_names",
]


def __getattr__(name: str) -> Any:
    """Import a model when it is first asked for, so that torch stays optional."""
    if name not in OWN_CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(OWN_CLASSES[name]), name)


def __dir__() -> list[str]:
    return __all__

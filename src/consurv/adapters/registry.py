"""The libraries whose models are taken, each with its adapter and its one line."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LIBRARIES", "Library", "model_list"]


@dataclass(frozen=True)
class Library:
    """A library that consurv knows.

    Parameters
    ----------
    name : str
        As people call it.
    modules : tuple of str
        A class defined in one of them, or below, is served by ``adapter``.
    adapter : str
        Our module, imported when first used, whose ``ADAPTER`` serves it.
    line : str
        How its models are given to ``ConformalSurvival``.
    extra : str
        What installs it; empty where it comes with consurv.
    note : str
        What is to be known.
    """

    name: str
    modules: tuple[str, ...]
    adapter: str
    line: str = ""
    extra: str = ""
    note: str = ""


# scikit-learn's entries are modules because every estimator in the field derives from
# sklearn.base.
LIBRARIES = (
    Library(
        "scikit-survival",
        ("sksurv",),
        "consurv.adapters.sksurv",
        "RandomSurvivalForest()",
        "models",
        "any estimator with curves",
    ),
    Library(
        "lifelines",
        ("lifelines",),
        "consurv.adapters.lifelines",
        "WeibullAFTFitter()",
        "models",
        "regressions",
    ),
    Library(
        "XGBoost",
        ("xgboost",),
        "consurv.adapters.xgboost",
        "XGBSurvivalAFT()",
        "xgboost",
        "or `XGBSurvivalCox()`, a trained AFT `Booster`, `FromRisk(model)`",
    ),
    Library(
        "CatBoost",
        ("catboost",),
        "consurv.adapters.catboost",
        "CatBoostSurvivalAFT()",
        "catboost",
        "or `CatBoostSurvivalCox()`, a `CatBoostRegressor` with SurvivalAft",
    ),
    Library(
        "LightGBM",
        ("lightgbm",),
        "consurv.adapters.lightgbm",
        "FromRisk(LGBMRegressor())",
        "lightgbm",
        "trained by the Cox likelihood",
    ),
    Library(
        "pycox",
        ("pycox",),
        "consurv.adapters.pycox",
        "model",
        "pycox",
        "trained, any with `predict_surv_df`",
    ),
    Library(
        "torch, torchsurv",
        (),
        "",
        'FromTorch(module, "weibull")',
        "deep",
        "or log-hazard, pmf, hazards, survival, log-normal, log-logistic",
    ),
    Library(
        "skpro",
        ("skpro",),
        "consurv.adapters.skpro",
        "AFTWeibull()",
        "skpro",
        "survival regressors; curves go back by `to_quantiles()`",
    ),
    Library("", ("sklearn.frozen",), "consurv.adapters.frozen"),
    Library("", ("sklearn.model_selection",), "consurv.adapters.search"),
    Library("", ("sklearn.pipeline",), "consurv.adapters.pipeline"),
)

_OTHERS = (
    ("any risk score", "FromRisk(model)", "", "Breslow's baseline makes curves of it"),
    (
        "anything else",
        "model",
        "",
        "with `predict_survival_function`, `predict_surv_df`, `predict_survival` or "
        "`predict_quantiles`, or a function X → (times, survival)",
    ),
)


def model_list() -> str:
    """Return the table of models that README shows, as Markdown.

    Examples
    --------
    >>> print(model_list().splitlines()[3])
    | lifelines | `WeibullAFTFitter()` | `models` | regressions |
    """
    rows = [(x.name, x.line, x.extra, x.note) for x in LIBRARIES if x.name]
    lines = [
        f"| {name} | `{line}` | {f'`{extra}`' if extra else ''} | {note} |"
        for name, line, extra, note in (*rows, *_OTHERS)
    ]
    head = "| library | `ConformalSurvival(...)` of | extra | |"
    return "\n".join([head, "|---|---|---|---|", *lines])

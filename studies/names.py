"""How models and variants are written in tables and figures, and their order."""

from __future__ import annotations

from consurv.models.registry import model_names

__all__ = [
    "SIZES",
    "STUDIES",
    "model_label",
    "model_order",
    "variant_label",
    "variant_order",
]

STUDIES = (
    "main",
    "objective",
    "ablation-censoring",
    "ablation-conformal-set",
    "ablation-percentiles",
    "cost",
)
SIZES = ("small", "medium", "large")

# The paper's short forms; other models go by the label of their records.
_MODELS = {
    "km": "KM",
    "weibull-aft": "AFT",
    "coxph": "Cox",
    "gradient-boosting": "GB",
    "random-forest": "RSF",
    "deepsurv": "DeepSurv",
    "n-mtlr": "N-MTLR",
    "deephit": "DeepHit",
    "coxtime": "CoxTime",
    "cqrnn": "CQRNN",
    "lognormal-likelihood": "LL",
    "lognormal-crps": "CRPS",
}
_WEIGHTED = {"lognormal-x-cal-1e": "X-cal", "lognormal-sfm-1e": "SFM"}
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_HELD_OUT = "@held-out"
_VARIANTS = {
    "raw": "raw",
    "csd": "CSD",
    "uncensored": "uncensored",
    "margin": "margin",
    "pseudo-observation": "PO",
    "kaplan-meier": "KM exact",
    "kaplan-meier-sampled": "KM-sampling",
    "self-consistent": "self-consistent",
    "local": "local",
    "auto": "auto",
    "cipot": "CiPOT",
    "validation": "validation",
    "train+validation": "train+validation",
    "train": "train",
}


def model_label(model: str, default: str | None = None) -> str:
    """Return how a model is written.

    Examples
    --------
    >>> model_label("weibull-aft"), model_label("lognormal-x-cal-1e3")
    ('AFT', 'X-cal 10³')
    >>> model_label("mine", "My model"), model_label("weibull-aft@held-out")
    ('My model', 'AFT (held out)')
    """
    if model.endswith(_HELD_OUT):
        return f"{model_label(model.removesuffix(_HELD_OUT))} (held out)"
    for start, name in _WEIGHTED.items():
        if model.startswith(start):
            power = model.removeprefix(start).translate(_SUPERSCRIPTS)
            return f"{name} 10{power}"
    return _MODELS.get(model, default or model)


def model_order(model: str) -> tuple[int, str]:
    """Return what models are sorted by: the paper's order, then the alphabet.

    Examples
    --------
    >>> sorted(["mine", "deephit", "weibull-aft", "km"], key=model_order)
    ['km', 'weibull-aft', 'deephit', 'mine']
    >>> sorted(["lognormal-sfm-1e0", "lognormal-x-cal-1e5"], key=model_order)
    ['lognormal-x-cal-1e5', 'lognormal-sfm-1e0']
    """
    known = [*model_names(), *_MODELS, *_WEIGHTED]
    for place, name in enumerate(known):
        if model.removesuffix(_HELD_OUT) == name or (
            name in _WEIGHTED and model.startswith(name)
        ):
            return place, model
    return len(known), model


def variant_label(variant: str) -> str:
    """Return how a variant is written.

    Examples
    --------
    >>> variant_label("csd"), variant_label("19")
    ('CSD', '19')
    """
    return _VARIANTS.get(variant, variant)


def variant_order(variant: str) -> tuple[int, int, str]:
    """Return what variants are sorted by: a fixed order, then numbers, then names.

    Examples
    --------
    >>> sorted(["99", "auto", "9", "raw", "mine"], key=variant_order)
    ['raw', 'auto', '9', '99', 'mine']
    """
    known = list(_VARIANTS)
    if variant in known:
        return known.index(variant), 0, variant
    return len(known), int(variant) if variant.isdigit() else 10**9, variant

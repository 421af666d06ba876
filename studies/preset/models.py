"""Which model of the registry is trained how under the paper's preset."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import Any

from consurv.errors import InvalidInput
from consurv.models.registry import make_model, model_name

__all__ = ["paper_model"]

# Of the authors' own trainer, which stops when more than 50 epochs brought nothing.
_OWN = {"weight_decay": 0.1, "max_epochs": 10_000, "patience": 51}
# Of pycox's, whose patience is 10.
_PYCOX = {"weight_decay": 0.1, "max_epochs": 10_000, "patience": 10}
# KM and the Weibull regression are the same library calls in both.
_MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "gradient-boosting": ("studies.preset.cox", "PaperBoosting", {}),
    "deepsurv": ("studies.preset.cox", "PaperDeepSurv", _OWN),
    "n-mtlr": ("studies.preset.bins", "PaperNMTLR", _OWN),
    "deephit": ("studies.preset.bins", "PaperDeepHit", _PYCOX),
    "coxtime": ("studies.preset.cox", "PaperCoxTime", _PYCOX),
    "cqrnn": ("studies.preset.quantiles", "PaperCQRNN", _OWN),
    "lognormal": ("studies.preset.lognormal", "PaperLogNormal", _OWN),
}


def paper_model(name: str, random_state: int | None = None, **params: Any) -> Any:
    """Return an untrained model as the authors' code has it.

    Parameters
    ----------
    name : str
        As in ``make_model``; a model that the paper does not have is ours.
    random_state : int, optional
    **params
        Settings that override the authors'.

    Raises
    ------
    InvalidInput
        If the model has no such setting.

    Examples
    --------
    >>> model = paper_model("deephit", 0)
    >>> type(model).__name__, model.weight_decay, model.patience
    ('PaperDeepHit', 0.1, 10)
    """
    full = model_name(name)
    if full not in _MODELS:
        return make_model(full, random_state, **params)
    module, label, settings = _MODELS[full]
    kind = getattr(import_module(module), label)
    known = list(signature(kind).parameters)
    for param in params:
        if param not in known:
            raise InvalidInput(
                f"{full} has no setting {param!r}; choose among {', '.join(known)}"
            )
    return kind(**{**settings, **params, "random_state": random_state})

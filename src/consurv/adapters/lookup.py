"""Which adapter serves an estimator: a dictionary from library to adapter."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from consurv.adapters.adapter import Adapter
from consurv.adapters.registry import LIBRARIES
from consurv.errors import InvalidInput

__all__ = ["adapter_for", "register_adapter", "risk_adapter_for"]

# The module that defines an estimator's class (or a parent of that module) -> our
# module, imported when first used, whose ADAPTER serves it.
_ADAPTERS: dict[str, str | Adapter] = {
    module: library.adapter for library in LIBRARIES for module in library.modules
}

# What a model of no known library may have instead, the first that is there.
_METHODS = {
    "predict_survival_function": "consurv.adapters.native",
    "predict_surv_df": "consurv.adapters.methods",
    "predict_survival": "consurv.adapters.methods",
    "predict_quantiles": "consurv.adapters.methods",
}

_ACCEPTED = (
    f"a model with {', '.join(_METHODS)}; one of "
    f"{', '.join(library.name for library in LIBRARIES if library.name)}; a "
    "scikit-learn Pipeline, FrozenEstimator or parameter search around one of them; or "
    "a function X -> (times, survival)"
)
# One line that makes curves of any model, for messages.
_WAY_OUT = (
    "If it ranks, FromRisk(model) from consurv.models makes curves of its scores; any "
    "other is wrapped in one line: ConformalSurvival(lambda X: (times, survival of X))"
)


def adapter_for(estimator: Any) -> Adapter:
    """Return the adapter that serves *estimator*.

    The classes that the estimator derives from are looked up by the module that
    defines them, the nearest first. No library is imported that the estimator did
    not bring along.

    Parameters
    ----------
    estimator : object
        A model of one of ``LIBRARIES``, one with ``predict_survival_function``,
        ``predict_surv_df``, ``predict_survival`` or ``predict_quantiles``, a
        scikit-learn ``Pipeline``, ``FrozenEstimator`` or parameter search around one of
        them, or a function X -> (times, survival).

    Returns
    -------
    Adapter

    Raises
    ------
    InvalidInput
        If none fits; the message lists what is accepted.

    Examples
    --------
    >>> type(adapter_for(lambda X: ([1.0, 2.0], [[0.5, 0.1]] * len(X)))).__name__
    'FunctionAdapter'
    """
    if isinstance(estimator, type):
        raise InvalidInput(
            f"estimator is the class {estimator.__name__}, not an instance; give "
            f"{estimator.__name__}(...)"
        )
    adapter = _known(estimator)
    if adapter is not None:
        return adapter
    for method, home in _METHODS.items():
        if hasattr(estimator, method):
            return _load(home)
    if "torch.nn.modules.module" in _modules(type(estimator)):
        raise InvalidInput(
            f"estimator is the bare torch module {type(estimator).__name__}, whose "
            "output does not say what it means; FromTorch(module, output=...) from "
            "consurv.models names it: 'log-hazard', 'pmf', 'hazards', 'survival', "
            "'weibull', ..."
        )
    if callable(estimator):
        return _load("consurv.adapters.function")
    kind = type(estimator)
    raise InvalidInput(
        f"estimator is a {kind.__module__}.{kind.__qualname__}, which gives no "
        f"survival curves; give {_ACCEPTED}. {_WAY_OUT}"
    )


def risk_adapter_for(estimator: Any) -> Adapter:
    """Return the adapter that serves *estimator* as a model that ranks.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> type(risk_adapter_for(LinearRegression())).__name__
    'NativeAdapter'
    """
    adapter = _known(estimator)
    if adapter is not None:
        return adapter
    if hasattr(estimator, "predict"):
        return _load("consurv.adapters.native")
    if callable(estimator) and not isinstance(estimator, type):
        return _load("consurv.adapters.function")
    raise InvalidInput(
        f"model is a {type(estimator).__name__} and gives no risk scores; give a model "
        "with predict or a function X -> scores"
    )


def _known(estimator: Any) -> Adapter | None:
    for module in _modules(type(estimator)):
        if module in _ADAPTERS:
            return _load(_ADAPTERS[module])
    return None


def register_adapter(module: str, adapter: str | Adapter) -> None:
    """Let *adapter* serve every estimator whose class is defined in *module*.

    Parameters
    ----------
    module : str
        A library such as ``"mylib"`` or a part of one such as ``"mylib.survival"``;
        the longest name that fits wins.
    adapter : Adapter or str
        An instance, or the name of a module that holds one called ``ADAPTER`` and is
        imported when it is first needed.

    Examples
    --------
    >>> register_adapter("mylib", "mylib.for_consurv")
    """
    _ADAPTERS[module] = adapter


def _modules(kind: type) -> Iterator[str]:
    """Yield the modules of the class and its parents, each before its packages."""
    for parent in kind.__mro__:
        module = parent.__module__
        while module:
            yield module
            module = module.rpartition(".")[0]


def _load(entry: str | Adapter) -> Adapter:
    if isinstance(entry, Adapter):
        return entry
    adapter: Adapter = import_module(entry).ADAPTER
    return adapter

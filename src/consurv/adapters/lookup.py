"""Which adapter serves an estimator: a dictionary from library to adapter."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from consurv.adapters.adapter import Adapter
from consurv.errors import InvalidInput

__all__ = ["adapter_for", "register_adapter"]

# The module that defines an estimator's class (or a parent of that module) -> our
# module, imported when first used, whose ADAPTER serves it. scikit-learn's entries
# are modules because every estimator in the field derives from sklearn.base.
_ADAPTERS: dict[str, str | Adapter] = {
    "lifelines": "consurv.adapters.lifelines",
    "sklearn.frozen": "consurv.adapters.frozen",
    "sklearn.model_selection": "consurv.adapters.search",
    "sklearn.pipeline": "consurv.adapters.pipeline",
    "sksurv": "consurv.adapters.sksurv",
}

_ACCEPTED = (
    "an estimator with predict_survival_function (ours, scikit-survival's or your "
    "own), a lifelines regression, a scikit-learn Pipeline, FrozenEstimator or "
    "parameter search around one of them, or a function X -> (times, survival)"
)


def adapter_for(estimator: Any) -> Adapter:
    """Return the adapter that serves *estimator*.

    The classes that the estimator derives from are looked up by the module that
    defines them, the nearest first. No library is imported that the estimator did
    not bring along.

    Parameters
    ----------
    estimator : object
        An estimator with ``predict_survival_function``, a scikit-survival estimator, a
        lifelines regression, a scikit-learn ``Pipeline``, ``FrozenEstimator`` or
        parameter search around one of them, or a function X -> (times, survival).

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
    for module in _modules(type(estimator)):
        if module in _ADAPTERS:
            return _load(_ADAPTERS[module])
    if hasattr(estimator, "predict_survival_function"):
        return _load("consurv.adapters.native")
    if "torch.nn.modules.module" in _modules(type(estimator)):
        raise InvalidInput(
            f"estimator is the bare torch module {type(estimator).__name__}, whose "
            "output does not say the times; wrap it in a function X -> (times, "
            "survival) that makes X a tensor and ends in .detach().numpy()"
        )
    if callable(estimator):
        return _load("consurv.adapters.function")
    kind = type(estimator)
    raise InvalidInput(
        f"estimator is a {kind.__module__}.{kind.__qualname__}, which gives no "
        f"survival curves; give {_ACCEPTED}. Any other model can be wrapped in such a "
        "function"
    )


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

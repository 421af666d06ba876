"""Which objects can be kept as data, and which module of ours knows how."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from consurv.errors import InvalidInput
from consurv.keep.classes import is_beneath
from consurv.keep.plain import NotPlain

__all__ = ["Keeper", "Opener"]


@dataclass(frozen=True)
class _Kind:
    """Objects whose class is defined beneath one of ``homes``.

    ``module`` has ``store(value)``, which returns plain values, perhaps with other
    objects inside, or raises NotPlain; and ``restore(state)``.
    """

    homes: tuple[str, ...]
    module: str
    # What is installed under another name than the first part of a home.
    library: str = ""


# Those whose home fits are asked in this order.
_KINDS = {
    "pipeline": _Kind(("sklearn.pipeline",), "consurv.keep.pipeline", "scikit-learn"),
    "frozen": _Kind(("sklearn.frozen",), "consurv.keep.frozen", "scikit-learn"),
    "search": _Kind(
        ("sklearn.model_selection",), "consurv.keep.search", "scikit-learn"
    ),
    "sklearn": _Kind(("sklearn",), "consurv.keep.skops", "scikit-learn"),
    "sksurv": _Kind(("sksurv",), "consurv.keep.skops", "scikit-survival"),
    "consurv": _Kind(("consurv",), "consurv.keep.own"),
    "lifelines": _Kind(("lifelines",), "consurv.keep.lifelines"),
    "xgboost": _Kind(("xgboost",), "consurv.keep.xgboost"),
    "catboost": _Kind(("catboost",), "consurv.keep.catboost"),
    "lightgbm": _Kind(("lightgbm",), "consurv.keep.lightgbm"),
    "torch": _Kind(
        (
            "torch.nn.modules",
            "torchtuples.practical",
            "pycox.models.cox_time",
            "consurv",
        ),
        "consurv.keep.torch",
    ),
    "pycox": _Kind(("pycox",), "consurv.keep.pycox"),
    "skpro": _Kind(("skpro",), "consurv.keep.skpro"),
    "pandas": _Kind(("pandas",), "consurv.keep.pandas"),
    "generator": _Kind(("numpy.random",), "consurv.keep.generator", "numpy"),
}


@dataclass
class Keeper:
    """Says how objects are told as plain values, for ``dump_plain``.

    Parameters
    ----------
    trust : bool
        Pickle what cannot be told in another way, rather than refuse it.

    Attributes
    ----------
    libraries : set of str
        Those whose objects were met.
    pickled : list of str
        What was pickled.
    """

    trust: bool = False
    libraries: set[str] = field(default_factory=set)
    pickled: list[str] = field(default_factory=list)

    def forms(self, value: Any) -> Iterator[tuple[str, Any]]:
        """Yield pairs of a word and a state, the best first."""
        found = type(value)
        reason = f"consurv knows no other form of a {_name(value)}"
        for word, kind in _fitting(found.__module__):
            try:
                state = import_module(kind.module).store(value)
            except NotPlain as error:
                reason = str(error)
                continue
            self.libraries.add(kind.library or found.__module__.partition(".")[0])
            yield word, state
            reason = "something inside has no other form"
        yield "pickle", self._pickle(value, reason)

    def _pickle(self, value: Any, reason: str) -> bytes:
        name = _name(value)
        if not self.trust:
            raise InvalidInput(
                f"{name} can only be kept by pickle ({reason}), and a pickle can run "
                "any code when it is read; give trust=True to keep it nevertheless"
            )
        try:
            content = pickle.dumps(value)
        except Exception as error:  # whatever a foreign object makes of it
            raise InvalidInput(
                f"{name} cannot be kept, not even by pickle ({error}); a function or "
                "class must stand in a module that can be imported"
            ) from error
        self.pickled.append(name)
        return content


@dataclass
class Opener:
    """Makes objects of what a Keeper told of them, for ``load_plain``."""

    trust: bool = False

    def restore(self, word: str, state: Any) -> Any:
        """Return the object."""
        if word == "pickle":
            if not self.trust:
                raise InvalidInput(
                    "it holds a pickle, which can run any code when it is read; give "
                    "trust=True if you trust who made it"
                )
            return pickle.loads(state)
        if word not in _KINDS:
            raise ValueError(f"it has an object {word!r}, which this consurv knows not")
        return import_module(_KINDS[word].module).restore(state)


def _fitting(module: str) -> Iterator[tuple[str, _Kind]]:
    for word, kind in _KINDS.items():
        if is_beneath(module, kind.homes):
            yield word, kind


def _name(value: Any) -> str:
    return str(getattr(value, "__name__", type(value).__name__))

"""Models and transformers of scikit-learn and scikit-survival, by skops."""

from __future__ import annotations

from typing import Any

from consurv.errors import MissingDependency
from consurv.keep.classes import find_class
from consurv.keep.plain import NotPlain

try:
    from skops import io
except ImportError as error:
    raise MissingDependency("skops", "keep") from error

__all__ = ["restore", "store"]

# Beside what skops itself trusts: classes, never functions, of these.
_ALSO = ("numpy.dtype", "scipy.optimize._optimize.OptimizeResult")
_HOMES = ("sklearn", "sksurv", "consurv")


def store(value: Any) -> Any:
    """Return the bytes of skops, if they hold nothing foreign."""
    try:
        content = io.dumps(value)
    except Exception as error:  # whatever an attribute of it makes of it
        raise NotPlain(f"skops cannot keep it: {error}") from error
    for name in io.get_untrusted_types(data=content):
        if not _is_known(name):
            raise NotPlain(f"there is a {name} in it")
    return content


def restore(state: Any) -> Any:
    """Return the model; nothing is imported but what was named above."""
    names = io.get_untrusted_types(data=state)
    for name in names:
        if not _is_known(name):
            raise ValueError(f"it names {name!r}, which is no class for a model")
    return io.loads(state, trusted=names)


def _is_known(name: str) -> bool:
    if name in _ALSO:
        return True
    try:
        find_class(name, _HOMES)
    except ValueError:
        return False
    return True

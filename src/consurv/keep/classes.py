"""Classes by their names, of the libraries that are meant and no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, TypeGuard

__all__ = ["KeptByAttributes", "class_path", "find_class", "is_beneath", "rebuild"]


def class_path(kind: type[Any]) -> str:
    """Return the name of a class with its module.

    Examples
    --------
    >>> class_path(ValueError)
    'builtins.ValueError'
    """
    return f"{kind.__module__}.{kind.__qualname__}"


def is_beneath(name: str, homes: Iterable[str]) -> bool:
    """Say whether a dotted name is one of *homes* or below one.

    Examples
    --------
    >>> is_beneath("torch.nn.modules.linear", ["torch.nn"]), is_beneath("ab", ["a"])
    (True, False)
    """
    return any(name == home or name.startswith(home + ".") for home in homes)


def find_class(path: Any, homes: Iterable[str], base: type[Any] = object) -> type[Any]:
    """Return the class that a stored name means; it is anybody's name.

    Parameters
    ----------
    path : str
    homes : iterable of str
        Modules; nothing else is imported.
    base : type
        What it must derive from.

    Raises
    ------
    ValueError
        If it is no such class.

    Examples
    --------
    >>> find_class("json.decoder.JSONDecoder", ["json"]).__name__
    'JSONDecoder'
    >>> find_class("os.system", ["json"])
    Traceback (most recent call last):
    ...
    ValueError: it names 'os.system', which is no class for a model
    """
    module, _, name = str(path).rpartition(".")
    if is_beneath(module, homes):
        try:
            kind = getattr(import_module(module), name, None)
        except ImportError:
            kind = None
        # Defined there, not merely imported.
        if _is_own(kind, str(path)) and issubclass(kind, base):
            return kind
    raise ValueError(f"it names {path!r}, which is no class for a model")


def _is_own(kind: Any, path: str) -> TypeGuard[type[Any]]:
    return isinstance(kind, type) and class_path(kind) == path


class KeptByAttributes:
    """A class of ours whose instances are kept by their attributes as they are."""

    def to_kept(self) -> dict[str, Any]:
        """Return the attributes, for a file."""
        return dict(vars(self))

    @classmethod
    def from_kept(cls, state: Mapping[str, Any]) -> Any:
        """Return an instance with these attributes."""
        return rebuild(cls, state)


def rebuild(kind: type[Any], state: Mapping[str, Any]) -> Any:
    """Return an instance with these attributes, whose constructor does not run."""
    if any(name.startswith("__") for name in state):
        raise ValueError("it sets what no model sets")
    made: Any = object.__new__(kind)
    made.__dict__.update(state)
    return made

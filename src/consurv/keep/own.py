"""Our own objects, which say themselves what they are made of.

A class of ours that can be kept has ``to_kept()``, which returns plain values or other
objects that can be kept, by name, and ``from_kept(state)``, which checks them.
"""

from __future__ import annotations

from typing import Any

from consurv.keep.classes import class_path, find_class
from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]


def store(value: Any) -> Any:
    """Return the class of an object and what it says of itself."""
    if not hasattr(value, "to_kept"):
        raise NotPlain(f"{type(value).__qualname__} does not say how it is kept")
    return {"class": class_path(type(value)), "state": value.to_kept()}


def restore(state: Any) -> Any:
    """Return the object."""
    kind = find_class(state["class"], ["consurv"])
    if not hasattr(kind, "from_kept"):
        raise ValueError(f"it names {state['class']!r}, which cannot be kept")
    return kind.from_kept(state["state"])

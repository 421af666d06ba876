"""Values as bytes that are data and nothing else: JSON and bare arrays.

Nothing that is read can run: there are no names of classes or functions in it, and no
array can be larger than the bytes that hold it.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NotPlain", "dump_plain", "load_plain"]

_LENGTH = struct.Struct("<Q")
_INTEGERS = ("|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8")
_DTYPES = frozenset(["|b1", *_INTEGERS, "<f2", "<f4", "<f8"])
_NESTED = 20
# What a value of another kind than expected ends in.
_BROKEN = (struct.error, TypeError, AttributeError, OverflowError, RecursionError)


class NotPlain(TypeError):  # noqa: N818  (reads as a sentence)
    """A value is neither text, number, array nor a collection of such."""


def dump_plain(value: Any) -> bytes:
    """Return a value as bytes.

    Parameters
    ----------
    value : None, bool, int, float, str, array, list, tuple or dict of these
        Keys are text; arrays hold numbers or text.

    Raises
    ------
    NotPlain
        If there is something else in it.

    Examples
    --------
    >>> load_plain(dump_plain({"a": (1, np.arange(2)), "b": [None, "text"]}))
    {'a': (1, array([0, 1])), 'b': [None, 'text']}
    """
    arrays: list[bytes] = []
    text = json.dumps(_node(value, arrays, 0)).encode()
    return b"".join([_LENGTH.pack(len(text)), text, *arrays])


def load_plain(content: bytes) -> Any:
    """Return what `dump_plain` was given, bit for bit.

    Raises
    ------
    ValueError
        If the bytes are something else.
    """
    try:
        (n,) = _LENGTH.unpack_from(content)
        start = _LENGTH.size + n
        if start > len(content):
            raise ValueError("it is cut short")
        node = json.loads(content[_LENGTH.size : start])
        return _Reader(content, start).value(node)
    except _BROKEN as error:
        raise ValueError(f"it is not in the form of stored values ({error})") from error


def _node(value: Any, arrays: list[bytes], depth: int) -> Any:
    """Return JSON for a value; lists and dicts become pairs of a word and content."""
    if depth > _NESTED:
        raise NotPlain("nested too deeply")
    if isinstance(value, np.ndarray | np.generic):
        return _array_node(value, arrays)
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple):
        parts = [_node(part, arrays, depth + 1) for part in value]
        return [type(value).__name__, parts]
    if type(value) is dict and all(type(key) is str for key in value):
        items = {key: _node(part, arrays, depth + 1) for key, part in value.items()}
        return ["dict", items]
    raise NotPlain(f"{type(value).__module__}.{type(value).__qualname__}")


def _array_node(value: Any, arrays: list[bytes]) -> Any:
    array = np.asarray(value)
    if array.dtype == object:
        if array.ndim != 1 or not all(type(cell) is str for cell in array):
            raise NotPlain("an array of objects")
        return ["texts", array.tolist()]
    if array.dtype.str not in _DTYPES:
        raise NotPlain(f"an array of {array.dtype}")
    # Products of matrices round differently in another order of memory.
    turned = array.flags.f_contiguous and not array.flags.c_contiguous
    arrays.append(array.tobytes("F" if turned else "C"))
    word = "array" if isinstance(value, np.ndarray) else "scalar"
    return [word, [array.dtype.str, list(array.shape), "F" if turned else "C"]]


class _Reader:
    """Turns nodes into values; arrays follow each other in the order of the nodes."""

    def __init__(self, content: bytes, start: int) -> None:
        self._content, self._at = content, start

    def value(self, node: Any, depth: int = 0) -> Any:
        if node is None or type(node) in (bool, int, float, str):
            return node
        if depth > _NESTED:
            raise ValueError("it is nested too deeply")
        word, content = node
        if word in ("list", "tuple"):
            parts = [self.value(part, depth + 1) for part in content]
            return parts if word == "list" else tuple(parts)
        if word == "dict":
            return {key: self.value(part, depth + 1) for key, part in content.items()}
        if word == "texts":
            if not all(type(cell) is str for cell in content):
                raise ValueError("it has an array of objects")
            return np.array(content, dtype=object)
        if word in ("array", "scalar"):
            array = self._array(*content)
            return array if word == "array" else array[()]
        raise ValueError(f"it has an unknown part {word!r}")

    def _array(self, kind: str, shape: list[int], order: str) -> NDArray[Any]:
        if kind not in _DTYPES or order not in ("C", "F"):
            raise ValueError(f"it has an array of {kind!r}")
        if not all(type(n) is int and 0 <= n <= len(self._content) for n in shape):
            raise ValueError(f"it has an array of shape {shape!r}")
        dtype, size = np.dtype(kind), 1
        for n in shape:
            size *= n
        end = self._at + size * dtype.itemsize
        if end > len(self._content):
            raise ValueError("it is cut short")
        flat = np.frombuffer(self._content, dtype, size, self._at if size else 0)
        self._at = end
        ordered: NDArray[Any] = flat.reshape(shape, order="F" if order == "F" else "C")
        return ordered.copy(order="K")

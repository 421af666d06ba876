"""Values as bytes that are data and nothing else: JSON and bare arrays.

Nothing that is read can run: there are no names of classes or functions in it but those
that the caller's own reader of objects knows, and no array can be larger than the bytes
that hold it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NotPlain", "dump_plain", "load_plain"]

_LENGTH = struct.Struct("<Q")
_INTEGERS = ("|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8")
_DTYPES = frozenset(["|b1", *_INTEGERS, "<f2", "<f4", "<f8"])
_NESTED = 60
# What a value of another kind than expected ends in.
_BROKEN = (struct.error, TypeError, AttributeError, OverflowError, RecursionError)

# Ways to tell an object by a word and a value, the first that is plain is taken.
Forms = Callable[[Any], Iterable[tuple[str, Any]]]
Restore = Callable[[str, Any], Any]


class NotPlain(TypeError):  # noqa: N818  (reads as a sentence)
    """A value is neither text, number, array nor a collection of such."""


def dump_plain(value: Any, forms: Forms | None = None) -> bytes:
    """Return a value as bytes.

    Parameters
    ----------
    value : None, bool, int, float, str, bytes, array, list, tuple or dict of these
        Keys are text; arrays hold numbers or text.
    forms : function, optional
        Gives for any other object pairs of a word and a value to tell it by.

    Raises
    ------
    NotPlain
        If there is something else in it.

    Examples
    --------
    >>> load_plain(dump_plain({"a": (1, np.arange(2)), "b": [None, "text"]}))
    {'a': (1, array([0, 1])), 'b': [None, 'text']}
    """
    writer = _Writer(forms or _no_forms)
    text = json.dumps(writer.node(value, 0)).encode()
    return b"".join([_LENGTH.pack(len(text)), text, *writer.parts])


def load_plain(content: bytes, restore: Restore | None = None) -> Any:
    """Return what `dump_plain` was given, bit for bit.

    Parameters
    ----------
    content : bytes
        May be anybody's.
    restore : function, optional
        Makes an object of the word and the value that ``forms`` gave.

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
    except _BROKEN as error:
        raise _odd(error) from error
    return _Reader(content, start, restore or _no_objects).value(node)


def _odd(error: Exception) -> ValueError:
    return ValueError(f"it is not in the form of stored values ({error})")


def _no_forms(value: Any) -> Iterable[tuple[str, Any]]:
    raise NotPlain(f"{type(value).__module__}.{type(value).__qualname__}")


def _no_objects(word: str, value: Any) -> Any:
    raise ValueError(f"it has an object {word!r}")


class _Writer:
    """Turns values into nodes; bytes of arrays gather in ``parts``."""

    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self.parts: list[bytes] = []

    def node(self, value: Any, depth: int) -> Any:
        """Return JSON for a value; all but numbers and text is a word and content."""
        if depth > _NESTED:
            raise NotPlain("nested too deeply")
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value)
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) in (list, tuple):
            parts = [self.node(part, depth + 1) for part in value]
            return [type(value).__name__, parts]
        if type(value) is dict and all(type(key) is str for key in value):
            return [
                "dict",
                {k: self.node(part, depth + 1) for k, part in value.items()},
            ]
        if type(value) is bytes:
            self.parts.append(value)
            return ["bytes", len(value)]
        return self._object(value, depth)

    def _object(self, value: Any, depth: int) -> Any:
        reason = NotPlain(f"{type(value).__module__}.{type(value).__qualname__}")
        before = len(self.parts)
        for word, state in self._forms(value):
            try:
                return ["object", [word, self.node(state, depth + 1)]]
            except NotPlain as error:
                reason = error
                del self.parts[before:]
        raise reason

    def _array(self, value: Any) -> Any:
        array = np.asarray(value)
        if array.dtype == object:
            if array.ndim != 1 or not all(type(cell) is str for cell in array):
                raise NotPlain("an array of objects")
            return ["texts", array.tolist()]
        if array.dtype.kind == "U" and array.ndim == 1:
            return ["words", array.tolist()]
        if array.dtype.str not in _DTYPES:
            raise NotPlain(f"an array of {array.dtype}")
        # Products of matrices round differently in another order of memory.
        turned = array.flags.f_contiguous and not array.flags.c_contiguous
        self.parts.append(array.tobytes("F" if turned else "C"))
        word = "array" if isinstance(value, np.ndarray) else "scalar"
        return [word, [array.dtype.str, list(array.shape), "F" if turned else "C"]]


class _Reader:
    """Turns nodes into values; arrays follow each other in the order of the nodes."""

    def __init__(self, content: bytes, start: int, restore: Restore) -> None:
        self._content, self._at, self._restore = content, start, restore

    def value(self, node: Any, depth: int = 0) -> Any:
        if node is None or type(node) in (bool, int, float, str):
            return node
        if depth > _NESTED:
            raise ValueError("it is nested too deeply")
        try:
            word, content = node
            read = _READERS[word]
        except (TypeError, ValueError) as error:
            raise _odd(error) from error
        except KeyError as error:
            raise ValueError(f"it has an unknown part {word!r}") from error
        try:
            return read(self, content, depth + 1)
        except _BROKEN as error:
            if word == "object":  # what a library says of it
                raise
            raise _odd(error) from error

    def _list(self, content: Any, depth: int) -> list[Any]:
        return [self.value(part, depth) for part in content]

    def _tuple(self, content: Any, depth: int) -> tuple[Any, ...]:
        return tuple(self._list(content, depth))

    def _dict(self, content: Any, depth: int) -> dict[str, Any]:
        return {key: self.value(part, depth) for key, part in content.items()}

    def _object(self, content: Any, depth: int) -> Any:
        word, state = content
        return self._restore(word, self.value(state, depth))

    def _texts(self, content: Any, depth: int) -> NDArray[Any]:
        if not all(type(cell) is str for cell in content):
            raise ValueError("it has an array of objects")
        return np.array(content, dtype=object)

    def _words(self, content: Any, depth: int) -> NDArray[Any]:
        return self._texts(content, depth).astype(str)

    def _bytes(self, size: Any, depth: int) -> bytes:
        return self._content[self._take(size) : self._at]

    def _array(self, content: Any, depth: int) -> NDArray[Any]:
        kind, shape, order = content
        if kind not in _DTYPES or order not in ("C", "F"):
            raise ValueError(f"it has an array of {kind!r}")
        if not all(type(n) is int and 0 <= n <= len(self._content) for n in shape):
            raise ValueError(f"it has an array of shape {shape!r}")
        dtype, size = np.dtype(kind), 1
        for n in shape:
            size *= n
        start = self._take(size * dtype.itemsize)
        flat = np.frombuffer(self._content, dtype, size, start if size else 0)
        ordered: NDArray[Any] = flat.reshape(shape, order="F" if order == "F" else "C")
        return ordered.copy(order="K")

    def _scalar(self, content: Any, depth: int) -> Any:
        return self._array(content, depth)[()]

    def _take(self, size: Any) -> int:
        """Step over so many bytes; return where they begin."""
        if type(size) is not int or not 0 <= size <= len(self._content) - self._at:
            raise ValueError("it is cut short")
        self._at += size
        return self._at - size


_READERS: dict[str, Callable[[_Reader, Any, int], Any]] = {
    "list": _Reader._list,
    "tuple": _Reader._tuple,
    "dict": _Reader._dict,
    "object": _Reader._object,
    "texts": _Reader._texts,
    "words": _Reader._words,
    "bytes": _Reader._bytes,
    "array": _Reader._array,
    "scalar": _Reader._scalar,
}

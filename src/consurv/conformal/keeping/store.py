"""Save and load adjustments as JSON or NumPy archives: data only, no code inside."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from consurv._files import write_atomically
from consurv._warnings import warn
from consurv.conformal.adjustments import ADJUSTMENTS, Adjustment
from consurv.errors import InvalidInput

__all__ = [
    "adjustment_of_bytes",
    "bytes_of_adjustment",
    "load_adjustment",
    "save_adjustment",
]

# Version 3 has a checksum; 0.1.0 wrote version 2, and before that version 1, which knew
# shifts only and did not say so.
FORMAT, VERSION = "consurv-adjustment", 3
# Bytes, and bytes of a single array once it is unpacked: far more than any adjustment.
_MAX_FILE, _MAX_ARRAY = 1 << 26, 1 << 26

Values = dict[str, Any]


def save_adjustment(adjustment: Adjustment, path: str | os.PathLike[str]) -> None:
    """Write an adjustment to a ``.json`` or ``.npz`` file.

    The file appears whole or not at all. The model itself is not saved; keep it with
    the tools of its library.

    Parameters
    ----------
    adjustment : Adjustment
        As ``ConformalSurvival.adjustment_`` gives it.
    path : path-like
        The ending chooses the form.

    Examples
    --------
    >>> import tempfile, os
    >>> from consurv import ConformalSurvival, Outcome
    >>> y = Outcome(time=[1, 2, 3, 4], event=[1, 1, 0, 1])
    >>> model = ConformalSurvival(lambda X: ([2.0, 4.0], [[0.5, 0.1]] * len(X)),
    ...                           percentiles=3, censoring="kaplan-meier")
    >>> _ = model.conformalize(np.zeros((4, 1)), y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "adjustment.json")
    ...     save_adjustment(model.adjustment_, path)
    ...     load_adjustment(path).shifts
    array([-0.75,  0.  ,  0.  ])
    """
    target = Path(path)
    write_atomically(target, _form(target).write(*_parts(adjustment)))


def bytes_of_adjustment(adjustment: Adjustment) -> bytes:
    """Return what ``save_adjustment`` writes to an ``.npz`` file."""
    return _write_npz(*_parts(adjustment))


def adjustment_of_bytes(content: bytes) -> Adjustment:
    """Return the adjustment that ``bytes_of_adjustment`` was given."""
    return _build(_read_npz(content))


def _parts(adjustment: Adjustment) -> tuple[Values, Values]:
    values = {"adjustment": adjustment.kind, **adjustment.to_stored()}
    arrays = {k: v for k, v in values.items() if isinstance(v, np.ndarray)}
    head = {k: v for k, v in values.items() if k not in arrays}
    head = {"format": FORMAT, "version": VERSION, **head}
    head["checksum"] = _checksum(head, arrays)
    return head, arrays


def load_adjustment(path: str | os.PathLike[str]) -> Adjustment:
    """Read an adjustment that ``save_adjustment`` wrote.

    Raises
    ------
    InvalidInput
        If the file is damaged, is something else, or comes from a later version.

    Warns
    -----
    CalibrationWarning
        If consurv 0.1.0 wrote it: such a file has no checksum.

    Examples
    --------
    ``ConformalSurvival(fitted).restore(load_adjustment("adjustment.json"))`` takes it
    back; see ``save_adjustment``. What is no such file is refused:

    >>> load_adjustment("README.md")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: ...
    """
    source = Path(path)
    form = _form(source)
    try:
        values = form.read(_content(source))
        return _build(values)
    except InvalidInput as error:
        raise InvalidInput(f"{source} cannot be used: {error}") from error
    except _BROKEN as error:
        raise InvalidInput(
            f"{source} is damaged or not an adjustment of consurv ({error}); save it "
            "again"
        ) from error


# What bytes that are no adjustment may end in.
_BROKEN = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


def _content(source: Path) -> bytes:
    try:
        with source.open("rb") as file:
            content = file.read(_MAX_FILE + 1)
    except FileNotFoundError as error:
        raise InvalidInput("there is no such file") from error
    except OSError as error:
        raise InvalidInput(f"it cannot be read ({error.strerror})") from error
    if len(content) > _MAX_FILE:
        raise InvalidInput(f"it has more than {_MAX_FILE >> 20} MiB, no adjustment has")
    return content


def _build(values: Values) -> Adjustment:
    if values.get("format") != FORMAT:
        raise InvalidInput(f"its format is {values.get('format')!r}, not {FORMAT!r}")
    version = values.get("version")
    if version in (1, 2):
        values = _from_earlier(values)
    elif version != VERSION:
        raise InvalidInput(
            f"its version is {version!r}, this consurv reads 1 to {VERSION}; update "
            "consurv or save the adjustment again"
        )
    else:
        _check_sum(values)
    kind = values.get("adjustment")
    if not isinstance(kind, str) or kind not in ADJUSTMENTS:
        raise InvalidInput(
            f"it adjusts {kind!r}, which is none of {', '.join(ADJUSTMENTS)}; register "
            "a kind of your own before loading"
        )
    adjustment = ADJUSTMENTS[kind].from_stored(values)
    if version != VERSION:
        warn(
            "this adjustment was saved by consurv 0.1.0 and has no checksum; save it "
            "again to be safe from damage"
        )
    return adjustment


def _from_earlier(values: Values) -> Values:
    """Return a file of 0.1.0 as it would be written now."""
    first = {"adjustment": "time"} if values["version"] == 1 else {}
    found = {**values, **first}
    # Not all files say which levels the data leave open.
    found.setdefault("identified", np.ones(len(found.get("levels", ()))))
    return found


def _check_sum(values: Values) -> None:
    head = {k: v for k, v in values.items() if not isinstance(v, np.ndarray | list)}
    arrays = {k: np.asarray(v) for k, v in values.items() if k not in head}
    stated = head.pop("checksum", None)
    if stated != _checksum(head, arrays):
        raise InvalidInput("its checksum is wrong: it was changed or damaged")


def _checksum(head: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash of all values, the same for both forms of a file."""
    plain = {name: _numbers(array) for name, array in arrays.items()}
    text = json.dumps({**head, **plain}, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _numbers(array: NDArray[Any]) -> list[float]:
    """Return an array as floats: booleans and integers compare equal in any form."""
    numbers: list[float] = array.astype(np.float64).tolist()
    return numbers


def _write_json(head: Values, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    plain = {name: array.tolist() for name, array in arrays.items()}
    return (json.dumps(head | plain, allow_nan=False, indent=1) + "\n").encode()


def _read_json(content: bytes) -> Values:
    values = json.loads(content)
    if not isinstance(values, dict):
        raise InvalidInput(f"it holds a {type(values).__name__}, not an object")
    return values


def _write_npz(head: Values, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    text = np.array(json.dumps(head, allow_nan=False))
    # Not by allow_pickle=False, which NumPy 1 would write as one more array.
    if any(array.dtype.hasobject for array in arrays.values()):
        raise InvalidInput("an adjustment holds objects, which would be pickled")
    named: dict[str, Any] = {"head": text, **arrays}
    np.savez_compressed(buffer, **named)
    return buffer.getvalue()


def _read_npz(content: bytes) -> Values:
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            arrays[name.removesuffix(".npy")] = _read_array(archive, name)
    return _read_json(str(arrays.pop("head")).encode()) | arrays


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """Read an array, no more than is sensible whatever its header says."""
    with archive.open(name) as file:
        unpacked = file.read(_MAX_ARRAY + 1)
    if len(unpacked) > _MAX_ARRAY:
        raise InvalidInput(f"{name} has more than {_MAX_ARRAY >> 20} MiB")
    stream = io.BytesIO(unpacked)
    version = np.lib.format.read_magic(stream)
    shape, _, dtype = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[version](stream)
    if int(np.prod(shape, dtype=object)) * dtype.itemsize > len(unpacked):
        raise InvalidInput(f"the header of {name} speaks of more than there is")
    stream.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array


class _Form(NamedTuple):
    read: Callable[[bytes], Values]
    write: Callable[[Values, Mapping[str, NDArray[Any]]], bytes]


_FORMS = {".json": _Form(_read_json, _write_json), ".npz": _Form(_read_npz, _write_npz)}


def _form(path: Path) -> _Form:
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise InvalidInput(f"{path.name!r} must end in {' or '.join(_FORMS)}")
    return form

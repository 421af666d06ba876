"""Save and load adjustments as JSON or NumPy archives: data only, no code inside."""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import as_floats, as_levels, check_same_length
from consurv._params import AtLeast, Constraints, InstanceOf, OneOf, check_params
from consurv.conformal.adjustment import Adjustment
from consurv.conformal.levels import LevelResult
from consurv.conformal.shifts import ShiftResult
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.curves.rearrange import REARRANGEMENTS
from consurv.errors import InvalidInput

__all__ = ["load_adjustment", "save_adjustment"]

# Version 1 knew shifts only and did not say so.
FORMAT, VERSION = "consurv-adjustment", 2

# One value for each level, by what is adjusted.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "time": ("levels", "shifts", "n_subjects", "beyond"),
    "level": ("levels", "adjusted_levels", "beyond"),
}
_COUNTS = ("times", "at_risk", "events")
_SETTINGS: Constraints = {
    "n_conformal": AtLeast(2),
    "conformal_set": InstanceOf(str),
    "censoring": InstanceOf(str),
    "n_samples": (OneOf(None), AtLeast(1)),
    "rearrange": OneOf(*REARRANGEMENTS),
}
_SETTINGS_OF: Mapping[str, Constraints] = {
    "time": {"n_infinite": AtLeast(0), **_SETTINGS},
    "level": _SETTINGS,
}


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
    ...     load_adjustment(path).result.shifts
    array([-0.75,  0.  ,  0.  ])
    """
    target = Path(path)
    settings = ("conformal_set", "censoring", "n_samples", "rearrange")
    values: dict[str, Any] = {
        "adjustment": adjustment.kind,
        **vars(adjustment.result),
        **adjustment.kaplan_meier.to_arrays(),
        **{name: getattr(adjustment, name) for name in settings},
    }
    _, write = _form(target)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(write(values))
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def load_adjustment(path: str | os.PathLike[str]) -> Adjustment:
    """Read an adjustment that ``save_adjustment`` wrote.

    Raises
    ------
    InvalidInput
        If the file is damaged, is something else, or comes from a later version.
    """
    source = Path(path)
    read, _ = _form(source)
    try:
        values = read(source.read_bytes())
    except FileNotFoundError as error:
        raise InvalidInput(f"there is no file {source}") from error
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError) as error:
        raise InvalidInput(
            f"{source} is damaged or not an adjustment of consurv: {error}"
        ) from error
    try:
        return _build(values)
    except InvalidInput as error:
        raise InvalidInput(f"{source} cannot be used: {error}") from error


def _build(values: Mapping[str, Any]) -> Adjustment:
    if values.get("format") != FORMAT:
        raise InvalidInput(f"its format is {values.get('format')!r}, not {FORMAT!r}")
    kind = _kind(values)
    settings, columns = _SETTINGS_OF[kind], _COLUMNS[kind]
    missing = [n for n in (*columns, *_COUNTS, *settings) if n not in values]
    if missing:
        raise InvalidInput(f"it lacks {', '.join(missing)}")
    check_params(values, settings)
    arrays = {name: as_floats(values[name], name) for name in (*columns, *_COUNTS)}
    check_same_length(**{name: len(arrays[name]) for name in columns})
    return Adjustment(
        result=_BUILDERS[kind](arrays, values),
        kaplan_meier=KaplanMeier.from_arrays(*(arrays[name] for name in _COUNTS)),
        conformal_set=values["conformal_set"],
        censoring=values["censoring"],
        n_samples=values["n_samples"],
        rearrange=values["rearrange"],
    )


def _kind(values: Mapping[str, Any]) -> str:
    """Return what is adjusted, once it is sure that this version can be read."""
    version = values.get("version")
    if version == 1:
        return "time"
    if version != VERSION:
        raise InvalidInput(
            f"its version is {version!r}, this consurv reads 1 to {VERSION}; update "
            "consurv or save the adjustment again"
        )
    kind = values.get("adjustment")
    if kind not in _COLUMNS:
        raise InvalidInput(
            f"it adjusts {kind!r}, which is neither of {', '.join(_COLUMNS)}"
        )
    return str(kind)


def _shift_result(
    arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]
) -> ShiftResult:
    # Version 1 did not know levels that the data leave open.
    identified = as_floats(
        values.get("identified", np.ones_like(arrays["levels"])), "identified"
    )
    check_same_length(levels=len(arrays["levels"]), identified=len(identified))
    return ShiftResult(
        levels=as_levels(arrays["levels"]),
        shifts=arrays["shifts"],
        n_subjects=arrays["n_subjects"].astype(np.intp),
        beyond=arrays["beyond"].astype(bool),
        identified=identified.astype(bool),
        n_infinite=values["n_infinite"],
        n_conformal=values["n_conformal"],
    )


def _level_result(
    arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]
) -> LevelResult:
    adjusted = arrays["adjusted_levels"]
    if adjusted.min() < 0 or adjusted.max() > 1:
        raise InvalidInput(f"adjusted_levels leave [0, 1]: {adjusted.tolist()}")
    return LevelResult(
        levels=as_levels(arrays["levels"]),
        adjusted_levels=adjusted,
        beyond=arrays["beyond"].astype(bool),
        n_conformal=values["n_conformal"],
    )


_BUILDERS: Mapping[str, Callable[..., ShiftResult | LevelResult]] = {
    "time": _shift_result,
    "level": _level_result,
}


def _write_json(values: Mapping[str, Any]) -> bytes:
    plain = {
        k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in values.items()
    }
    head = {"format": FORMAT, "version": VERSION}
    return (json.dumps(head | plain, allow_nan=False, indent=1) + "\n").encode()


def _read_json(content: bytes) -> dict[str, Any]:
    values = json.loads(content)
    if not isinstance(values, dict):
        raise ValueError(f"it holds a {type(values).__name__}, not an object")
    return values


def _write_npz(values: Mapping[str, Any]) -> bytes:
    arrays = {k: v for k, v in values.items() if isinstance(v, np.ndarray)}
    settings = {k: v for k, v in values.items() if k not in arrays}
    head = {"format": FORMAT, "version": VERSION} | settings
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, allow_pickle=False, head=np.array(json.dumps(head)), **arrays
    )
    return buffer.getvalue()


def _read_npz(content: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays: dict[str, NDArray[Any]] = dict(archive)
    return _read_json(str(arrays.pop("head")).encode()) | arrays


_FORMS: Mapping[
    str,
    tuple[Callable[[bytes], dict[str, Any]], Callable[[Mapping[str, Any]], bytes]],
] = {".json": (_read_json, _write_json), ".npz": (_read_npz, _write_npz)}


def _form(
    path: Path,
) -> tuple[Callable[[bytes], dict[str, Any]], Callable[[Mapping[str, Any]], bytes]]:
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise InvalidInput(f"{path.name!r} must end in {' or '.join(_FORMS)}")
    return form


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

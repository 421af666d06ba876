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
from consurv._params import AtLeast, InstanceOf, OneOf, Rule, check_params
from consurv.conformal.adjustment import Adjustment
from consurv.conformal.shifts import ShiftResult
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.curves.rearrange import REARRANGEMENTS
from consurv.errors import InvalidInput

__all__ = ["load_adjustment", "save_adjustment"]

FORMAT, VERSION = "consurv-adjustment", 1

_ARRAYS = ("levels", "shifts", "n_subjects", "beyond", "times", "at_risk", "events")
_SETTINGS: Mapping[str, Rule | tuple[Rule, ...]] = {
    "n_infinite": AtLeast(0),
    "n_conformal": AtLeast(2),
    "conformal_set": InstanceOf(str),
    "censoring": InstanceOf(str),
    "n_samples": (OneOf(None), AtLeast(1)),
    "rearrange": OneOf(*REARRANGEMENTS),
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
    ...                           percentiles=3)
    >>> _ = model.conformalize(np.zeros((4, 1)), y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "adjustment.json")
    ...     save_adjustment(model.adjustment_, path)
    ...     load_adjustment(path).result.shifts
    array([-0.75,  0.  ,  0.  ])
    """
    target = Path(path)
    result, km = adjustment.result, adjustment.kaplan_meier
    values: dict[str, Any] = {
        "levels": result.levels,
        "shifts": result.shifts,
        "n_subjects": result.n_subjects,
        "beyond": result.beyond,
        **km.to_arrays(),
        "n_infinite": result.n_infinite,
        "n_conformal": result.n_conformal,
        "conformal_set": adjustment.conformal_set,
        "censoring": adjustment.censoring,
        "n_samples": adjustment.n_samples,
        "rearrange": adjustment.rearrange,
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
    if values.get("version") != VERSION:
        raise InvalidInput(
            f"its version is {values.get('version')!r}, this consurv reads {VERSION}; "
            "update consurv or save the adjustment again"
        )
    missing = [n for n in (*_ARRAYS, *_SETTINGS) if n not in values]
    if missing:
        raise InvalidInput(f"it lacks {', '.join(missing)}")
    check_params(values, _SETTINGS)
    arrays = {name: as_floats(values[name], name) for name in _ARRAYS}
    columns = ("levels", "shifts", "n_subjects", "beyond")
    check_same_length(**{name: len(arrays[name]) for name in columns})
    result = ShiftResult(
        levels=as_levels(arrays["levels"]),
        shifts=arrays["shifts"],
        n_subjects=arrays["n_subjects"].astype(np.intp),
        beyond=arrays["beyond"].astype(bool),
        n_infinite=values["n_infinite"],
        n_conformal=values["n_conformal"],
    )
    km = KaplanMeier.from_arrays(arrays["times"], arrays["at_risk"], arrays["events"])
    return Adjustment(
        result=result,
        kaplan_meier=km,
        conformal_set=values["conformal_set"],
        censoring=values["censoring"],
        n_samples=values["n_samples"],
        rearrange=values["rearrange"],
    )


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

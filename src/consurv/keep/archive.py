"""The file of a kept model: a zip of a manifest that can be read and its values."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from consurv._files import write_atomically
from consurv._versions import __version__, installed_versions, version_of
from consurv._warnings import warn
from consurv.errors import InvalidInput, MissingDependency
from consurv.keep.kinds import Keeper, Opener
from consurv.keep.plain import dump_plain, load_plain

__all__ = ["check_libraries", "read_archive", "read_manifest", "write_archive"]

FORMAT, VERSION = "consurv-model", 1
_MANIFEST, _VALUES = "manifest.json", "values"
_MAX_MANIFEST = 1 << 24
# A fixed moment: the same model gives the same bytes.
_MOMENT = (1980, 1, 1, 0, 0, 0)
_BROKEN = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


def check_libraries() -> None:
    """Refuse to begin where a library that most models are kept by is not installed.

    Raises
    ------
    MissingDependency
    """
    for name in ("skops", "safetensors"):
        if version_of(name) is None:
            raise MissingDependency(name, "keep")


def write_archive(
    path: str | os.PathLike[str],
    value: Any,
    facts: Mapping[str, Any],
    *,
    trust: bool = False,
) -> None:
    """Write values and objects that can be kept; the file appears whole or not at all.

    Parameters
    ----------
    path : path-like
    value : object
    facts : mapping
        What the manifest is to say beside, in words and numbers.
    trust : bool
        Pickle what has no other form.
    """
    target = Path(path)
    keeper = Keeper(trust)
    body = dump_plain(value, keeper.forms)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "consurv": __version__,
        "libraries": installed_versions(sorted({"numpy", *keeper.libraries})),
        "pickled": sorted(set(keeper.pickled)),
        **facts,
    }
    manifest["checksum"] = _checksum(manifest, body)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        text = json.dumps(manifest, indent=1, allow_nan=False)
        for name, content in ((_MANIFEST, text.encode()), (_VALUES, body)):
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), content)
    try:
        write_atomically(target, buffer.getvalue())
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror}") from error


def read_manifest(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a file says of itself; no object is made."""
    return _read(Path(path))[0]


def read_archive(
    path: str | os.PathLike[str], *, trust: bool = False
) -> tuple[dict[str, Any], Any]:
    """Return manifest and value of a file that ``write_archive`` wrote.

    Parameters
    ----------
    path : path-like
    trust : bool
        Read pickles, too.

    Raises
    ------
    InvalidInput
        If it is damaged, something else, of a later version, or holds a pickle that is
        not trusted.
    """
    source = Path(path)
    manifest, body = _read(source)
    if manifest["pickled"] and not trust:
        raise InvalidInput(
            f"{source} holds a pickle of {', '.join(manifest['pickled'])}, which can "
            "run any code when it is read; give trust=True if you trust who made it"
        )
    others = _check_libraries(source, manifest["libraries"])
    try:
        return manifest, load_plain(body, Opener(trust).restore)
    except MissingDependency:
        raise
    except Exception as error:  # whatever another version of a library makes of it
        because = f"; {others}" if others else ""
        raise InvalidInput(f"{source} cannot be used: {error}{because}") from error


def _read(source: Path) -> tuple[dict[str, Any], bytes]:
    try:
        content = source.read_bytes()
    except FileNotFoundError as error:
        raise InvalidInput(f"{source}: there is no such file") from error
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror}") from error
    if not content.startswith(b"PK"):
        raise InvalidInput(f"{source} is not a model that consurv has saved")
    try:
        manifest, body = _unzip(content)
        _check_manifest(manifest)
        if manifest.pop("checksum", None) != _checksum(manifest, body):
            raise InvalidInput("its checksum is wrong: it was changed or damaged")
    except InvalidInput as error:
        raise InvalidInput(f"{source} cannot be used: {error}") from error
    except _BROKEN as error:
        raise InvalidInput(
            f"{source} is damaged or not a model of consurv: {error}"
        ) from error
    return manifest, body


def _unzip(content: bytes) -> tuple[dict[str, Any], bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        if sorted(names) != sorted([_MANIFEST, _VALUES]):
            raise InvalidInput("it is a zip file, but not a model of consurv")
        for info in archive.infolist():
            # Nothing is packed, so that nothing can be larger than the file.
            if info.compress_type != zipfile.ZIP_STORED:
                raise InvalidInput(f"{info.filename} in it is packed")
        if archive.getinfo(_MANIFEST).file_size > _MAX_MANIFEST:
            raise InvalidInput("its manifest is too long")
        manifest = json.loads(archive.read(_MANIFEST))
        if not isinstance(manifest, dict):
            raise InvalidInput("its manifest is not an object")
        return manifest, archive.read(_VALUES)


def _check_manifest(manifest: Mapping[str, Any]) -> None:
    if manifest.get("format") != FORMAT:
        raise InvalidInput(f"its format is {manifest.get('format')!r}, not {FORMAT!r}")
    if manifest.get("version") != VERSION:
        raise InvalidInput(
            f"its version is {manifest.get('version')!r}, this consurv "
            f"{__version__} reads {VERSION}; update consurv or save the model again"
        )


def _checksum(manifest: Mapping[str, Any], body: bytes) -> str:
    text = json.dumps(manifest, sort_keys=True).encode()
    return hashlib.sha256(text + b"\n" + body).hexdigest()


def _check_libraries(source: Path, libraries: Mapping[str, str]) -> str:
    """Return which libraries are of another version; warn of them."""
    lacking = [f"{name} {v}" for name, v in libraries.items() if not version_of(name)]
    if lacking:
        raise InvalidInput(
            f"{source} needs {', '.join(lacking)}, which is not installed"
        )
    here = {name: str(version_of(name)) for name in libraries}
    others = [
        f"{name} {version} (here {here[name]})"
        for name, version in libraries.items()
        if version.split(".")[:2] != here[name].split(".")[:2]
    ]
    if not others:
        return ""
    said = f"it was saved with {', '.join(others)}"
    warn(
        f"{source}: {said}; predictions may differ, so save the model again here",
        UserWarning,
    )
    return said

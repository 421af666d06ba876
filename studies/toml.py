"""Configurations as TOML: read with every key checked, written study by study."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import tomli_w

from consurv.errors import InvalidInput
from studies.config import StudyConfig
from studies.files import write_atomically
from studies.names import STUDIES

__all__ = ["read_config", "write_config"]


def read_config(path: Path, study: str) -> dict[str, Any]:
    """Return what a TOML file says about a study, as arguments of `StudyConfig`.

    Keys at the top hold for every study; those in a table called like a study hold
    for that one. The file ``config.toml`` of a results folder can be read back.

    Raises
    ------
    InvalidInput
        If the file is no TOML, or has a key that is unknown.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "config.toml")
    ...     _ = path.write_text("seeds = 2")
    ...     read_config(path, "main")
    {'seeds': 2}
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not a TOML file: {error}") from error
    common = {key: value for key, value in document.items() if key not in STUDIES}
    _check_keys(common, path, f"a table for a study ({', '.join(STUDIES)})")
    for name in STUDIES:
        _check_keys(document.get(name, {}), path)
    own = document.get(study, {})
    settings = {**common.get("settings", {}), **own.get("settings", {})}
    return {**common, **own, **({"settings": settings} if settings else {})}


def write_config(path: Path, configs: Sequence[StudyConfig]) -> None:
    """Write what was asked, beside what the file says of other studies."""
    asked = {config.study: _as_dict(config) for config in configs}
    try:
        before = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    studies = {**{k: v for k, v in before.items() if k in STUDIES}, **asked}
    head = "# What `python -m studies` was asked for, study by study.\n\n"
    ordered = {name: studies[name] for name in STUDIES if name in studies}
    write_atomically(path, (head + tomli_w.dumps(ordered)).encode())


def _known_keys() -> list[str]:
    return [f.name for f in fields(StudyConfig) if f.name != "study"]


def _check_keys(table: Mapping[str, Any], path: Path, also: str = "") -> None:
    if not isinstance(table, Mapping):
        raise InvalidInput(f"{path} names a study that must be a table, not {table!r}")
    known = _known_keys()
    unknown = [key for key in table if key not in known]
    if unknown:
        choices = ", ".join(known) + (f", or {also}" if also else "")
        raise InvalidInput(
            f"{path} has an unknown key {unknown[0]!r}; known are {choices}"
        )


def _as_dict(config: StudyConfig) -> dict[str, Any]:
    values = {name: getattr(config, name) for name in _known_keys()}
    return {name: value for name, value in values.items() if value not in (None, {})}

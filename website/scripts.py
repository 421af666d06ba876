"""Where the repository is, and the scripts that are its gallery."""

from __future__ import annotations

from pathlib import Path

__all__ = ["EXAMPLES", "ROOT", "helpers", "scripts"]

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


def scripts() -> list[Path]:
    """Return the scripts of the gallery."""
    others = [*helpers(), EXAMPLES / "serve.py"]  # an application, and no script
    return [path for path in sorted(EXAMPLES.glob("*.py")) if path not in others]


def helpers() -> list[Path]:
    """Return what the scripts share."""
    return sorted(EXAMPLES.glob("_*.py"))

"""Where the repository is, and the scripts that are its gallery."""

from __future__ import annotations

from pathlib import Path

__all__ = ["EXAMPLES", "ROOT", "helpers", "scripts"]

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


def scripts() -> list[Path]:
    """Return the scripts of the gallery."""
    # An application, and what needs a cluster.
    others = [*helpers(), EXAMPLES / "serve.py", *EXAMPLES.glob("xgboost_*.py")]
    return [path for path in sorted(EXAMPLES.glob("*.py")) if path not in others]


def helpers() -> list[Path]:
    """Return what the scripts share."""
    return sorted(EXAMPLES.glob("_*.py"))

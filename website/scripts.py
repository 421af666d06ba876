"""Where the repository is, and the scripts that are its gallery."""

from __future__ import annotations

from pathlib import Path

__all__ = ["EXAMPLES", "ROOT", "helpers", "scripts"]

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
# An application, and what needs a cluster.
_OTHERS = "serve.py", "xgboost_dask.py", "xgboost_spark.py"


def scripts() -> list[Path]:
    """Return the scripts of the gallery."""
    scripts = [path for path in EXAMPLES.glob("*.py") if path.name not in _OTHERS]
    return sorted(set(scripts) - set(helpers()))


def helpers() -> list[Path]:
    """Return what the scripts share."""
    return sorted(EXAMPLES.glob("_*.py"))

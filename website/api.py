"""Pages of the reference: one a module, every name of its ``__all__``."""

from __future__ import annotations

from importlib import import_module
from inspect import getdoc
from pathlib import Path

from website.words import plain

__all__ = ["MODULES", "home", "public_names", "write_api"]

# In the order of a reader's need; a name is on the page of the first that has it.
MODULES = (
    "consurv",
    "consurv.curves",
    "consurv.metrics",
    "consurv.report",
    "consurv.models",
    "consurv.datasets",
    "consurv.splits",
    "consurv.conformal",
    "consurv.bounds",
    "consurv.adapters",
    "consurv.distributed.federated",
)
_FIRST = (
    "ConformalSurvival",
    "SurvivalCurves",
    "Outcome",
    "KaplanMeier",
    "load",
    "evaluate",
    "d_calibration",
    "km_calibration",
    "risk_calibration",
    "concordance_index",
    "write_report",
    "load_dataset",
)


def public_names() -> dict[str, list[str]]:
    """Return the public names of each module that are not those of one before it.

    Examples
    --------
    >>> public_names()["consurv.adapters"][0]
    'Adapter'
    """
    pages: dict[str, list[str]] = {}
    seen: set[str] = {"__version__"}
    for module in MODULES:
        names = [n for n in import_module(module).__all__ if n not in seen]
        seen.update(names)
        pages[module] = sorted(names, key=_place)
    return pages


def _place(name: str) -> tuple[bool, int]:
    """Return what is asked for most first, then the order of ``__all__``."""
    return (name not in _FIRST, _FIRST.index(name) if name in _FIRST else 0)


def write_api(folder: Path) -> None:
    """Write a page of directives for each module, which mkdocstrings fills."""
    folder.mkdir(parents=True, exist_ok=True)
    for module, names in public_names().items():
        lines = [f"# {module}", "", plain(getdoc(import_module(module)) or ""), ""]
        homes = {name: home(module, name) for name in names}
        lines += [f"[`{name}`](#{homes[name]})" for name in names]
        for path in homes.values():
            lines += ["", f"::: {path}"]
        page = folder / f"{module.rpartition('.')[2]}.md"
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def home(module: str, name: str) -> str:
    """Return where a name is defined, which tells a function from a file of its name.

    Examples
    --------
    >>> home("consurv.metrics", "d_calibration")
    'consurv.metrics.d_calibration.d_calibration'
    >>> home("consurv.metrics", "METRICS")
    'consurv.metrics.METRICS'
    """
    found = getattr(import_module(module), name)
    if getattr(found, "__name__", None) == name:
        return f"{found.__module__}.{name}"
    return f"{module}.{name}"

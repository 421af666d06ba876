"""Pages of the reference: one a module, every name of its ``__all__``."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from inspect import getdoc, isclass
from pathlib import Path
from typing import Any

from website.words import plain

__all__ = [
    "MODULES",
    "home",
    "page_of",
    "public_base",
    "public_names",
    "write_api",
]

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
    "consurv.distributed",
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
    """Write a page of directives for each module, which mkdocstrings fills.

    A name that another page explains is listed, with a link to where that is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = public_names()
    told = {id(_found(m, n)): (m, n) for m, names in pages.items() for n in names}
    for module, names in pages.items():
        lines = [f"# {module}", "", plain(getdoc(import_module(module)) or ""), ""]
        lines += [f"[`{name}`](#{home(module, name)})" for name in names]
        others = [n for n in import_module(module).__all__ if n not in names]
        links = [
            f"[`{n}`]({page_of(told[id(_found(module, n))][0])}"
            f"#{home(*told[id(_found(module, n))])})"
            for n in others
            if id(_found(module, n)) in told
        ]
        lines += ["", "Documented on another page:", "", *links] if links else []
        for name in names:
            lines += ["", f"::: {home(module, name)}", *_options(module, name)]
        page = folder / page_of(module)
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def page_of(module: str) -> str:
    """Return the file of a module's page.

    Examples
    --------
    >>> page_of("consurv.metrics")
    'metrics.md'
    """
    return f"{module.rpartition('.')[2]}.md"


def public_base(module: str, name: str) -> str | None:
    """Return the public class that a class derives from: it tells what they share.

    Examples
    --------
    >>> public_base("consurv.conformal", "TimeAdjustment")
    'Adjustment'
    >>> public_base("consurv", "ConformalSurvival") is None
    True
    """
    found = _found(module, name)
    public = {id(_found(m, n)) for m, names in public_names().items() for n in names}
    bases = found.__mro__[1:] if isclass(found) else ()
    return next((base.__name__ for base in bases if id(base) in public), None)


def _options(module: str, name: str) -> list[str]:
    """Return what is said to mkdocstrings of one name."""
    said = []
    if public_base(module, name) is not None:
        said = ["inherited_members: false", "show_bases: true"]
    if isinstance(_found(module, name), Mapping | tuple):  # how it is made, not what
        said = ["show_attribute_values: false"]
    return ["    options:", *(f"      {line}" for line in said)] if said else []


def _found(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def home(module: str, name: str) -> str:
    """Return where a name is defined, which tells a function from a file of its name.

    Examples
    --------
    >>> home("consurv.metrics", "d_calibration")
    'consurv.metrics.d_calibration.d_calibration'
    >>> home("consurv.metrics", "METRICS")
    'consurv.metrics.METRICS'
    """
    found = _found(module, name)
    if getattr(found, "__name__", None) == name:
        return f"{found.__module__}.{name}"
    return f"{module}.{name}"

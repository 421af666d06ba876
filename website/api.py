"""Pages of the reference: one a module, every name of its ``__all__``."""

from __future__ import annotations

from importlib import import_module
from inspect import getdoc
from pathlib import Path

__all__ = ["MODULES", "public_names", "write_api"]

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
    "consurv.adapters",
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
        pages[module] = names
    return pages


def write_api(folder: Path) -> None:
    """Write a page of directives for each module, which mkdocstrings fills."""
    folder.mkdir(parents=True, exist_ok=True)
    for module, names in public_names().items():
        lines = [f"# {module}", "", _words(getdoc(import_module(module)) or ""), ""]
        lines += [f"[`{n}`](#{module}.{n})" + "{ .name }" for n in names]
        for name in names:
            lines += ["", f"::: {module}.{name}"]
        page = folder / f"{module.rpartition('.')[2]}.md"
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _words(docstring: str) -> str:
    from website.roles import plain

    return plain(docstring)

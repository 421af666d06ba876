"""The code on a page, as it is printed.

``python -m website.blocks xgbse mlsurv`` runs the sections of "Coming from another
library" whose libraries are in this environment alone (``make peers``).
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

from website.scripts import ROOT

__all__ = ["COMING_FROM", "blocks", "run_blocks", "sections"]

COMING_FROM = ROOT / "docs" / "coming_from.md"
_BLOCK = r"^( *)```(?:{})\n(.*?)^ *```"


def blocks(text: str, languages: str = "python") -> list[str]:
    r"""Return the blocks of code; those in ``py`` are for other environments.

    Examples
    --------
    >>> text = "```python\na = 1\n```\n\n    ```py\n    b = 2\n    ```\n"
    >>> blocks(text), blocks(text, "python|py")
    (['a = 1\n'], ['a = 1\n', 'b = 2\n'])
    """
    found = re.findall(_BLOCK.format(languages), text, re.M | re.S)
    return [textwrap.dedent(code) for _, code in found]


def sections(text: str) -> tuple[str, dict[str, str]]:
    r"""Return what stands before the sections of a page, and these by their titles.

    Examples
    --------
    >>> sections("# Page\nFirst.\n## One\nMore.\n")
    ('# Page\nFirst.\n', {'One': 'More.\n'})
    """
    first, *rest = re.split(r"^## ", text, flags=re.M)
    return first, dict(part.split("\n", 1) for part in rest)


def run_blocks(code: Iterable[str], names: dict[str, Any], page: str) -> None:
    """Run blocks one after the other; what they name is added to *names*."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile("\n".join(code), page, "exec"), names)


def main(arguments: Sequence[str]) -> int:
    """Run the sections of some libraries, each after the lines that all share."""
    first, found = sections(COMING_FROM.read_text(encoding="utf-8"))
    for library in arguments:
        code = blocks(first) + blocks(found[library], "python|py")
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                run_blocks(code, {}, f"{COMING_FROM.name}, {library}")
            finally:
                os.chdir(before)
        print(f"{library} {version(library)}: {len(code)} blocks ran")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

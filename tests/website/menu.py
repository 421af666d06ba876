"""The pages that the menu of the site has."""

import re

from website.scripts import ROOT

__all__ = ["MENU"]

_NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
# The page of every entry, as it is built, and the entry's name if it has one.
MENU = {
    f"{page}.html": (name or "").strip('" ')
    for name, page in re.findall(r"^ *- (?:(.+): )?(\S+)\.md$", _NAV, re.M)
}

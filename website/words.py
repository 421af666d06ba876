"""Docstrings name things as Sphinx does; the site shows the names."""

from __future__ import annotations

import re

__all__ = ["plain"]

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):`(~?)([\w.]+)`")


def plain(docstring: str) -> str:
    """Return a docstring with its references as plain names.

    Examples
    --------
    >>> plain("The shares of :func:`~consurv.metrics.d_calibration`; see :mod:`a.b`.")
    'The shares of `d_calibration`; see `a.b`.'
    """
    docstring = docstring.replace("``", "`")
    return _ROLE.sub(
        lambda role: f"`{role[2].rpartition('.')[2] if role[1] else role[2]}`",
        docstring,
    )

"""Docstrings name things as Sphinx does; the site shows the names."""

from __future__ import annotations

import re

__all__ = ["plain"]

# Of Sphinx: a note and what refers to it.
_NOTE, _CITED = re.compile(r"^( *)\.\. \[(\d+)\] ", re.M), re.compile(r"(\[\d+\])_")
# A symbol with a star, as in q(ρ*|x), and no emphasis, as in *X*.
_STARRED = re.compile(r"(?<![\w*])([^\W\d_])\*(?![\w*])")
_CODE = re.compile(r"(`[^`]*`|^ *(?:>>>|\.\.\. ).*$)", re.M)
_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):`(~?)([\w.]+)`")


def plain(docstring: str) -> str:
    r"""Return a docstring with its references as plain names.

    Examples
    --------
    >>> plain("The shares of :func:`~consurv.metrics.d_calibration`; see :mod:`a.b`.")
    'The shares of `d_calibration`; see `a.b`.'
    >>> print(plain("At ρ* of q(ρ*|x) [1]_, in *X* and *words*, ``a*b``"))
    At ρ\* of q(ρ\*|x) [1], in *X* and *words*, `a*b`
    """
    docstring = _NOTE.sub(r"\1\2. ", docstring.replace("``", "`"))
    docstring = _CITED.sub(r"\1", docstring)
    docstring = _ROLE.sub(
        lambda role: f"`{role[2].rpartition('.')[2] if role[1] else role[2]}`",
        docstring,
    )
    parts = _CODE.split(docstring)
    parts[::2] = [_STARRED.sub(r"\1\*", part) for part in parts[::2]]
    return "".join(parts)

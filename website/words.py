"""Docstrings name things as Sphinx does; the site shows the names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["apart", "plain"]

# Of Sphinx: a note and what refers to it.
_NOTE, _CITED = re.compile(r"^( *)\.\. \[(\d+)\] ", re.M), re.compile(r"(\[\d+\])_")
# A symbol with a star, as in q(ρ*|x), and no emphasis, as in *X*.
_STARRED = re.compile(r"(?<![\w*])([^\W\d_])\*(?![\w*])")
_CODE = re.compile(r"(`[^`]*`|^ *(?:>>>|\.\.\. ).*$)", re.M)
_PARAMETERS = re.compile(r"^Parameters\n-+\n(?:(?!^\S.*\n-{3,}$).*\n?)*", re.M)
_SHARED = re.compile(
    r"^(\*{0,2}\w+(?:, (?:\*{0,2}\w+|\.\.\.))+)( : .*)?\n((?:(?: .*)?(?:\n|\Z))*)", re.M
)
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


def apart(docstring: str, names: Sequence[str]) -> str:
    r"""Return a docstring in which each parameter has an entry of its own.

    What is said of several at once would show the default of the first for all. "..."
    are those that *names*, the parameters in order, have between its neighbours.

    Examples
    --------
    >>> shared = "Parameters\n----------\na, ..., d : int\n    As there.\n"
    >>> apart(shared, "abcd").split("\n")[2:6]
    ['a : int', '    As there.', 'b : int', '    As there.']
    """

    def entries(found: re.Match[str]) -> str:
        words = found[3].rstrip("\n")
        said = f"{found[2] or ''}\n{words}\n"
        end = found[3].removeprefix(words)[1:]
        parts = (name + said for name in _named(found[1].split(", "), names))
        return "".join(parts) + end

    return _PARAMETERS.sub(lambda part: _SHARED.sub(entries, part[0]), docstring)


def _named(told: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    for i, name in enumerate(told):
        if name == "...":
            first, last = names.index(told[i - 1]), names.index(told[i + 1])
            yield from names[first + 1 : last]
        else:
            yield name

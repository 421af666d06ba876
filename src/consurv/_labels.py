"""Labels of groups: text or numbers, one for each subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from consurv._checks import Index, check_plain, check_same_length
from consurv._rows import row_number
from consurv.errors import InvalidInput

__all__ = [
    "Label",
    "Labels",
    "as_labels",
    "codes_of",
    "known_labels",
    "listed_labels",
    "told_groups",
]

Label = str | int | float | bool
Labels = NDArray[np.object_]

_MOST_NAMED = 12


def as_labels(groups: Any, *, name: str = "groups", n: int | None = None) -> Labels:
    """Return one label for each subject, as plain Python text or numbers.

    Parameters
    ----------
    groups : array-like of shape (n,)
        Text or numbers; none may be missing.
    name : str
        What they are called where they are refused.
    n : int, optional
        How many there must be.

    Raises
    ------
    InvalidInput
        If a label is missing or neither text nor a number, or their number differs.

    Examples
    --------
    >>> as_labels(pd.Series(["a", "b"], dtype="category"))
    array(['a', 'b'], dtype=object)
    >>> as_labels(["a", None])
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: groups has 1 missing labels, the first at row 1; \
drop these subjects, or give them a label of their own
    """
    check_plain(groups, name)
    if isinstance(groups, str) or np.ndim(groups) == 0:
        raise InvalidInput(
            f"{name} is {groups!r}; give one label for each subject, or the name of a "
            "column where X is a table with names"
        )
    array = np.asarray(groups, dtype=object)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InvalidInput(f"{name} must be 1-dimensional, got shape {array.shape}")
    if n is not None:
        check_same_length(**{"X": n, name: len(array)})
    missing = np.flatnonzero(pd.isna(array))
    if missing.size:
        raise InvalidInput(
            f"{name} has {missing.size} missing labels, the first at row "
            f"{row_number(int(missing[0]))}; drop these subjects, or give them a label "
            "of their own"
        )
    return _plain(array, name)


def _plain(array: Labels, name: str) -> Labels:
    """Return labels without NumPy's scalars; refuse what is no text and no number."""
    kinds = set(map(type, array))
    if any(issubclass(kind, np.generic) for kind in kinds):
        items = [v.item() if isinstance(v, np.generic) else v for v in array]
        array = np.empty(len(items), dtype=object)
        array[:] = items
        kinds = set(map(type, array))
    odd = next((kind for kind in kinds if not issubclass(kind, Label)), None)
    if odd is not None:
        first = next(value for value in array if isinstance(value, odd))
        raise InvalidInput(
            f"{name} holds a {odd.__name__}, {first!r}; labels are text or numbers"
        )
    return array


def known_labels(labels: Labels) -> tuple[Label, ...]:
    """Return the labels that occur, numbers first, in ascending order.

    Examples
    --------
    >>> known_labels(as_labels(["b", 3, "a", "b"]))
    (3, 'a', 'b')
    """
    found = pd.unique(labels).tolist()
    return tuple(sorted(found, key=lambda v: (isinstance(v, str), v)))


def codes_of(labels: Labels, known: Sequence[Label]) -> Index:
    """Return the place of each label among those known; −1 where it is not there.

    Examples
    --------
    >>> codes_of(as_labels(["b", "c", "a"]), ("a", "b"))
    array([ 1, -1,  0])
    """
    index: Any = pd.Index(np.array(known, dtype=object))
    codes: Index = index.get_indexer(labels).astype(np.intp)
    return codes


def told_groups(labels: Sequence[Label]) -> str:
    """Return labels for a sentence.

    Examples
    --------
    >>> told_groups(["a"]), told_groups(["a", 2])
    ("the group 'a'", "the groups 'a', 2")
    """
    return f"the {'group' if len(labels) == 1 else 'groups'} {listed_labels(labels)}"


def listed_labels(labels: Sequence[Label]) -> str:
    """Return labels as a reader would list them, not too many.

    Examples
    --------
    >>> listed_labels(["a", 2])
    "'a', 2"
    """
    more = len(labels) - _MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return ", ".join(map(repr, labels[:_MOST_NAMED])) + rest

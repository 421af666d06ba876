"""What may become of an input: refused in our words, or taken with a right result."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from enum import Enum
from typing import Any

import numpy as np

from consurv.errors import ConsurvError

__all__ = ["Fate", "Finding", "Log", "judge"]

# Words of numpy, pandas and Python that tell a user nothing.
_FOREIGN = re.compile(
    r"ufunc|broadcast|object at 0x|Traceback|<class|unhashable|NoneType|has no "
    r"attribute|not subscriptable|truth value|Errno|is not iterable|dtype\('"
)
# A value in a message: a number, something quoted, a file or the name of a type.
_VALUE = re.compile(
    r"\d|'[^']*'|\"|\ba [A-Za-z]+\b|empty|masked|NaN|infinite|more than one|dates|"
    r"Sparse|is not valid|damaged|not a record|was changed|names|\w+\.\w+"
)
# What separates what is wrong from what to do about it.
_WAY_OUT = re.compile(
    r"; |: |must|needs?\b|give\b|drop\b|not supported|cannot be (read|used)|lacks|"
    r"too (small|few)|exists already|Use |unsupported|goes with|remove|"
    r"should be|required"
)


class Fate(Enum):
    """What must become of an input."""

    TAKEN = "taken"  # ordinary: to refuse it is a fault
    REFUSED = "refused"  # to take it means to lose something or to make it up
    EITHER = "either"  # both will do, but if it is taken the result must be right


class Finding(AssertionError):  # noqa: N818  (no error of ours)
    """A fault: its class, the entry and what was given."""

    def __init__(self, fault: str, entry: str, said: str, detail: str) -> None:
        super().__init__(f"{fault} at {entry} given {said}: {detail}")
        self.fault, self.entry, self.said = fault, entry, said


class Log:
    """Counts cases by entry and fate."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()

    @property
    def n_cases(self) -> int:
        return sum(self.counts.values())

    def lines(self) -> list[str]:
        entries = sorted({entry for entry, _ in self.counts})
        return [
            f"{entry}: {self.counts[entry, 'taken']} taken, "
            f"{self.counts[entry, 'refused']} refused"
            for entry in entries
        ]


LOG = Log()


def judge(
    entry: str,
    said: str,
    fate: Fate,
    call: Callable[[], Any],
    check: Callable[[Any], None] = lambda result: None,
) -> Any:
    """Call an entry point and raise a Finding if what happens is a fault.

    Parameters
    ----------
    entry, said : str
        What is called, and what it is given, for messages.
    fate : Fate
    call : callable
    check : callable
        Raises AssertionError if the result of an input that is taken is wrong.

    Returns
    -------
    object or None
        The result, None if the input was refused.
    """
    with _bare_warnings(entry, said):
        try:
            result = call()
        except ConsurvError as error:
            LOG.counts[entry, "refused"] += 1
            _check_refusal(entry, said, fate, error)
            return None
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            raise Finding("bare error", entry, said, text) from error
    LOG.counts[entry, "taken"] += 1
    if fate is Fate.REFUSED:
        raise Finding("data loss", entry, said, f"taken in silence as {result!r}")
    try:
        with np.errstate(all="ignore"):
            check(result)
    except AssertionError as error:
        raise Finding("wrong number", entry, said, str(error)) from error
    return result


def _check_refusal(entry: str, said: str, fate: Fate, error: ConsurvError) -> None:
    text = re.sub(r"/[^\s,]*/", "", str(error))  # names of folders are no values
    if fate is Fate.TAKEN:
        raise Finding("ordinary input refused", entry, said, text) from error
    if _FOREIGN.search(text):
        raise Finding("bare error", entry, said, f"foreign words: {text}") from error
    if not (_VALUE.search(text) and _WAY_OUT.search(text)):
        raise Finding("bare error", entry, said, f"no way out: {text}") from error


@contextmanager
def _bare_warnings(entry: str, said: str) -> Any:
    """Let warnings in our words pass; those of numpy and pandas are findings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            continue  # CalibrationWarning, and what models say in their own words
        text = f"{warning.category.__name__}: {warning.message}"
        raise Finding("bare error", entry, said, text)

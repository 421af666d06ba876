"""What consurv is wary of, printed: in the gallery every other warning is an error."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from consurv import CalibrationWarning


@contextmanager
def cautions(name: str | None = "caution") -> Iterator[None]:
    """Print each distinct `CalibrationWarning` of the block instead of warning.

    None is printed where *name* is None.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("error")
        warnings.simplefilter("always", CalibrationWarning)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in said):
        if name is not None:
            print(f"{name}: {message}")

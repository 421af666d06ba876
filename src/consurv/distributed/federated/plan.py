"""What the sites of a federated calibration have agreed on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from consurv._checks import Float, as_levels
from consurv._params import AtLeast, check_params
from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.conformal.parts.lattice import Lattice
from consurv.errors import InvalidInput

__all__ = ["ADJUSTMENT_NAMES", "RULE_NAMES", "Plan"]

# What a few counts on a lattice are enough for.
ADJUSTMENT_NAMES = ("time", "log-time")
RULE_NAMES = ("kaplan-meier", "uncensored")
# Names of sites are parts of names of files.
_SITE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Who takes part, and what is counted.

    Parameters
    ----------
    sites : tuple of str
        Letters, digits and ``_.-``.
    levels : tuple of float
    edges : tuple of float
        Of the lattice of times; one alone is a step.
    minimum : int
        No site tells of fewer subjects than that, but for none.
    adjustment : {"time", "log-time"}
    censoring : {"kaplan-meier", "uncensored"}
    model : str
        The SHA-256 of the model's file; empty if it is in memory.

    Examples
    --------
    >>> Plan(sites=("a", "b"), levels=(0.5,), edges=(30,), adjustment="level")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: adjustment='level' needs more of each subject than \
counts on a lattice; sites can calibrate together with: time, log-time
    """

    sites: tuple[str, ...]
    levels: tuple[float, ...]
    edges: tuple[float, ...]
    minimum: int = 5
    adjustment: str = "time"
    censoring: str = "kaplan-meier"
    model: str = ""

    def __post_init__(self) -> None:
        _check_known("adjustment", self.adjustment, ADJUSTMENT_NAMES)
        _check_known("censoring", self.censoring, RULE_NAMES)
        check_params({"minimum": self.minimum}, {"minimum": AtLeast(1)})
        bad = [s for s in self.sites if not _SITE.fullmatch(s)]
        if bad or len(set(self.sites)) != len(self.sites) or not self.sites:
            raise InvalidInput(
                f"sites={list(self.sites)} must be different names of letters, digits, "
                "'_', '-' and '.'"
            )
        edges, levels = Lattice(self.edges).edges, as_levels(self.levels)
        for name, values in (("edges", edges), ("levels", levels)):
            object.__setattr__(self, name, tuple(np.asarray(values).tolist()))

    @property
    def lattice(self) -> Lattice:
        """Where all times are moved to."""
        return Lattice(self.edges)

    @property
    def grid(self) -> Float:
        """The levels as an array."""
        return np.array(self.levels)

    @property
    def kind(self) -> Any:
        """The type of the adjustment."""
        return ADJUSTMENTS[self.adjustment]

    @property
    def with_laws(self) -> bool:
        """Whether censored subjects count."""
        return self.censoring != "uncensored"

    def to_plain(self) -> dict[str, Any]:
        """Return it as words, numbers and lists."""
        values = asdict(self)
        return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Plan:
        """Return the plan that ``to_plain`` gave; everything is checked."""
        if set(values) != {f.name for f in fields(cls)}:
            raise InvalidInput("its plan has other parts than those of this version")
        given: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in values.items()
        }
        return cls(**given)


def _check_known(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidInput(
            f"{name}={value!r} needs more of each subject than counts on a lattice; "
            f"sites can calibrate together with: {', '.join(known)}"
        )

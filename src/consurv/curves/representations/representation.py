"""What survival curves must be able to say, however they are held."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.curves.nodes import Nodes
from consurv.curves.search import row_blocks

__all__ = ["Representation", "frozen", "join_alike"]

# Mean curves take so many times at once: blocks then hold enough rows.
_TIMES_AT_ONCE = 1024


class Representation(ABC):
    """The curves of n subjects in one form; arguments are trusted, not checked.

    Nothing but ``nodes`` makes a table of subjects x nodes. A form is immutable: its
    arrays are read-only, after pickling too.

    Attributes
    ----------
    interpolation : str
        How the nodes of its table are joined.
    is_table : bool
        Whether the table is what is held.
    """

    interpolation: str
    is_table: bool = False

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of subjects."""

    @abstractmethod
    def take(self, rows: Any) -> Self:
        """Return some subjects: a slice, a mask or positions."""

    @classmethod
    @abstractmethod
    def join(cls, parts: Sequence[Any]) -> Representation | None:
        """Return all subjects of parts of this form; None if that needs tables."""

    @abstractmethod
    def survival_at(self, times: Float) -> Float:
        """Return the survival (n, m) at times (m,) or (n, m), finite and >= 0."""

    def survival_before(self, time: Float) -> Float:
        """Return S(t⁻) (n,) at one time > 0 for each curve; S(t) where none drops."""
        return self.survival_at(time[:, None])[:, 0]

    @abstractmethod
    def percentile_times(self, levels: Float) -> Float:
        """Return q(ρ) (n, p) at levels (p,) or (n, p) in [0, 1), in any order.

        Level 0 is where a curve ends; +inf where a level is never reached.
        """

    @abstractmethod
    def area(self, start: Float, stop: Float) -> Float:
        """Return the areas (n,) below the curves between times (n,), maybe +inf."""

    @abstractmethod
    def given(self, time: Float) -> Representation:
        """Return S(t | T > c) = min(1, S(t) / S(c)) for times c of shape (n,)."""

    @abstractmethod
    def nodes(self) -> Nodes:
        """Return the table: made at every call and not kept, since it may be large."""

    @property
    @abstractmethod
    def times(self) -> Float:
        """The node times of the table, of shape (k,) or (n, k)."""

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """Number of nodes that a curve has in the table."""

    @property
    @abstractmethod
    def last_time(self) -> Float:
        """Where the data of each curve end, of shape (n,); +inf where unknown."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type in which probabilities are known."""
        return np.dtype(np.float64)

    def area_until(self, tau: Float) -> Float:
        """Return the areas (n,) below the curves from 0 to *tau* (n,), maybe +inf."""
        return self.area(np.zeros_like(tau), tau)

    def last_survival(self) -> Float:
        """Return the survival (n,) where the data of each curve end."""
        last = self.last_time
        known = np.isfinite(last)
        survival = self.survival_at(np.where(known, last, 0.0)[:, None])[:, 0]
        return np.where(known, survival, 0.0)

    def end_level(self) -> Float:
        """Return the survival (n,) below which a curve is but a line to its end.

        0 where it is known for ever.
        """
        return self.last_survival()

    def mean_survival(self, times: Float) -> Float:
        """Return the mean over the subjects at common times (m,)."""
        total: Float = np.zeros(times.size)
        for start in range(0, times.size, _TIMES_AT_ONCE):
            some = slice(start, start + _TIMES_AT_ONCE)
            for rows in row_blocks(len(self), times[some].size):
                total[some] += self.take(rows).survival_at(times[some]).sum(axis=0)
        return total / len(self)

    def __repr__(self) -> str:
        return type(self).__name__.lower()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: frozen(value) for name, value in state.items()})


def frozen(value: Any) -> Any:
    """Return an array as a read-only view; anything else as it is."""
    if isinstance(value, np.ndarray):
        view: NDArray[Any] = value.view()
        view.setflags(write=False)
        return view
    return value


def join_alike(parts: Sequence[Representation]) -> Representation | None:
    """Return all subjects of parts of one form; None if that needs tables."""
    kinds = {type(part) for part in parts}
    return kinds.pop().join(parts) if len(kinds) == 1 else None

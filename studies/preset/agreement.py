"""How far two tellers agree on which side is better, cell by cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Agreement", "agreement"]

_SIDES = ("CSD", "raw")


@dataclass(frozen=True)
class Agreement:
    """Counts of cells that both tellers decide.

    Attributes
    ----------
    both_csd, both_raw : int
        Cells in which they agree.
    only_first, only_second : int
        Cells that only the first, or only the second, gives to CSD.

    Examples
    --------
    >>> found = Agreement(both_csd=8, both_raw=1, only_first=1, only_second=0)
    >>> found.n, found.agreed, round(found.kappa, 2)
    (10, 9, 0.62)
    """

    both_csd: int
    both_raw: int
    only_first: int
    only_second: int

    @property
    def n(self) -> int:
        """All cells."""
        return self.both_csd + self.both_raw + self.only_first + self.only_second

    @property
    def agreed(self) -> int:
        """Cells in which they agree."""
        return self.both_csd + self.both_raw

    @property
    def first_csd(self) -> int:
        """Cells that the first gives to CSD."""
        return self.both_csd + self.only_first

    @property
    def first_raw(self) -> int:
        """Cells that the first gives to raw."""
        return self.n - self.first_csd

    @property
    def kappa(self) -> float | None:
        """Cohen's: 0 is what chance gives to such shares, 1 is agreement throughout.

        None where one of them says the same everywhere, so that chance is all.
        """
        if not self.n:
            return None
        first, second = self.first_csd, self.both_csd + self.only_second
        n = self.n
        by_chance = (first * second + (n - first) * (n - second)) / n**2
        return (
            None if by_chance == 1 else (self.agreed / n - by_chance) / (1 - by_chance)
        )

    def __str__(self) -> str:
        kappa = "" if self.kappa is None else f", κ {self.kappa:.2f}"
        return (
            f"{self.agreed} of {self.n} (CSD {self.both_csd}/{self.first_csd}, "
            f"raw {self.both_raw}/{self.first_raw}{kappa})"
        )


def agreement(pairs: Iterable[tuple[str | None, str | None]]) -> Agreement:
    """Count the sides that two tellers give; cells that one leaves open do not count.

    Parameters
    ----------
    pairs : iterable of pairs
        "CSD", "raw" or anything else, of the first and the second teller.

    Examples
    --------
    >>> str(agreement([("CSD", "CSD"), ("raw", "CSD"), ("CSD", "tie")]))
    '1 of 2 (CSD 1/1, raw 0/1, κ 0.00)'
    """
    known = [pair for pair in pairs if pair[0] in _SIDES and pair[1] in _SIDES]
    return Agreement(
        both_csd=known.count(("CSD", "CSD")),
        both_raw=known.count(("raw", "raw")),
        only_first=known.count(("CSD", "raw")),
        only_second=known.count(("raw", "CSD")),
    )

"""What a rule should attain, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Target"]


@dataclass(frozen=True)
class Target:
    """An upper limit for an error and what was measured.

    Attributes
    ----------
    case, what : str
    measured : float
    target : float or None
        None: for information only.
    where : str
        The setting in which it was measured, if it is one.

    Examples
    --------
    >>> Target("auto", "worst error", 0.75, 0.5).verdict
    'missed by 1.50x'
    """

    case: str
    what: str
    measured: float
    target: float | None
    where: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        return None if self.target is None else self.measured <= self.target

    @property
    def verdict(self) -> str:
        """``met``, or by which factor the target is missed."""
        if self.target is None:
            return "for information"
        if self.met:
            return "met"
        return f"missed by {self.measured / self.target:.2f}x"

"""The settings: what is true, who is censored, how the raw model is wrong, and N."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["GROUPS", "Setting", "settings"]

# "development" may be looked at while a method is made; "held out" not. Both lists
# were written down before any tuning. "fitted" has raw models that were trained,
# "far off" those whose curves exclude most of what happens, and "further" has
# censoring by a hidden cause and many subjects; both were written down late.
GROUPS = ("development", "held out", "fitted", "far off", "further")
_FILE = Path(__file__).with_name("settings.txt")


@dataclass(frozen=True)
class Setting:
    """One line of the list.

    Attributes
    ----------
    law, censoring, raw : str
        Names in ``laws``, ``censoring`` and ``raws`` (or ``fitted``), the strength
        after a colon, the share censored (in per cent) behind the name.
    n : int
        Conformal subjects.
    """

    law: str
    censoring: str
    raw: str
    n: int

    def __str__(self) -> str:
        return f"{self.law} {self.censoring} {self.raw} {self.n}"

    @classmethod
    def of(cls, line: str) -> Setting:
        """Read a line.

        Examples
        --------
        >>> Setting.of("weibull stag80 width:0.6 250").censoring
        'stag80'
        """
        law, censoring, raw, n = line.split()
        return cls(law, censoring, raw, int(n))


def settings(group: str) -> list[Setting]:
    """Return the settings of a group."""
    found: dict[str, list[Setting]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            current = found.setdefault(line.lstrip("# "), [])
        elif line:
            current.append(Setting.of(line))
    return found[group]

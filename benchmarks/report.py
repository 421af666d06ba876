"""Measured ratios, their targets, and the tables that show them."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import consurv
from benchmarks.timing import Times

__all__ = ["Measure", "environment", "text_table", "write"]


@dataclass(frozen=True)
class Measure:
    """One ratio.

    Attributes
    ----------
    case, what : str
    measured : float
        From the best rounds; memory ratios are exact.
    median : float or None
        The same ratio from the median rounds.
    target : float or None
        None: for information only.
    at_most : bool
        Whether the target is an upper or a lower limit.
    detail : str
        The two sides in seconds or megabytes.
    unit : str
    """

    case: str
    what: str
    measured: float
    target: float | None = None
    at_most: bool = True
    median: float | None = None
    detail: str = ""
    unit: str = "x"

    @classmethod
    def of_times(
        cls,
        case: str,
        what: str,
        slow: Times,
        fast: Times,
        target: float | None = None,
        at_most: bool = True,
    ) -> Measure:
        """Return how many times longer *slow* takes than *fast*."""
        best, median = slow.over(fast)
        detail = f"{seconds(slow.best)} / {seconds(fast.best)}"
        return cls(case, what, best, target, at_most, median, detail)

    @classmethod
    def of_bytes(
        cls,
        case: str,
        what: str,
        sides: tuple[int, int],
        target: float | None = None,
        at_most: bool = True,
    ) -> Measure:
        """Return how many times more memory the first side takes."""
        detail = f"{sides[0] / 1e6:.1f} MB / {sides[1] / 1e6:.1f} MB"
        return cls(case, what, sides[0] / sides[1], target, at_most, None, detail)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        if self.at_most:
            return self.measured <= self.target
        return self.measured >= self.target

    @property
    def verdict(self) -> str:
        """``met``, or by which factor the target is missed."""
        if self.target is None:
            return "for information"
        if self.met:
            return "met"
        off = self.measured / self.target
        return f"missed by {off if self.at_most else 1 / off:.2f}x"

    def row(self) -> list[str]:
        """Return the cells of the table."""
        sign = "<=" if self.at_most else ">="
        target = "" if self.target is None else f"{sign} {self.target:,g}{self.unit}"
        median = "" if self.median is None else f"{number(self.median)}{self.unit}"
        measured = f"{number(self.measured)}{self.unit}"
        return [self.what, measured, median, target, self.verdict, self.detail]


HEADER = ["what", "measured", "median", "target", "verdict", "sides"]


def number(value: float) -> str:
    """Return three significant digits, with separators for thousands."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def seconds(value: float) -> str:
    """Return a time with a fitting unit."""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def environment() -> dict[str, Any]:
    """Return what the numbers depend on."""
    features = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "cpu": _cpu(),
        "simd": [*features.get("baseline", []), *features.get("found", [])],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "consurv": consurv.__version__,
        "threads": 1,
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor()


def text_table(case: str, measures: Sequence[Measure]) -> str:
    """Return the measures of one case as aligned text."""
    rows = [HEADER, *(m.row() for m in measures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([f"== {case}", *lines, ""])


def write(measures: Sequence[Measure], folder: Path, *, only: bool = False) -> None:
    """Write ``latest.json`` and ``latest.md``.

    With *only*, cases that were not measured now stay as they are there; those of
    another machine or version go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    about = environment()
    if only:
        measures = _among(_read(folder / "latest.json", about), measures)
    entries = [asdict(m) | {"met": m.met, "verdict": m.verdict} for m in measures]
    content = {"environment": about, "measures": entries}
    (folder / "latest.json").write_text(json.dumps(content, indent=1) + "\n")
    (folder / "latest.md").write_text(_markdown(measures, about))


def _read(path: Path, about: dict[str, Any]) -> list[Measure]:
    """Return what was measured on the same machine with the same versions."""
    content = json.loads(path.read_text()) if path.exists() else {}
    if content.get("environment") != about:
        return []
    names = [field.name for field in fields(Measure)]
    return [Measure(**{n: entry[n] for n in names}) for entry in content["measures"]]


def _among(old: Sequence[Measure], new: Sequence[Measure]) -> list[Measure]:
    """Return all measures in the order of their cases, new ones in place of old."""
    fresh = {m.case for m in new}
    cases = dict.fromkeys(m.case for m in (*old, *new))
    return [
        m for case in cases for m in (new if case in fresh else old) if m.case == case
    ]


def _markdown(measures: Sequence[Measure], about: dict[str, Any]) -> str:
    versions = ", ".join(f"{k} {about[k]}" for k in ("python", "numpy", "scipy"))
    lines = [
        f"{about['cpu']}, one thread, {versions}, consurv {about['consurv']}.",
        "Ratios of CPU time, from the best and the median round of contestants that "
        "take turns.",
        f"SIMD: {' '.join(about['simd'])}.",
    ]
    for case in dict.fromkeys(m.case for m in measures):
        lines += ["", f"**{case}**", "", _line(HEADER), _line(["---"] * len(HEADER))]
        lines += [_line(m.row()) for m in measures if m.case == case]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"

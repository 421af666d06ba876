"""How a run of studies gets on: a live line on a terminal, else plain lines."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from consurv.cli.console import print_note, stderr
from studies.grid import Task

__all__ = ["Live"]

# Seconds between plain lines where there is no terminal.
_QUIET = 10.0


class Live:
    """Shows cells done, cells failed and the time left, on stderr.

    The time left comes from the effort that is left: the long cells come first, so
    their number would say too little.
    """

    def __init__(self) -> None:
        self._console = stderr()
        self._terminal = self._console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[about]}"),
            console=self._console,
            disable=not self._terminal,
        )
        self._bar = self._progress.add_task("cells", total=None, about="")
        self._start = self._said = monotonic()
        self._total = self._finished = self._failed = 0
        self._effort = self._spent = 0.0

    def __enter__(self) -> Live:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def planned(self, n_cells: int, n_stored: int, effort: float) -> None:
        """Take note of the grid."""
        self._total, self._finished, self._effort = n_cells, n_stored, effort
        self._start = monotonic()
        self._show(first=True)

    def done(self, task: Task, statuses: Sequence[str]) -> None:
        """Take note of a task."""
        self._finished += len(statuses)
        self._failed += sum(status != "done" for status in statuses)
        self._spent += task.effort
        self._show()

    def note(self, message: str) -> None:
        """Print what the user should know, above the live line."""
        if self._terminal:
            self._progress.console.print(Text(f"note: {message}", "yellow"))
        else:
            print_note(message)

    def _about(self) -> str:
        failed = f"{self._failed} failed, " if self._failed else ""
        if not self._spent:
            return f"{failed}time left unknown"
        rest = (self._effort - self._spent) * (monotonic() - self._start) / self._spent
        return f"{failed}{_duration(rest)} left"

    def _show(self, first: bool = False) -> None:
        about = self._about()
        self._progress.update(
            self._bar, total=self._total, completed=self._finished, about=about
        )
        if self._terminal:
            return
        due = monotonic() - self._said > _QUIET
        if first or due or self._finished == self._total:
            self._said = monotonic()
            said = f"{self._finished} of {self._total} cells, {about}"
            self._console.print(said, soft_wrap=True)


def _duration(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> _duration(42), _duration(200), _duration(9000)
    ('42 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"

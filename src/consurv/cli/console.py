"""What the verbs share: printing, progress, notes and the border for errors."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from consurv._progress import listening
from consurv.errors import CalibrationWarning, ConsurvError

__all__ = [
    "Steps",
    "guarded",
    "notes",
    "print_note",
    "show_tracebacks",
    "stderr",
    "stdout",
]

_tracebacks: ContextVar[bool] = ContextVar("tracebacks", default=False)


def stdout() -> Console:
    """Return the console for results."""
    return Console(highlight=False)


def stderr() -> Console:
    """Return the console for progress, notes and errors."""
    return Console(stderr=True, highlight=False)


def show_tracebacks(show: bool) -> None:
    """Say whether errors come with the place in the code that they came from."""
    _tracebacks.set(show)


def guarded(verb: Callable[..., None]) -> Callable[..., None]:
    """Turn every error of a verb into one line on stderr and an exit code.

    Errors of the user's making and of the system exit with 2, an interruption with
    130, and what nobody foresaw with 1.
    """

    @wraps(verb)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            verb(*args, **kwargs)
        except KeyboardInterrupt:
            _fail("interrupted", 130)
        except BrokenPipeError:  # the reader of our output has gone, as `head` does
            raise
        except ConsurvError as error:
            _fail(str(error), 2)
        except OSError as error:
            _fail(
                f"{error.strerror}: {error.filename}" if error.filename else str(error),
                2,
            )
        except Exception as error:
            hint = "" if _tracebacks.get() else "; --traceback, put first, tells where"
            _fail(f"{type(error).__name__}: {error}{hint}", 1)

    return run


def _fail(message: str, code: int) -> NoReturn:
    console = stderr()
    if _tracebacks.get():
        console.print(Text(traceback.format_exc()), soft_wrap=True)
    line = Text.assemble(("error: ", "bold red"), (" ".join(message.split()), "red"))
    console.print(line, soft_wrap=True)
    raise typer.Exit(code)


def print_note(message: str) -> None:
    """Print what the user should know but need not act on."""
    text = " ".join(message.split())
    stderr().print(Text.assemble(("note: ", "bold yellow"), (text, "yellow")))


@contextmanager
def notes() -> Iterator[None]:
    """Print the warnings of a block as notes once it is done, each text once.

    Warnings for programmers (of deprecation and the like) are left out.
    """
    shown = (CalibrationWarning, RuntimeWarning, UserWarning)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    texts = [str(w.message) for w in caught if issubclass(w.category, shown)]
    for text in dict.fromkeys(texts):
        print_note(text)


class Steps:
    """Progress of a verb, step by step, on stderr if that is a terminal.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    """

    def __init__(self, quiet: bool = False) -> None:
        console = stderr()
        self._progress = Progress(
            SpinnerColumn(finished_text="[green]✓[/]"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=quiet or not console.is_terminal,
        )

    def __enter__(self) -> Steps:
        self._progress.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._progress.stop()

    @contextmanager
    def step(self, name: str, total: int = 1) -> Iterator[Callable[[int], None]]:
        """Show a step; what it yields says how much more of *total* is done."""
        task: TaskID = self._progress.add_task(name, total=total)
        yield lambda done: self._progress.advance(task, done)
        self._progress.update(task, completed=total)

    @contextmanager
    def follow(self, name: str) -> Iterator[None]:
        """Show a step that reports on its parts itself, as training on folds does."""
        task: TaskID = self._progress.add_task(name, total=1)

        def report(done: int, total: int) -> None:
            # The last part is what comes after them.
            self._progress.update(task, completed=done, total=total + 1)

        with listening(report):
            yield
        self._progress.update(task, completed=self._progress.tasks[task].total)

"""Blocks of subjects in a temporary folder, mapped into memory one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np

from consurv._checks import Float
from consurv.conformal.groups.outcome import GroupedOutcome
from consurv.conformal.parts.blocks import Block
from consurv.distributed.asked import Asked, Letter
from consurv.distributed.frame import merge_all
from consurv.outcome import Outcome

__all__ = ["Spilled"]

S = TypeVar("S")


class Spilled(Asked):
    """Subjects whose readings are on disk; nothing is read before the first question.

    The folder is removed when the context ends.

    Parameters
    ----------
    levels : ndarray of shape (P,)
    blocks : callable
        Yields blocks, once.

    Examples
    --------
    >>> from consurv.conformal.parts.partitions import Outcomes
    >>> half = Block(np.ones((2, 1)), np.array([0.5]), Outcome([1, 2], [1, 0]))
    >>> with Spilled(half.levels, lambda: [half, half]) as subjects:
    ...     subjects.ask(Outcomes()).n, subjects.n_parts
    (4, 2)
    """

    def __init__(self, levels: Float, blocks: Callable[[], Iterable[Block]]) -> None:
        super().__init__(levels)
        self._store = _Store(blocks)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._store.close()

    @property
    def n_parts(self) -> int:  # type: ignore[override]
        """Number of blocks."""
        return len(self._store.facts())

    def _send(self, letter: Letter[S]) -> S:
        # Unlike a comprehension this holds no block while the next one is read.
        return merge_all(map(letter.answer, self._store))


class _Store:
    """Arrays of blocks in a folder."""

    def __init__(self, blocks: Callable[[], Iterable[Block]]) -> None:
        self._make: Any = blocks
        self._folder: TemporaryDirectory[str] | None = None
        self._facts: list[Block] = []

    def facts(self) -> list[Block]:
        """Return the blocks without their rows; they are written first if need be."""
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="consurv-")
            for block in self._make():
                self._facts.append(self._written(len(self._facts), block))
                del block  # before the next one is made
        return self._facts

    def _written(self, i: int, block: Block) -> Block:
        """Write a block, and return it without its rows."""
        for name, array in _arrays(block).items():
            np.save(self._path(i, name), array)
        nobody = np.arange(0)  # a slice would hold on to all rows
        reading, outcome = block.reading[nobody], block.outcome[nobody]
        return replace(block, reading=reading, outcome=outcome)

    def _path(self, i: int, name: str) -> Path:
        assert self._folder is not None
        return Path(self._folder.name, f"{i}-{name}.npy")

    def __iter__(self) -> Iterator[Block]:
        for i, rest in enumerate(self.facts()):
            columns = (np.load(self._path(i, name)) for name in ("time", "event"))
            outcome = Outcome(*columns)
            if self._path(i, "weight").exists():
                outcome = outcome.weighted(np.load(self._path(i, "weight")))
            if isinstance(rest.outcome, GroupedOutcome):
                codes = np.load(self._path(i, "group"))
                outcome = GroupedOutcome.of_groups(outcome, codes, rest.outcome.labels)
            reading = np.load(self._path(i, "reading"), mmap_mode="r")
            block = replace(rest, reading=reading, outcome=outcome)
            del reading, outcome
            yield block
            del block

    def close(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            self._folder.cleanup()


def _arrays(block: Block) -> dict[str, Any]:
    outcome = block.outcome
    arrays = {"reading": block.reading, "time": outcome.time, "event": outcome.event}
    more = {name: getattr(outcome, name, None) for name in ("weight", "group")}
    return arrays | {name: array for name, array in more.items() if array is not None}

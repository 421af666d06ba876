"""Blocks of subjects on disk, mapped into memory one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import TracebackType
from typing import Any, Self, TypeVar
from weakref import finalize

import numpy as np

from consurv._checks import Float
from consurv.conformal.groups.outcome import GroupedOutcome
from consurv.conformal.parts.blocks import Block
from consurv.distributed.asked import Asked, Letter
from consurv.distributed.frame import merge_all
from consurv.outcome import Outcome

__all__ = ["Spilled", "Store"]

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
        self._store = Store(blocks)

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


class Store:
    """Blocks in a temporary folder, which is gone with it.

    A copy that is sent elsewhere takes the rows along and has a folder of its own.

    Parameters
    ----------
    blocks : callable
        Yields blocks, when they are first wanted.
    place : callable or None
        Says where the folder is to be; by default where temporary files are.
    """

    def __init__(
        self,
        blocks: Callable[[], Iterable[Block]],
        place: Callable[[], str | None] | None = None,
    ) -> None:
        self._make: Any = blocks
        self._place = place
        self._folder: Path | None = None
        self._facts: list[Block] | None = None

    def __reduce__(self) -> Any:
        # Seen through their maps, arrays travel without a copy where a way is found.
        blocks = [replace(b, reading=np.asarray(b.reading)) for b in self]
        return _sent, (blocks, self._place)

    def facts(self) -> list[Block]:
        """Return the blocks without their rows; they are written first if need be."""
        if self._facts is None:
            self.close()  # what an earlier attempt has left
            place = self._place() if self._place else None
            self._folder = Path(mkdtemp(prefix="consurv-", dir=place))
            # Quietly: on a worker nobody is there to close it.
            self._remove = finalize(self, rmtree, self._folder, ignore_errors=True)
            facts: list[Block] = []
            for block in self._make():
                facts.append(self._written(len(facts), block))
                del block  # before the next one is made
            # Now it is whole; what made it may hold rows.
            self._facts, self._make = facts, None
        return self._facts

    def _written(self, i: int, block: Block) -> Block:
        """Write a block, and return it without its rows."""
        for name, array in _arrays(block).items():
            # Bare numbers: the header that np.save adds is parsed as Python by np.load,
            # and Python 3.11 cannot parse in several threads at once (SystemError).
            self._path(i, name).write_bytes(np.ascontiguousarray(array).data)
        nobody = np.arange(0)  # a slice would hold on to all rows
        reading, outcome = block.reading[nobody], block.outcome[nobody]
        return replace(block, reading=reading, outcome=outcome)

    def _path(self, i: int, name: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{i}-{name}"

    def __iter__(self) -> Iterator[Block]:
        for i, rest in enumerate(self.facts()):
            empty = _arrays(rest)
            like = empty.pop("reading")
            rows = np.memmap(self._path(i, "reading"), like.dtype, mode="r")
            reading = rows.reshape(-1, *like.shape[1:])
            columns = {
                name: np.fromfile(self._path(i, name), array.dtype)
                for name, array in empty.items()
            }
            outcome = Outcome(columns["time"], columns["event"])
            outcome = outcome.weighted(columns.get("weight"))
            if isinstance(rest.outcome, GroupedOutcome):
                labels = rest.outcome.labels
                outcome = GroupedOutcome.of_groups(outcome, columns["group"], labels)
            block = replace(rest, reading=reading, outcome=outcome)
            del rows, reading, outcome, columns
            yield block
            del block

    def close(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            self._remove()


def _sent(blocks: list[Block], place: Callable[[], str | None] | None) -> Store:
    """Return a store with the rows of another."""
    store = Store(lambda: blocks, place)
    # A transfer that fails is tried again for ever; a question that fails is told of.
    with suppress(OSError):
        store.facts()
    return store


def _arrays(block: Block) -> dict[str, Any]:
    outcome = block.outcome
    arrays = {"reading": block.reading, "time": outcome.time, "event": outcome.event}
    more = {name: getattr(outcome, name, None) for name in ("weight", "group")}
    return arrays | {name: array for name, array in more.items() if array is not None}

"""What is asked of a table wherever it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Partitions
from consurv.conformal.quantile.questions import merge
from consurv.conformal.reading.elsewhere import BlockReader, Columns
from consurv.errors import InvalidInput

__all__ = ["BLOCK_ROWS", "Frame", "gathered", "joined", "merge_all", "nobody"]

S = TypeVar("S")
# Rows of a block: large enough for the search to be busy, small enough for a worker.
BLOCK_ROWS = 1 << 15
# Summaries merged at once.
_TOGETHER = 16


class Frame(ABC):
    """A table of one kind.

    Attributes
    ----------
    names : list of str
        Its columns.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from consurv.distributed import frame_of
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "new.parquet")
    ...     pd.DataFrame({"age": [61, 48]}).to_parquet(path)
    ...     frame_of(path).names
    ['age']
    """

    names: list[Any]

    @abstractmethod
    def subjects(
        self, read: BlockReader, *, verbose: bool
    ) -> AbstractContextManager[Partitions]:
        """Give the rows as partitions that can be asked; rows are predicted once.

        Nothing is read before the first question.
        """

    @abstractmethod
    def with_columns(self, columns: Columns) -> Any:
        """Return a table of the same kind, lazily, with more columns."""


def merge_all(summaries: Iterable[S | None]) -> S:
    """Merge summaries as they come, holding few of them; None is that of nobody.

    Examples
    --------
    >>> from consurv.conformal.parts.partitions import OutcomeCounts
    >>> one = OutcomeCounts(np.ones(1), np.array([2]), np.array([1]))
    >>> merge_all([one] * 40).n
    80
    """
    # Of the k-th list, each summary stands for _TOGETHER**k of them.
    lists: list[list[S]] = [[]]
    for summary in summaries:
        if summary is not None:
            lists[0].append(summary)
            _carry(lists)
    left = [summary for some in lists for summary in some]
    if not left:
        raise nobody()
    lists.clear()  # the last merge is the largest: nothing is held beside it
    return merge(left)


def _carry(lists: list[list[Any]]) -> None:
    k = 0
    while len(lists[k]) == _TOGETHER:
        if k + 1 == len(lists):
            lists.append([])
        lists[k + 1].append(merge(lists[k]))
        lists[k].clear()
        k += 1


def nobody() -> InvalidInput:
    """Return what is to be said of a table without rows."""
    return InvalidInput(
        "n_samples = 0: at least two subjects are needed; rows of weight 0 do not count"
    )


def joined(blocks: list[Block]) -> Block:
    """Return the subjects of small blocks as one block."""
    if len(blocks) == 1:
        return blocks[0]
    return replace(
        blocks[0],
        reading=np.concatenate([block.reading for block in blocks]),
        # Some know more than time and event.
        outcome=type(blocks[0].outcome).concatenate([b.outcome for b in blocks]),
    )


def gathered(blocks: Iterable[Block | None], size: int = BLOCK_ROWS) -> Iterator[Block]:
    """Yield blocks of about *size* rows, or more, from smaller ones; None is nobody."""
    waiting: list[Block] = []
    for block in blocks:
        if block is not None:
            waiting.append(block)
        del block  # it is held by the list alone
        if sum(len(some.outcome) for some in waiting) >= size:
            yield _emptied(waiting)
    if waiting:
        yield _emptied(waiting)


def _emptied(waiting: list[Block]) -> Block:
    """Return blocks as one, and let go of them."""
    whole = joined(waiting)
    waiting.clear()
    return whole

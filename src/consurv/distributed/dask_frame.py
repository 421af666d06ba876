"""Dask DataFrames: blocks stay on the workers, and summaries merge there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import dask
import pandas as pd

from consurv._checks import Float
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Partitions
from consurv.conformal.quantile.questions import merge
from consurv.conformal.reading.elsewhere import BlockReader, Columns
from consurv.distributed.asked import Asked, Letter
from consurv.distributed.dask_schema import check_partition, name_partition
from consurv.distributed.frame import Frame, nobody
from consurv.errors import ConsurvError

__all__ = ["FRAME", "DaskFrame"]

S = TypeVar("S")
# Summaries that one task merges.
_TOGETHER = 8


class DaskFrame(Frame):
    """A Dask DataFrame, on a cluster or on the threads of this process.

    Parameters
    ----------
    X : dask DataFrame

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> DaskFrame(dd.from_pandas(pd.DataFrame({"a": [1.0]}), npartitions=1)).names
    ['a']
    """

    def __init__(self, X: Any) -> None:
        self._frame = X
        self.names = list(X.columns)

    @contextmanager
    def subjects(self, read: BlockReader, *, verbose: bool) -> Iterator[Partitions]:
        """Give the rows as blocks that stay on the workers as long as the context."""
        wanted = self._frame[read.names]
        reader = dask.delayed((read, wanted._meta), pure=False, traverse=False)
        block_of = dask.delayed(_block, pure=False)
        tables = enumerate(wanted.to_delayed())
        made = [block_of(reader, table, i) for i, table in tables]
        yield _OnWorkers(read.levels, made, partial(self._explain, wanted._meta))

    def _explain(self, meta: pd.DataFrame, cluster: _Cluster) -> None:
        """Name a partition that is the reason why something went wrong."""
        name_partition(self._frame.to_delayed(), meta, cluster.compute)

    def with_columns(self, columns: Columns) -> Any:
        """Return a Dask DataFrame; rows are predicted when it is computed."""
        meta = self._frame._meta
        like = meta.assign(**{name: pd.Series(dtype=float) for name in columns.names})
        return self._frame.map_partitions(_predicted, columns, meta=like)


class _OnWorkers(Asked):
    """Blocks as tasks, of whom the cluster keeps the results and can make them anew."""

    def __init__(
        self, levels: Float, made: list[Any], explain: Callable[[_Cluster], None]
    ) -> None:
        super().__init__(levels)
        self._made, self.n_parts, self._explain = made, len(made), explain
        self._kept: Any = None
        self._curve: Any = None
        self._cluster = _Cluster()

    def _send(self, letter: Letter[S]) -> S:
        try:
            return self._sent(letter)
        except ConsurvError:
            raise
        except Exception:
            # Dask tells neither which partition nor, as a rule, which column it is.
            with _clearly():
                self._explain(self._cluster)
            raise

    def _sent(self, letter: Letter[S]) -> S:
        kept = self._blocks()
        with _clearly():
            # The curve is there already.
            light = replace(letter, reference=None)
            asked = dask.delayed(light, pure=False, traverse=False)
            answer = dask.delayed(_answer, pure=False)
            found = [answer(asked, self._curve, block) for block in kept]
            whole = _tree(found, dask.delayed(_merged, pure=False))
            summary: S | None = self._cluster.compute(whole)
        if summary is None:
            raise nobody()
        return summary

    def _blocks(self) -> Any:
        if self._kept is None:
            with _clearly():
                self._kept = self._cluster.persist(self._made)
        return self._kept

    def _referring_to(self, curve: Any, member: bool | None) -> Any:
        self._blocks()  # those with and without a curve share them
        referred: Any = super()._referring_to(curve, member)
        with _clearly():
            told = dask.delayed(referred._reference, pure=False, traverse=False)
            # It may be long, and travels once, not with every question.
            (referred._curve,) = self._cluster.persist([told])
        return referred


class _Cluster:
    """The cluster that was there at the beginning, or else threads; never another."""

    def __init__(self) -> None:
        self._client: Any = None
        try:
            from distributed import default_client

            self._client = default_client()  # type: ignore[no-untyped-call]
        except (ImportError, ValueError):  # there is none
            pass

    def persist(self, tasks: list[Any]) -> Any:
        """Begin with tasks whose results stay where they are made."""
        return self._client.persist(tasks) if self._client else dask.persist(*tasks)

    def compute(self, task: Any) -> Any:
        """Return the result of a task."""
        if self._client is None:
            return dask.compute(task)[0]
        return self._client.compute(task).result()


def _tree(parts: list[Any], merged: Callable[..., Any]) -> Any:
    while len(parts) > 1:
        groups = range(0, len(parts), _TOGETHER)
        parts = [merged(parts[i : i + _TOGETHER]) for i in groups]
    return parts[0]


def _block(
    reader: tuple[BlockReader, pd.DataFrame], table: pd.DataFrame, number: int
) -> Block | None:
    """Return the block of one partition; what is refused names it."""
    read, meta = reader
    check_partition(table, meta, number)
    try:
        return read(table)
    except ConsurvError as error:
        raise type(error)(f"partition {number}: {error}") from error


def _answer(letter: Letter[Any], curve: Any, block: Block | None) -> Any:
    return None if block is None else replace(letter, reference=curve).answer(block)


def _merged(summaries: Sequence[Any]) -> Any:
    found = [summary for summary in summaries if summary is not None]
    return merge(found) if found else None


def _predicted(table: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    values = columns(table)
    new = dict(zip(columns.names, values.T, strict=True))
    return table.assign(**new)


@contextmanager
def _clearly() -> Iterator[None]:
    """Say in one line that the cluster has gone."""
    lost: tuple[type[BaseException], ...] = (
        CancelledError,
        asyncio.CancelledError,
        TimeoutError,
        OSError,
    )
    try:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError, FuturesCancelledError

        lost += (KilledWorker, FutureCancelledError, FuturesCancelledError)
    except ImportError:  # no cluster at all
        pass
    try:
        yield
    except lost as error:
        first = next(iter(str(error).strip().splitlines()), "")
        raise ConsurvError(
            "the Dask cluster lost the work before it was done, and nothing was "
            f"changed; conformalize again. It said: {type(error).__name__}: {first}"
        ) from error


FRAME = DaskFrame

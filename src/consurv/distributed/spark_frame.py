"""Spark DataFrames: blocks are rows of bytes that Spark keeps, summaries come back."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa
from pyspark import StorageLevel

from consurv._checks import Float
from consurv.conformal.parts.partitions import Partitions
from consurv.conformal.reading.elsewhere import BlockReader, Columns
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.distributed.asked import Asked, Letter
from consurv.distributed.batches import with_columns
from consurv.distributed.frame import Frame, gathered, merge_all, nobody
from consurv.errors import ConsurvError, InvalidInput

__all__ = ["FRAME", "SparkFrame"]

S = TypeVar("S")
# What goes between Spark and Python: bytes, and what is to be said where rows are
# refused (an error would come back as a page of Java's and Python's lines).
_ROWS = "content binary, refusal string"
_SCHEMA = pa.schema([("content", pa.binary()), ("refusal", pa.string())])
# A block is large: Spark hands them to Python one by one.
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


class SparkFrame(Frame):
    """A Spark DataFrame.

    Parameters
    ----------
    X : pyspark DataFrame
    """

    def __init__(self, X: Any) -> None:
        self._frame = X
        self.names = list(X.columns)

    @contextmanager
    def subjects(self, read: BlockReader, *, verbose: bool) -> Iterator[Partitions]:
        """Give the rows as blocks that Spark keeps as long as the context."""
        wanted = self._frame.select([_quoted(name) for name in read.names])
        blocks = wanted.mapInArrow(_blocks(read), _ROWS)
        blocks.persist(StorageLevel.MEMORY_AND_DISK)
        subjects = _InSpark(read.levels, blocks)
        try:
            yield subjects
        finally:
            subjects.forget()
            blocks.unpersist()

    def with_columns(self, columns: Columns) -> Any:
        """Return a Spark DataFrame; rows are predicted when it is computed."""
        from pyspark.sql.types import DoubleType, StructField, StructType

        more = [StructField(name, DoubleType()) for name in columns.names]
        schema = StructType([*self._frame.schema.fields, *more])
        return self._frame.mapInArrow(_predicted(columns), schema)


class _InSpark(Asked):
    """Blocks as rows of a DataFrame that Spark keeps and can make anew."""

    def __init__(self, levels: Float, blocks: Any) -> None:
        super().__init__(levels)
        self._blocks, self._made = blocks, False
        self._told: list[Any] = []  # all curves that executors have been sent
        self._curve: Any = None
        self.n_parts = 1  # blocks, whose sketches add up; known with the first answer

    def forget(self) -> None:
        """Let executors drop the curves that they were sent."""
        for curve in self._told:
            curve.destroy()

    def _referring_to(self, curve: KaplanMeier, member: bool | None) -> Any:
        referred: Any = super()._referring_to(curve, member)
        # It may be long, and travels once, not with every question.
        session = self._blocks.sparkSession
        referred._curve = _broadcast(session, referred._reference)
        if referred._curve is not None:
            self._told.append(referred._curve)
        return referred

    def _send(self, letter: Letter[S]) -> S:
        if not self._made:
            # From many rows at a time, not one by one as below.
            self.n_parts = max(self._blocks.count(), 1)
            self._made = True
        if self._curve is not None:
            letter = replace(letter, reference=None)
        with _one_by_one(self._blocks.sparkSession):
            asked = self._blocks.mapInArrow(_answers(letter, self._curve), _ROWS)
            rows = asked.collect()
        refused = [row["refusal"] for row in rows if row["refusal"] is not None]
        if refused:
            raise InvalidInput(min(refused))
        if not rows:
            raise nobody()
        summary: S = merge_all(pickle.loads(row["content"]) for row in rows)
        return summary


def _quoted(name: Any) -> str:
    """Return a name as Spark reads it whatever dots and quotes are in it."""
    return "`" + str(name).replace("`", "``") + "`"


def _broadcast(session: Any, curve: KaplanMeier) -> Any:
    """Send a curve to all executors; None where Spark cannot do it."""
    try:
        context = session.sparkContext
    except Exception:  # Spark Connect has none, and says so in several ways
        return None
    return context.broadcast(curve)


def _blocks(read: BlockReader) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what makes blocks of a partition; refused rows become a line."""

    def blocks(batches: Iterable[Any]) -> Iterator[Any]:
        tables = (batch.to_pandas() for batch in batches)
        try:
            for block in gathered(map(read, tables)):
                yield _row(pickle.dumps(block, protocol=5))
        except ConsurvError as error:
            yield _row(None, f"partition {_partition()}: {error}")

    return blocks


def _answers(
    letter: Letter[Any], curve: Any
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return what makes one summary of the blocks of a partition."""

    def answers(batches: Iterable[Any]) -> Iterator[Any]:
        refused: list[str] = []
        whole = letter if curve is None else replace(letter, reference=curve.value)

        def summaries() -> Iterator[Any]:
            for batch in batches:
                for content, refusal in zip(*batch.to_pydict().values(), strict=True):
                    if refusal is not None:
                        refused.append(refusal)
                    elif not refused:
                        yield whole.answer(pickle.loads(content))

        try:
            summary = pickle.dumps(merge_all(summaries()), protocol=5)
        except InvalidInput:  # nobody is here
            summary = None
        if refused:
            yield _row(None, refused[0])
        elif summary is not None:
            yield _row(summary)

    return answers


def _predicted(columns: Columns) -> Callable[[Iterable[Any]], Iterator[Any]]:
    def predicted(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            yield with_columns(batch, columns)

    return predicted


def _row(content: bytes | None, refusal: str | None = None) -> Any:
    return pa.RecordBatch.from_pylist(
        [{"content": content, "refusal": refusal}], schema=_SCHEMA
    )


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return -1 if context is None else int(context.partitionId())


@contextmanager
def _one_by_one(session: Any) -> Iterator[None]:
    before = session.conf.get(_BATCH)
    session.conf.set(_BATCH, "1")
    try:
        yield
    finally:
        session.conf.set(_BATCH, before)


FRAME = SparkFrame

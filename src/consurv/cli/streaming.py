"""Files of new subjects into a folder: part by part, in the memory of one batch."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from rich.text import Text

from consurv._files import write_atomically
from consurv.cli.console import Steps, stdout
from consurv.cli.predicting import Prediction, percentile_table, wanted_columns
from consurv.cli.reading import labels_of
from consurv.cli.writing import writing
from consurv.conformal import ConformalSurvival
from consurv.datasets.table import pick_columns
from consurv.errors import InvalidInput, MissingDependency

__all__ = ["Parts", "is_folder", "stream", "told"]

# What says by which command a folder was filled.
RUN = "run.json"


def is_folder(out: Path) -> bool:
    """Say whether results are to go to a folder, part by part.

    Examples
    --------
    >>> is_folder(Path("results")), is_folder(Path("curves.csv"))
    (True, False)
    """
    return out.is_dir() or not out.suffix


@dataclass(frozen=True)
class Parts:
    """Files of new subjects, and the folder where each has a part of the same name.

    A part is there only when it is whole: what a killed run has written stays, and the
    same command goes on from there.

    Parameters
    ----------
    files : list of Path
    out : Path
    id_column : str, optional
    """

    files: list[Path]
    out: Path
    id_column: str | None = None
    _names: dict[Path, str] = field(init=False, default_factory=dict)

    @classmethod
    def of(cls, new: Path, out: Path, id_column: str | None) -> Parts:
        """Return those of a file, a folder or a pattern."""
        try:
            from consurv.distributed.files import found_files
        except ImportError as error:
            raise MissingDependency("pyarrow", "cli") from error
        files = [Path(name) for name in found_files(new)]
        for path in files:
            if path.suffix not in (".parquet", ".pq"):
                raise InvalidInput(
                    f"{path} is not Parquet by its name; a folder of parts is made of "
                    "Parquet files (for others give --out a file, such as curves.csv)"
                )
        return cls(files, out, id_column)

    def __post_init__(self) -> None:
        common = os.path.commonpath([path.resolve().parent for path in self.files])
        for path in self.files:
            name = str(path.resolve().relative_to(common)).replace(os.sep, "__")
            self._names[path] = str(Path(name).with_suffix(".parquet"))
        if self.out.resolve() == Path(common):
            raise InvalidInput(
                f"{self.out} holds the inputs; give --out another folder"
            )

    def begin(self, settings: dict[str, Any], force: bool) -> None:
        """Write down what the folder is for, or see that it is for the same."""
        self.out.mkdir(parents=True, exist_ok=True)
        path, wanted = self.out / RUN, json.dumps(settings, indent=1, sort_keys=True)
        same = path.exists() and path.read_text(encoding="utf-8") == wanted
        others = any(part.exists() for part in map(self.part, self.files))
        if not same and not force and (path.exists() or others):
            raise InvalidInput(
                f"{self.out} holds the results of another command (see {path}); give "
                "another folder or --force"
            )
        if not same or force:
            for part in map(self.part, self.files):
                part.unlink(missing_ok=True)
            write_atomically(path, wanted)

    def part(self, path: Path) -> Path:
        """Return where the predictions of a file are written."""
        return self.out / self._names[path]

    def missing(self) -> list[Path]:
        """Return the files without a part, or with one that is older."""
        return [path for path in self.files if not _is_done(path, self.part(path))]


def _is_done(path: Path, part: Path) -> bool:
    return part.exists() and part.stat().st_mtime >= path.stat().st_mtime


def stream(model: ConformalSurvival, parts: Parts, steps: Steps) -> int:
    """Predict file after file; return how many rows were predicted now."""
    missing, n = parts.missing(), 0
    with steps.step("Predicting, writing", total=len(parts.files)) as advance:
        advance(len(parts.files) - len(missing))
        for path in missing:
            with writing(parts.part(path)) as writer:
                for labels, X in _batches(path, model, parts.id_column):
                    curves = model.predict_survival_function(X)
                    table = percentile_table(Prediction(labels, curves), model.levels_)
                    writer.write(table)
                    n += len(labels)
            advance(1)
    return n


def _batches(
    path: Path, model: ConformalSurvival, id_column: str | None
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Yield labels and features, batch by batch."""
    from consurv.distributed.batches import BATCH_ROWS
    from consurv.distributed.files import open_source

    source, start = open_source(path), 0
    names = wanted_columns(model) or []  # who has no names is refused before
    wanted = names if id_column is None else [*names, id_column]
    header = pd.DataFrame(columns=source.schema.names)
    pick_columns(header, wanted, str(path))  # says which columns are lacking
    for _, batch in source.batches(wanted, BATCH_ROWS):
        frame = batch.to_pandas(ignore_metadata=True)
        labels = labels_of(frame, id_column, str(path))
        labels["subject"] += start
        start += len(frame)
        if len(frame):
            yield labels, frame[names]


def told(parts: Parts, n: int) -> None:
    """Print what is in the folder."""
    text = f"{len(parts.files)} parts in {parts.out}, {n:,} subjects predicted now."
    stdout().print(Text(text), soft_wrap=True)

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from consurv.datasets import load_dataset

OUTCOME = ["time", "event"]


@dataclass(frozen=True)
class Files:
    """GBSG as a user may keep it: 500 patients to train on, 120 new ones."""

    folder: Path
    train: pd.DataFrame
    new: pd.DataFrame

    @property
    def command(self) -> list[str]:
        """The usual arguments; further ones may be appended."""
        return self.with_train("train.csv")

    def with_train(self, train: str, new: str = "new.csv") -> list[str]:
        paths = [str(self.folder / train), str(self.folder / new)]
        out = str(self.folder / "curves.parquet")
        columns = ["--time", "time", "--event", "event"]
        return ["calibrate", *paths, *columns, "--out", out]

    def written(self) -> set[str]:
        """Names in the folder besides the inputs, hidden ones too."""
        inputs = {"train.csv", "train.parquet", "new.csv", "new.parquet", "bad.csv"}
        return {path.name for path in self.folder.iterdir()} - inputs


@pytest.fixture(scope="session")
def gbsg_table() -> pd.DataFrame:
    data = load_dataset("GBSG")
    table = data.X.assign(time=data.y["time"], event=data.y["event"].astype(int))
    table = table.sample(620, random_state=0, ignore_index=True)
    return table.assign(patient=[f"p{i}" for i in range(620)])


@pytest.fixture
def files(gbsg_table: pd.DataFrame, tmp_path: Path) -> Files:
    train = gbsg_table.iloc[:500].drop(columns="patient")
    new = gbsg_table.iloc[500:].reset_index(drop=True)
    for name, frame in {"train": train, "new": new}.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frame.to_parquet(tmp_path / f"{name}.parquet")
    return Files(tmp_path, train, new)

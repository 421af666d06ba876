from pathlib import Path

import pytest

from consurv.errors import InvalidInput
from studies import StudyConfig, read_config
from studies.toml import write_config


def write(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text)
    return path


class TestReadConfig:
    def test_a_table_of_a_study_overrides_the_top(self, tmp_path: Path) -> None:
        path = write(
            tmp_path,
            "seeds = 4\n[settings.deephit]\nmax_epochs = 2\n"
            "[cost]\nseeds = 1\n[cost.settings.n-mtlr]\nmax_epochs = 1\n",
        )
        assert read_config(path, "main")["seeds"] == 4
        cost = read_config(path, "cost")
        assert cost["seeds"] == 1
        assert cost["settings"] == {
            "deephit": {"max_epochs": 2},
            "n-mtlr": {"max_epochs": 1},
        }

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("sedes = 3", "unknown key 'sedes'; known are datasets, models, seeds"),
            ("[mian]\nseeds = 1", "unknown key 'mian'.*ablation-censoring"),
            ("[cost]\nsedes = 1", "unknown key 'sedes'"),
            ("cost = 3", "must be a table, not 3"),
            ("seeds 3", "not a TOML file"),
        ],
    )
    def test_refuses(self, text: str, message: str, tmp_path: Path) -> None:
        with pytest.raises(InvalidInput, match=message):
            read_config(write(tmp_path, text), "main")


class TestWriteConfig:
    def test_can_be_read_back(self, tmp_path: Path) -> None:
        path = tmp_path / "config.toml"
        config = StudyConfig(
            "main",
            datasets=["PBC"],
            models=["deephit"],
            seeds=3,
            settings={"deephit": {"max_epochs": 2, "hidden": [8, 8]}},
        )
        write_config(path, [config])
        assert StudyConfig("main", **read_config(path, "main")) == config

    def test_keeps_other_studies(self, tmp_path: Path) -> None:
        path = tmp_path / "config.toml"
        write_config(path, [StudyConfig("main", seeds=3)])
        write_config(path, [StudyConfig("cost", seeds=1)])
        write_config(path, [StudyConfig("main", seeds=4)])
        assert read_config(path, "main")["seeds"] == 4
        assert read_config(path, "cost")["seeds"] == 1

    def test_replaces_a_broken_file(self, tmp_path: Path) -> None:
        path = write(tmp_path, "no toml")
        write_config(path, [StudyConfig("main", seeds=3)])
        assert read_config(path, "main")["seeds"] == 3

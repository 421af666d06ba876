from pathlib import Path

import pandas as pd
import pytest

from consurv.datasets import MissingData, load_dataset, load_seer
from consurv.errors import CalibrationWarning, InvalidInput

ROWS = pd.DataFrame(
    {
        "Age": [60, 60, 60, 71, 72, 73, 74, 75, 76, 77],
        "Sex": [0, 0, 0, 1, 1, 1, 0, 0, 1, 1],
        "Grade": ["Unknown", "Blank(s)", None, *["unknown"] * 4, "II", "II", "I"],
        "Stage": ["Unknown", "Unknown", "x", *["Unknown"] * 5, "y", "y"],
        "Survival months": ["12", "12", "12", "Unknown", "", "0", "5", "227", "9", "1"],
        "event": [1, 1, 1, 0, 0, 1, 0, 0, 1, 1],
    }
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "export.csv"
    ROWS.to_csv(path, index=False)
    return path


class TestTheCleaning:
    def test_drops_patients_without_a_time_and_with_time_0(self, path: Path) -> None:
        y = load_seer(path, "brain").y
        assert 0 not in y["time"]
        assert set(y["time"]) == {12, 5, 227, 9, 1}

    def test_keeps_features_with_at_most_70_per_cent_unknown(self, path: Path) -> None:
        # Grade is unknown in 7 of 10 patients, Stage too: 70 % is not more than 70 %.
        assert list(load_seer(path, "brain").X) == ["Age", "Sex", "Grade", "Stage"]

    def test_drops_features_with_more(self, tmp_path: Path) -> None:
        rows = ROWS.assign(Grade=["Unknown"] * 8 + ["I", "II"])
        rows.to_csv(tmp_path / "export.csv", index=False)
        X = load_seer(tmp_path / "export.csv", "brain").X
        assert list(X) == ["Age", "Sex", "Stage"]

    def test_keeps_one_of_the_records_that_are_the_same(self, tmp_path: Path) -> None:
        # The first three differ in columns that are dropped for their unknown values.
        rows = ROWS.assign(Grade="Unknown", Stage=[None] * 9 + ["y"])
        rows.to_csv(tmp_path / "export.csv", index=False)
        data = load_seer(tmp_path / "export.csv", "brain")
        assert sorted(data.y["time"]) == [1, 5, 9, 12, 227]
        assert data.X.index.tolist() == [0, 1, 2, 3, 4]

    def test_takes_other_names_for_time_and_event(self, tmp_path: Path) -> None:
        names = {"Survival months": "months", "event": "died"}
        ROWS.rename(columns=names).to_csv(tmp_path / "a.csv", index=False)
        data = load_seer(tmp_path / "a.csv", "LIVER", time="months", event="died")
        assert data.name == "SEER-liver"
        assert data.y["event"].dtype == bool


class TestErrors:
    def test_name_a_column_that_is_missing(self, path: Path) -> None:
        with pytest.raises(
            InvalidInput, match=r"export\.csv lacks the column 'Months'\. It has: Age"
        ):
            load_seer(path, "brain", time="Months")

    def test_list_the_sites(self, path: Path) -> None:
        with pytest.raises(InvalidInput, match="Choose one of: brain, liver, stomach"):
            load_seer(path, "lung")

    def test_say_when_nothing_is_left(self, tmp_path: Path) -> None:
        ROWS.assign(**{"Survival months": 0}).to_csv(tmp_path / "a.csv", index=False)
        with pytest.raises(
            InvalidInput,
            match="of 10 patients and 4 features the cleaning left 0 and 4",
        ):
            load_seer(tmp_path / "a.csv", "brain")

    def test_say_when_no_feature_is_left(self, tmp_path: Path) -> None:
        rows = ROWS[["Grade", "Survival months", "event"]].assign(Grade="Unknown")
        rows.to_csv(tmp_path / "a.csv", index=False)
        with pytest.raises(InvalidInput, match="cleaning left 5 and 0"):
            load_seer(tmp_path / "a.csv", "brain")

    def test_name_events_that_are_no_events(self, tmp_path: Path) -> None:
        ROWS.assign(event="Dead").to_csv(tmp_path / "a.csv", index=False)
        with pytest.raises(InvalidInput, match=r"a\.csv .*event holds text"):
            load_seer(tmp_path / "a.csv", "brain")


class TestTheRegisteredNames:
    def test_read_the_users_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CONSURV_DATA", str(tmp_path))
        ROWS.to_csv(tmp_path / "SEER-stomach.csv", index=False)
        with pytest.warns(CalibrationWarning, match="the paper has 100360 and 43.40 %"):
            data = load_dataset("seer-stomach")
        assert data.name == "SEER-stomach"

    def test_say_how_to_get_the_rows(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CONSURV_DATA", str(tmp_path))
        with pytest.raises(
            MissingData, match=r"seer\.cancer\.gov.*SEER-brain\.csv in the folder CONS"
        ):
            load_dataset("SEER-brain")

"""METABRIC, NACD, GBM and SUPPORT, from small files and from the real ones."""

import csv
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consurv.datasets import (
    MissingData,
    TableEncoder,
    describe_datasets,
    load_dataset,
)
from consurv.errors import InvalidInput

NAMES = ["GBM", "METABRIC", "NACD", "SUPPORT"]

GBM = """Composite Element REF,years_to_birth,delta,time,tumor_tissue_site,gender,\
date_of_initial_pathologic_diagnosis,radiation_therapy,karnofsky_performance_score,\
histological_type,race,ethnicity
value,44,1,45,brain,female,2011,no,NA,de novo,white,not hispanic or latino
value,68,1,0,brain,male,2013,NA,NA,gbm,black or african american,NA
value,50,0,NA,brain,male,2013,yes,80,gbm,asian,NA
value,51,0,90,brain,male,2012,NA,80,gbm,NA,NA
value,52,0,91,brain,male,2010,yes,60,gbm,asian,hispanic or latino
"""
NACD = """time,delta,NAUSEA,STAGE_1,PERFORMANCE_STATUS,STAGE_NUMERICAL,AGE65,AGE
3.5,1,-1,1,2,1,-1,80.5
0,0,0,0,1,2,0,50
2,0,0,0,1,2,0,60
"""
SUPPORT = """sno,d.time,death,age,sex,dzclass,num.co,edu,income,scoma,race,diabetes,\
dementia,ca,meanbp,wblc,hrt,resp,temp,pafi,alb,bili,crea,sod,ph,glucose,bun,urine,adlsc
1,2029,0, 62.8,male,Cancer,0,11,$11-$25k,  0,other,0,0,metastatic, 97.0,,69,22,36,,,,,\
141,7.4,,,, 7
2,   4,1, 60.3,female,Coma,2,,,44,,1,0,yes, 43.0,17.1,112,34,34.6, 98,1,2,3,132,,,4,5,1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of data; the cache is empty."""
    monkeypatch.setenv("CONSURV_DATA", str(tmp_path))
    monkeypatch.setenv("CONSURV_CACHE", str(tmp_path / "none"))
    return tmp_path


class TestGbm:
    def test_keeps_patients_with_a_time_above_0(self, folder: Path) -> None:
        (folder / "GBM.csv").write_text(GBM)
        data = load_dataset("GBM", check=False)
        assert data.y["time"].tolist() == [45, 90, 91]
        assert data.y["event"].tolist() == [True, False, False]

    def test_codes_its_features(self, folder: Path) -> None:
        (folder / "GBM.csv").write_text(GBM)
        X = load_dataset("GBM", check=False).X
        assert X["gender"].tolist() == [0, 1, 1]
        np.testing.assert_array_equal(X["radiation_therapy"], [0, np.nan, 1])
        np.testing.assert_array_equal(X["ethnicity"], [0, np.nan, 1])
        unknown = "asian or not known"  # as the paper's coding has it
        assert X["race"].tolist() == ["white", unknown, unknown]
        assert X.shape[1] == 8

    def test_has_the_figures_of_the_papers_table_before_time_0_is_dropped(
        self,
    ) -> None:
        rows = pd.read_csv(real("GBM"))
        known = rows.dropna(subset=["time"])
        assert (len(rows), len(known)) == (595, 592)
        assert round(100 * (1 - known["delta"].mean()), 2) == 17.23
        assert len(load_dataset("GBM")) == 591


class TestNacd:
    def test_drops_time_0_and_repeated_columns(self, folder: Path) -> None:
        (folder / "NACD.csv").write_text(NACD)
        data = load_dataset("NACD", check=False)
        assert data.y["time"].tolist() == [3.5, 2]
        assert data.X.to_dict("list") == {
            "NAUSEA": [1, 0],  # written as -1
            "STAGE_1": [1, 0],
            "AGE": [80.5, 60],
        }

    def test_that_is_another_table_is_refused(self, folder: Path) -> None:
        (folder / "NACD.csv").write_text("time,delta,AGE\n1,1,50\n")
        with pytest.raises(InvalidInput, match=r"NACD\.csv lacks the columns 'PERFORM"):
            load_dataset("NACD")


class TestMetabric:
    def test_takes_all_other_columns_for_features(self, folder: Path) -> None:
        (folder / "METABRIC.csv").write_text('"time","delta","a"\n5,1,2\n7,0,3\n')
        data = load_dataset("METABRIC", check=False)
        assert data.X.to_dict("list") == {"a": [2, 3]}


class TestSupport:
    def test_reads_the_form_of_the_source(self, folder: Path) -> None:
        (folder / "SUPPORT.csv").write_text(SUPPORT)
        data = load_dataset("SUPPORT", check=False)
        first, second = (row for _, row in data.X.iterrows())
        assert data.y.tolist() == [(False, 2029), (True, 4)]
        assert data.X.shape == (2, 26)
        assert (first["sex"], first["ca"], first["income"]) == (1, 1, 1)
        assert (second["sex"], second["ca"], second["race"]) == (0, 0, "white")
        assert np.isnan(second["income"])

    def test_fills_physiologic_features_with_normal_values(self, folder: Path) -> None:
        (folder / "SUPPORT.csv").write_text(SUPPORT)
        X = load_dataset("SUPPORT", check=False).X
        filled = X[["alb", "pafi", "bili", "crea", "bun", "wblc", "urine"]]
        assert filled.iloc[0].tolist() == [3.5, 333.3, 1.01, 1.01, 6.51, 9, 2502]
        assert filled.iloc[1].tolist() == [1, 98, 2, 3, 4, 17.1, 5]
        assert X["glucose"].isna().all()

    def test_comes_from_survset_without_a_file(self, folder: Path) -> None:
        pytest.importorskip("SurvSet", reason="SurvSet is not installed")
        data = load_dataset("SUPPORT")
        assert data.X.shape == (9105, 25)
        assert "adlsc" not in data.X
        assert data.source == "support2 of the SurvSet package, without adlsc"

    def test_without_either_says_how_to_get_it(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "SurvSet.data", None)
        with pytest.raises(
            MissingData, match=r"fetch SUPPORT.*or pip install 'consurv\[datasets\]'"
        ):
            load_dataset("SUPPORT")

    def test_is_the_same_from_file_and_survset(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("SurvSet", reason="SurvSet is not installed")
        file = real("SUPPORT")
        whole = load_dataset("SUPPORT")
        assert file.is_file()
        monkeypatch.delenv("CONSURV_DATA")
        monkeypatch.setenv("CONSURV_CACHE", "/nonexistent")
        part = load_dataset("SUPPORT")
        assert set(whole.X) - set(part.X) == {"adlsc"}
        pd.testing.assert_frame_equal(part.X, whole.X[list(part.X)], check_dtype=False)
        np.testing.assert_array_equal(part.y, whole.y)


class TestEveryFile:
    @pytest.mark.parametrize("name", [n for n in NAMES if n != "SUPPORT"])
    def test_that_is_missing_is_an_error_with_the_way_out(
        self, folder: Path, name: str
    ) -> None:
        with pytest.raises(MissingData, match=rf"consurv datasets fetch {name}"):
            load_dataset(name)
        assert not describe_datasets().loc[name, "here"]

    @pytest.mark.parametrize("name", NAMES)
    def test_may_be_quoted_as_at_its_source(
        self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, expected = real(name), load_dataset(name)
        with path.open(newline="") as file, (tmp_path / path.name).open("w") as quoted:
            writer = csv.writer(quoted, quoting=csv.QUOTE_ALL)
            writer.writerows([f"  {cell}" for cell in row] for row in csv.reader(file))
        monkeypatch.setenv("CONSURV_DATA", str(tmp_path))
        found = load_dataset(name)
        pd.testing.assert_frame_equal(found.X, expected.X, check_dtype=False)
        np.testing.assert_array_equal(found.y, expected.y)


class TestTheMissingValuesOfTheRealFiles:
    def test_gbm(self) -> None:
        real("GBM")
        missing = load_dataset("GBM").X.isna().sum()
        assert missing[missing > 0].to_dict() == {
            "radiation_therapy": 26,
            "karnofsky_performance_score": 149,
            "ethnicity": 91,
        }

    def test_gbm_is_filled_as_in_the_paper(self) -> None:
        real("GBM")
        data = load_dataset("GBM")
        fill = TableEncoder(impute=data.impute).fit(data.X)._numbers
        found = dict(zip(fill.names, fill.fill.tolist(), strict=True))
        assert found["karnofsky_performance_score"] == 80
        assert found["ethnicity"] == 0
        assert found["radiation_therapy"] == 1

    def test_support(self) -> None:
        real("SUPPORT")
        missing = load_dataset("SUPPORT").X.isna().sum()
        ones = dict.fromkeys(["scoma", "meanbp", "hrt", "resp", "temp", "sod"], 1)
        assert missing[missing > 0].to_dict() == ones | {
            "edu": 1634,
            "ph": 2284,
            "glucose": 4500,
            "income": 2982,
        }


def real(name: str) -> Path:
    """The real file; the test is skipped where it is not at hand."""
    path = Path(os.environ.get("CONSURV_DATA", "/nonexistent"), f"{name}.csv")
    if not path.is_file():
        pytest.skip(f"CONSURV_DATA does not name a folder that holds {path.name}")
    return path


class TestAnotherVersion:
    """Files that are not those of the paper's Table 1."""

    ROWS = "time,delta,a\n5,1,2\n7,0,3\n"

    def test_is_refused(self, folder: Path) -> None:
        (folder / "METABRIC.csv").write_text(self.ROWS)
        with pytest.raises(
            InvalidInput,
            match=r"METABRIC has 2 subjects, 50\.00 % of them censored, with 1 features"
            r"; the table of the paper has 1981 and 55\.17 %, with 79.*check=False",
        ):
            load_dataset("METABRIC")

    def test_is_loaded_knowingly(self, folder: Path) -> None:
        (folder / "METABRIC.csv").write_text(self.ROWS)
        assert len(load_dataset("METABRIC", check=False)) == 2

    @pytest.mark.parametrize("change", ["row", "event", "column"])
    def test_is_told_by_one_change(self, folder: Path, change: str) -> None:
        rng = np.random.default_rng(0)
        rows = pd.DataFrame(rng.normal(size=(1981, 79))).add_prefix("x")
        rows = rows.assign(time=1.0, delta=(np.arange(1981) < 888).astype(int))
        path = folder / "METABRIC.csv"
        rows.to_csv(path, index=False)
        assert len(load_dataset("METABRIC")) == 1981
        if change == "row":
            rows = rows.iloc[1:]
        elif change == "event":
            rows.loc[0, "delta"] = 0
        else:
            rows = rows.drop(columns="x3")
        rows.to_csv(path, index=False)
        with pytest.raises(InvalidInput, match="the table of the paper has 1981"):
            load_dataset("METABRIC")

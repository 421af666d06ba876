import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consurv.datasets import load_table, read_table, split_outcome
from consurv.datasets.files import read_rows
from consurv.datasets.table import pick_columns, table_suffix
from consurv.errors import InvalidInput, MissingDependency
from consurv.outcome import Outcome

FRAME = pd.DataFrame(
    {
        "age": [61, 48, 55, 70],
        "months": [3.5, 7.0, 2.0, 9.0],
        "died": [1, 0, 1, 0],
        "sex": ["f", "m", "m", "f"],
    }
)
WRITERS = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    ".parquet": lambda frame, path: frame.to_parquet(path),
    ".pq": lambda frame, path: frame.to_parquet(path),
}


def write(folder: Path, frame: pd.DataFrame, suffix: str = ".csv") -> Path:
    path = folder / f"trial{suffix}"
    WRITERS[suffix](frame, path)
    return path


class TestLoadTable:
    @pytest.mark.parametrize("suffix", WRITERS)
    def test_reads_features_and_outcomes(self, tmp_path: Path, suffix: str) -> None:
        X, y = load_table(write(tmp_path, FRAME, suffix), time="months", event="died")
        pd.testing.assert_frame_equal(X, FRAME[["age", "sex"]])
        assert y == Outcome(time=FRAME["months"], event=FRAME["died"])

    def test_reads_upper_case_suffixes_and_plain_text_paths(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "TRIAL.CSV"
        FRAME.to_csv(path, index=False)
        assert len(read_table(str(path))) == 4

    def test_reads_a_shuffled_index_by_position(self, tmp_path: Path) -> None:
        frame = FRAME.sample(frac=1, random_state=0)
        X, _ = load_table(
            write(tmp_path, frame, ".parquet"), time="months", event="died"
        )
        assert X.index.tolist() == [0, 1, 2, 3]
        assert X["age"].tolist() == frame["age"].tolist()

    def test_leaves_out_row_numbers_that_pandas_wrote(self, tmp_path: Path) -> None:
        FRAME.to_csv(tmp_path / "trial.csv")
        assert read_table(tmp_path / "trial.csv").columns.tolist() == list(FRAME)

    def test_reads_true_and_false_as_events(self, tmp_path: Path) -> None:
        path = write(tmp_path, FRAME.assign(died=FRAME["died"] == 1))
        assert load_table(path, time="months", event="died")[1].n_events == 2


class TestFilesThatCannotBeRead:
    def test_because_they_are_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInput, match=r"no\.csv does not exist"):
            read_table(tmp_path / "no.csv")

    def test_because_they_are_folders(self, tmp_path: Path) -> None:
        (tmp_path / "folder.csv").mkdir()
        with pytest.raises(InvalidInput, match=r"folder\.csv is not a file"):
            read_table(tmp_path / "folder.csv")

    @pytest.mark.parametrize("name", ["trial.xlsx", "trial", ".csv"])
    def test_because_of_their_suffix(self, name: str) -> None:
        with pytest.raises(InvalidInput, match=r"end in one of: \.csv, \.csv\.gz"):
            read_table(name)

    @pytest.mark.parametrize("text", ["", "age,months,died\n"])
    def test_because_they_are_empty(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "trial.csv"
        path.write_text(text)
        with pytest.raises(InvalidInput, match=r"trial\.csv is empty"):
            read_table(path)

    @pytest.mark.parametrize(
        "content", [b'a,b\n1,2\n1,2,3,"4', b"a,b\n\xff\xfe,1\n"], ids=["cut", "binary"]
    )
    def test_because_they_are_no_csv(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "trial.csv"
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="cannot be read as CSV"):
            read_table(path)

    def test_because_they_are_in_another_encoding(self, tmp_path: Path) -> None:
        path = tmp_path / "trial.csv"
        path.write_text("âge,mois\n1,2\n", encoding="latin-1")
        with pytest.raises(InvalidInput, match=r"encoding=\.\.\.\).*as UTF-8"):
            read_table(path)

    @pytest.mark.parametrize(
        "content",
        [b"no gzip", gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-20]],
        ids=["no gzip", "cut off"],
    )
    def test_because_the_compression_is_damaged(
        self, tmp_path: Path, content: bytes
    ) -> None:
        path = tmp_path / "trial.csv.gz"
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="cannot be read as CSV"):
            read_table(path)

    def test_because_they_are_no_parquet(self, tmp_path: Path) -> None:
        path = tmp_path / "trial.parquet"
        path.write_text("age,months,died\n")
        with pytest.raises(InvalidInput, match="cannot be read as Parquet"):
            read_table(path)

    def test_because_pyarrow_is_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write(tmp_path, FRAME, ".parquet")
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingDependency, match=r"pyarrow.*consurv\[cli\]"):
            read_table(path)


class TestText:
    """The column that is asked for stays as it is written."""

    IDS = ("00001", "3E3", "12.0010", "NA", "True", " 7", "1_000")

    def test_of_a_csv_is_kept(self, tmp_path: Path) -> None:
        rows = [f"{i},{name},NA,0{i}" for i, name in enumerate(self.IDS)]
        text = "\n".join(["\ufeffage,id,dose,code", *rows, "8,,1,08", ""])
        (tmp_path / "t.csv").write_text(text, encoding="utf-8")
        frame = read_table(tmp_path / "t.csv", text="id")
        assert frame["id"].tolist() == [*self.IDS, None]
        others = read_table(tmp_path / "t.csv").drop(columns="id")
        pd.testing.assert_frame_equal(frame.drop(columns="id"), others)
        assert others["code"].tolist() == [*range(7), 8]

    def test_of_parquet_has_its_type(self, tmp_path: Path) -> None:
        path = write(tmp_path, FRAME, ".parquet")
        pd.testing.assert_frame_equal(read_table(path, text="age"), FRAME)

    def test_may_be_a_column_that_is_not_there(self, tmp_path: Path) -> None:
        path = write(tmp_path, FRAME)
        pd.testing.assert_frame_equal(read_table(path, text="id"), FRAME)


class TestSeparators:
    @pytest.mark.parametrize("decimal", [".", ","])
    @pytest.mark.parametrize("mark", [";", "\t", "|"])
    def test_other_than_commas_are_named(
        self, tmp_path: Path, mark: str, decimal: str
    ) -> None:
        path = tmp_path / "trial.csv"
        FRAME.to_csv(path, index=False, sep=mark, decimal=decimal)
        with pytest.raises(InvalidInput, match=r"have .* between its cells") as refused:
            read_table(path)
        told = str(refused.value)
        assert f"pandas.read_csv(path, sep={mark!r}), with decimal=','" in told
        again = pd.read_csv(path, sep=mark, decimal=decimal)
        again.to_csv(tmp_path / "again.csv", index=False)
        pd.testing.assert_frame_equal(read_table(tmp_path / "again.csv"), FRAME)

    def test_in_names_beside_commas_are_names(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("age;years,time|months\n61,3\n")
        names = read_table(tmp_path / "t.csv").columns.tolist()
        assert names == ["age;years", "time|months"]


class TestRepeatedNames:
    """Each of these was read, with "time.1" for the second column."""

    @pytest.mark.parametrize(
        "header",
        ["time,sex,time,event", "time,x,x,event", "\ufefftime,x,time,event", "e,e,e,e"],
    )
    def test_in_a_csv_are_refused(self, tmp_path: Path, header: str) -> None:
        path = tmp_path / "t.csv"
        path.write_text(f"{header}\n61,1,3,0\n48,0,4,1\n", encoding="utf-8")
        with pytest.raises(InvalidInput, match=r"more than one column called '[txe]"):
            read_table(path)

    def test_in_a_parquet_file_are_refused(self, tmp_path: Path) -> None:
        pa = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        table = pa.table([[61, 48], [3, 4], [0, 1]], names=["time", "time", "event"])
        parquet.write_table(table, tmp_path / "t.parquet")
        with pytest.raises(InvalidInput, match="more than one column called 'time'"):
            read_table(tmp_path / "t.parquet")

    def test_in_a_frame_are_refused(self) -> None:
        frame = pd.DataFrame([[1, 2, 3, 1]], columns=["t", "x", "x", "d"])
        with pytest.raises(InvalidInput, match="more than one column called 'x'"):
            split_outcome(frame, time="t", event="d")

    def test_that_differ_in_blanks_are_refused_where_blanks_go(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "t.csv").write_text("time, time,event\n61,3,1\n")
        with pytest.raises(InvalidInput, match="more than one column called 'time'"):
            read_rows(tmp_path / "t.csv")

    def test_are_not_seen_in_names_that_are_missing_or_alike(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "t.csv").write_text(",x,,x.1\n0,1,2,3\n")
        columns = read_table(tmp_path / "t.csv").columns
        assert columns.tolist() == ["x", "Unnamed: 2", "x.1"]

    @pytest.mark.parametrize("row", ["61,3,1,", "a,b,61,3,1"])
    def test_rows_longer_than_the_header_move_no_names(
        self, tmp_path: Path, row: str
    ) -> None:
        (tmp_path / "t.csv").write_text(f"age,time,event\n{row}\n{row}\n")
        with pytest.raises(InvalidInput, match="more cells than its header has names"):
            read_table(tmp_path / "t.csv")


class TestOutcomeColumns:
    def test_that_are_missing_are_named_with_their_likes(self) -> None:
        with pytest.raises(
            InvalidInput, match=r"lacks the column 'month'; did you mean 'months'\?"
        ):
            split_outcome(FRAME, time="month", event="died")

    def test_that_are_both_missing_are_both_named(self) -> None:
        with pytest.raises(
            InvalidInput, match=r"columns 't', 'e'\. It has: age, months, died, sex"
        ):
            split_outcome(FRAME, time="t", event="e")

    def test_must_be_two(self) -> None:
        with pytest.raises(InvalidInput, match="time and event are both 'died'"):
            split_outcome(FRAME, time="died", event="died")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"months": [3, 0, 2, 0]}, r"2 values <= 0, the first at row 1: 0"),
            ({"months": [3, 1, np.nan, 2]}, r"time has 1 NaN values.*row 2"),
            ({"died": [1, 2, 1, 2]}, r"values 1, 2; if 2 means"),
            ({"died": ["y", "n", "y", "n"]}, r"event holds text"),
            ({"months": ["a", "b", "c", "d"]}, r"time holds text"),
        ],
    )
    def test_that_are_unusable_are_named_with_file_and_row(
        self, change: dict, message: str
    ) -> None:
        with pytest.raises(
            InvalidInput, match=rf"t\.csv \(time='months', event='died'\): .*{message}"
        ):
            split_outcome(
                FRAME.assign(**change), time="months", event="died", source="t.csv"
            )

    def test_that_are_swapped_are_noticed(self) -> None:
        with pytest.raises(InvalidInput, match="look swapped"):
            split_outcome(FRAME, time="died", event="months")


class TestPickColumns:
    def test_keeps_the_order_asked_for(self) -> None:
        assert list(pick_columns(FRAME, ["sex", "age"])) == ["sex", "age"]

    @pytest.mark.parametrize("names", [["a", "b"], ["b", "a"], ["a"]])
    def test_gives_a_table_of_its_own(self, names: list[str]) -> None:
        frame = pd.DataFrame({"a": [1], "b": [2]})
        found = pick_columns(frame, names)
        found.columns = found.columns.str.upper()
        assert frame.columns.tolist() == ["a", "b"]

    def test_shortens_long_lists(self) -> None:
        wide = pd.DataFrame({f"x{i}": [0] for i in range(30)})
        with pytest.raises(InvalidInput, match=r"x11 and 18 more$"):
            pick_columns(wide, ["other"])


class TestTableSuffix:
    @pytest.mark.parametrize("suffix", WRITERS)
    def test_is_recognised(self, suffix: str) -> None:
        assert table_suffix(f"a.b/c.d{suffix}") == suffix

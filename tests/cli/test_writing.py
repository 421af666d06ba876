import sys
from pathlib import Path

import pandas as pd
import pytest

from consurv.cli.writing import beside, check_writable, writing
from consurv.errors import InvalidInput, MissingDependency

FRAME = pd.DataFrame({"subject": [0, 1], "time": [1.5, float("inf")]})
READERS = {".csv": pd.read_csv, ".csv.gz": pd.read_csv, ".parquet": pd.read_parquet}


class TestWriting:
    @pytest.mark.parametrize("suffix", READERS)
    def test_joins_the_pieces(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"t{suffix}"
        with writing(path) as table:
            table.write(FRAME)
            table.write(FRAME)
            assert not path.exists()
        expected = pd.concat([FRAME, FRAME], ignore_index=True)
        pd.testing.assert_frame_equal(READERS[suffix](path), expected)
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("suffix", READERS)
    @pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
    def test_leaves_what_was_there_on_any_error(
        self, tmp_path: Path, suffix: str, error: type[BaseException]
    ) -> None:
        path = tmp_path / f"t{suffix}"
        path.write_text("before")
        with pytest.raises(error), writing(path) as table:  # noqa: PT012
            table.write(FRAME)
            raise error
        assert path.read_text() == "before"
        assert list(tmp_path.iterdir()) == [path]

    def test_copes_with_an_error_before_the_first_piece(self, tmp_path: Path) -> None:
        with pytest.raises(OSError), writing(tmp_path / "t.parquet"):
            raise OSError
        assert not list(tmp_path.iterdir())


class TestBeside:
    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            ("a/c.parquet", "a/c.word.parquet"),
            ("c.v1.csv.gz", "c.v1.word.csv.gz"),
            ("C.CSV", "C.word.csv"),
        ],
    )
    def test_puts_a_word_before_the_suffix(self, path: str, expected: str) -> None:
        assert beside(Path(path), "word") == Path(expected)


class TestCheckWritable:
    def test_refuses_a_folder(self, tmp_path: Path) -> None:
        folder = tmp_path / "t.csv"
        folder.mkdir()
        with pytest.raises(InvalidInput, match="is a folder"):
            check_writable(folder, inputs=[], force=True)

    def test_needs_pyarrow_for_parquet_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        check_writable(tmp_path / "t.csv", inputs=[], force=False)
        with pytest.raises(MissingDependency, match="pyarrow"):
            check_writable(tmp_path / "t.parquet", inputs=[], force=False)

    def test_sees_an_input_under_another_name(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.touch()
        (tmp_path / "link.csv").symlink_to(path)
        with pytest.raises(InvalidInput, match="is an input"):
            check_writable(tmp_path / "link.csv", inputs=[path], force=True)

from pathlib import Path

import numpy as np
import pandas as pd

from consurv.datasets.files import as_flag, read_rows


class TestReadRows:
    def test_reads_quoted_and_padded_tables_like_plain_ones(
        self, tmp_path: Path
    ) -> None:
        plain, raw = tmp_path / "plain.csv", tmp_path / "raw.csv"
        plain.write_text("age,sex,dose,note\n61.5,m,3,a b\n48,f,,\n70,,7,c\n")
        raw.write_text(
            '"age"," sex ","dose","note"\n"61.5",m ,  3, a b \n 48,"f","  ",\n'
            "70,NA, 7,c\n"
        )
        pd.testing.assert_frame_equal(read_rows(raw), read_rows(plain))
        assert read_rows(raw)["dose"].tolist()[::2] == [3, 7]

    def test_leaves_mixed_columns_as_text(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.csv"
        path.write_text("a,b\n1,0012\nx,Unknown\n")
        assert read_rows(path).to_dict("list") == {
            "a": ["1", "x"],
            "b": ["0012", "Unknown"],
        }


class TestAsFlag:
    def test_keeps_what_is_missing(self) -> None:
        flags = as_flag(pd.Series(["yes", "no", np.nan]), "yes")
        np.testing.assert_array_equal(flags, [1, 0, np.nan])

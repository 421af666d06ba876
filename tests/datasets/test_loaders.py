"""The loaders against the tables that the paper's authors used."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consurv.datasets import load_dataset

FEATURES = ["hormon", "size", "meno", "age", "nodes", "pgr", "er"]


def reference(name: str) -> pd.DataFrame:
    folder = os.environ.get("CONSURV_DATA")
    if not folder or not Path(folder, name).is_file():
        pytest.skip(f"CONSURV_DATA does not name a folder that holds {name}")
    return pd.read_csv(Path(folder, name))


class TestGbsg:
    def test_has_the_same_rows_as_the_papers_file(self) -> None:
        expected, data = reference("GBSG.csv"), load_dataset("GBSG")
        ours = data.X.assign(event=data.y["event"].astype(int), time=data.y["time"])
        # Times last: they agree as float32, so they cannot change the order of rows.
        columns = [*FEATURES, "event", "time"]
        ours, expected = (
            frame[columns]
            .assign(key=frame["time"].round(3))
            .sort_values([*FEATURES, "event", "key"], ignore_index=True)
            for frame in (ours, expected)
        )
        pd.testing.assert_frame_equal(
            ours[[*FEATURES, "event"]],
            expected[[*FEATURES, "event"]],
            check_dtype=False,
        )
        np.testing.assert_allclose(ours["time"], expected["time"], atol=1e-5)

    def test_is_cut_at_84_months_in_the_rotterdam_part_alone(self) -> None:
        y = load_dataset("GBSG").y
        assert y["time"][:1546].max() == 84
        assert not y["event"][:1546][y["time"][:1546] == 84].any()
        assert y["time"][1546:].max() > 84

    def test_cuts_sizes_right_closed(self) -> None:
        german = load_dataset("GBSG").X.iloc[1546:]
        # The first four patients have tumours of 18, 20, 40 and 25 mm.
        assert german["size"].head(4).tolist() == [0, 0, 1, 1]
        assert set(german["size"]) == {0, 1, 2}


class TestPbc:
    def test_has_the_same_rows_as_the_papers_file(self) -> None:
        expected, data = reference("PBC.csv"), load_dataset("PBC")
        np.testing.assert_array_equal(data.y["time"], expected["time"])
        np.testing.assert_array_equal(data.y["event"], expected["status"] == 2)
        X = expected.drop(columns=["id", "time", "status"]).assign(
            trt=expected["trt"] - 1, sex=(expected["sex"] == "m").astype(float)
        )
        pd.testing.assert_frame_equal(data.X, X, check_dtype=False)

    def test_leaves_missing_values_missing(self) -> None:
        missing = load_dataset("PBC").X.isna().sum()
        assert missing["trig"] == 136
        assert (missing > 0).sum() == 12


class TestValct:
    def test_codes_treatment_and_prior_therapy_as_0_and_1(self) -> None:
        X = load_dataset("VALCT").X
        assert set(X["trt"]) == set(X["prior"]) == {0, 1}
        assert X["celltype"].nunique() == 4

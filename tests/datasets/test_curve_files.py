import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import InvalidInput
from consurv.datasets import read_curves

TIMES = [1.0, 2.5, 10.0]
VALUES = np.array([[0.9, 0.5, 0.1], [0.8, 0.6, 0.2]])


def wide(names=("1", "2.5", "10")):
    frame = pd.DataFrame(VALUES, columns=list(names))
    frame.insert(0, "id", ["p", "q"])
    return frame


def long():
    frame = wide().melt("id", var_name="time", value_name="survival")
    return frame.astype({"time": float}).sort_values("id", ignore_index=True)


def write(folder, frame, name="curves.csv"):
    path = folder / name
    frame.to_parquet(path) if name.endswith("parquet") else frame.to_csv(
        path, index=False
    )
    return path


class TestForms:
    @pytest.mark.parametrize("name", ["curves.csv", "curves.parquet"])
    @pytest.mark.parametrize(
        "frame",
        [
            wide(),
            wide(["X1", "X2.5", "X10"]),
            wide(["t_1", "t_2.5", "t_10"])[["t_10", "id", "t_1", "t_2.5"]],
            long(),
            long()[::-1].rename(columns={"time": "Time"}),
        ],
    )
    def test_are_all_the_same_curves(self, frame, name, tmp_path):
        found = read_curves(write(tmp_path, frame, name), interpolation="step")
        order = np.argsort(found.ids)
        assert list(found.ids[order]) == ["p", "q"]
        assert_array_equal(found.curves[order].survival_at(TIMES), VALUES)
        assert_array_equal(found.curves[order].survival_at([2.4]), VALUES[:, :1])

    def test_percentile_times(self, tmp_path):
        frame = pd.DataFrame({"id": [7, 8], "t_at_0.9": [1.0, 2], "t_at_0.5": [3.0, 9]})
        frame["median"] = frame["t_at_0.5"]
        found = read_curves(write(tmp_path, frame))
        assert list(found.ids) == ["7", "8"]
        assert_allclose(found.curves.median(), [3, 9])

    def test_subjects_may_have_times_of_their_own(self, tmp_path):
        frame = long().drop(index=[1]).reset_index(drop=True)
        found = read_curves(write(tmp_path, frame), interpolation="step")
        assert_array_equal(found.curves.survival_at([2.5]), [[0.9], [0.6]])
        assert_array_equal(found.curves.survival_at([10.0]), VALUES[:, 2:])


class TestRefusals:
    @pytest.mark.parametrize(
        ("frame", "message"),
        [
            (wide().assign(id="p"), "curves.csv has the id 'p' twice, in rows 0 and 1"),
            (wide().assign(id=["p", None]), "curves.csv has no id in row 1"),
            (wide().drop(columns="id"), "lacks the column 'id'"),
            (
                wide().assign(sex=1),
                "the column 'sex' is neither the id 'id' nor a time",
            ),
            (wide().assign(**{"10": "x"}), "the column '10' holds 'x'"),
            (wide().assign(**{"10": 0.95}), "curves.csv: .*must not rise"),
            (pd.concat([long(), long()[:1]]), "has the time 1 of id 'p' twice"),
            (
                pd.DataFrame({"id": [1], "t_at_0.5": [1.0], "sex": [1]}),
                "the column 'sex' stands beside t_at_",
            ),
        ],
    )
    def test_are_one_clear_line(self, frame, message, tmp_path):
        with pytest.raises(InvalidInput, match=message) as caught:
            read_curves(write(tmp_path, frame))
        assert "\n" not in str(caught.value)

import numpy as np
import pytest

from consurv.curves.chunks import CHUNK_ROWS, in_chunks
from consurv.curves.curves import SurvivalCurves


class Model:
    """Gives row i the survival 1/(i + 2) at its only time, and counts its calls."""

    def __init__(self, n_nodes):
        self.times, self.asked = np.arange(1.0, n_nodes), []

    def __call__(self, rows):
        self.asked.append((rows.start, rows.stop))
        value = 1 / (np.arange(rows.start, rows.stop)[:, None] + 2)
        shape = (len(value), len(self.times))
        return SurvivalCurves(self.times, np.broadcast_to(value, shape))


def sizes(n_nodes, n, *max_rows):
    return [len(curves) for _, curves in in_chunks(Model(n_nodes), n, *max_rows)]


class TestChunks:
    @pytest.mark.parametrize("n_nodes", [2, 300, 2048])
    def test_of_short_curves_have_many_rows(self, n_nodes):
        assert sizes(n_nodes, CHUNK_ROWS + 1) == [CHUNK_ROWS, 1]

    def test_of_longer_curves_have_fewer(self):
        assert sizes(2**15, 300) == [128, 128, 44]

    def test_have_no_more_rows_than_wanted(self):
        assert sizes(3, 150, 60) == [60, 60, 30]
        assert sizes(3, 10, 6) == [6, 4]

    def test_hold_at_least_one_row(self, monkeypatch):
        monkeypatch.setattr("consurv.curves.chunks._CHUNK_VALUES", 10)
        assert sizes(11, 65) == [1] * 65

    def test_of_no_rows_are_none(self):
        assert sizes(3, 0) == []

    def test_come_in_the_order_of_the_rows(self):
        found = list(in_chunks(Model(3), 150, 60))
        rows = np.concatenate([np.arange(150)[part] for part, _ in found])
        values = np.concatenate([curves.survival[:, -1] for _, curves in found])
        np.testing.assert_array_equal(rows, np.arange(150))
        np.testing.assert_array_equal(values, 1 / (rows + 2))

    def test_of_few_rows_need_no_look_at_the_curves(self):
        few, more = Model(3), Model(3)
        list(in_chunks(few, 64))
        list(in_chunks(more, 65))
        assert few.asked == [(0, 64)]
        assert more.asked == [(0, 4), (0, 65)]

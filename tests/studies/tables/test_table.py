import csv
import io

import pytest

from studies.statistics import Interval
from studies.tables.table import PValue, Table, number_text, value_text


def table(*rows, columns=("a", "b")):
    return Table("name", "Title", "Note.", columns, rows)


class TestText:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (None, "–"),
            (3, "3"),
            ("x", "x"),
            (0.0, "0"),
            (0.00012345, "0.0001234"),
            (1234.6, "1235"),
            (-0.5, "−0.5000"),
            (PValue(0.03), "0.0300"),
            (PValue(3e-7), "<0.0001"),
            (PValue(None), "–"),
            (Interval(0.5, None, 1), "0.5000"),
            (Interval(0.0123, 0.00456, 5), "0.01230 ± 0.00456"),
            (Interval(123.4, 5.67, 5), "123.4 ± 5.7"),
            (Interval(0.001, 0.02, 5), "0.00100 ± 0.02000"),
            (Interval(0.5, 0.0, 5), "0.5000 ± 0"),
            (Interval(0.0, 0.0, 5), "0 ± 0"),
            (Interval(1e-9, 2e-10, 5), "1e-09 ± 2e-10"),
        ],
    )
    def test_of_values(self, value, text):
        assert value_text(value) == text

    def test_what_rounds_to_nothing_has_no_sign(self):
        assert number_text(-0.00001, 2) == "0.00"


class TestMarkdown:
    def test_escapes_bars_and_line_breaks(self):
        lines = table(("S(t|x)", "two\nlines")).markdown().splitlines()
        assert lines == ["| a | b |", "|---|---|", r"| S(t\|x) | two lines |"]

    def test_of_no_rows_is_a_header(self):
        assert len(table().markdown().splitlines()) == 2


class TestCsv:
    def read(self, made):
        return list(csv.reader(io.StringIO(made.csv())))

    def test_intervals_take_three_columns(self):
        rows = self.read(table(("x", Interval(0.5, 0.1, 4)), ("y", None)))
        assert rows[0] == ["a", "b", "b ±", "b seeds"]
        assert rows[1:] == [["x", "0.5", "0.1", "4"], ["y", "", "", ""]]

    def test_numbers_have_fixed_digits(self):
        noisy = 0.1 + 0.2, 0.30000000000000004 + 1e-15
        first, second = (self.read(table(("x", value))) for value in noisy)
        assert first == second

    def test_one_seed_and_p_values(self):
        rows = self.read(table((PValue(0.123456789), Interval(2.0, None, 1))))
        assert rows[1] == ["0.1235", "2", "", "1"]
        assert self.read(table((PValue(None), 1)))[1] == ["", "1"]

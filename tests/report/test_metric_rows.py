import pytest

from consurv.metrics import METRICS
from consurv.report.bootstrap import Estimate, compare
from consurv.report.metric_rows import MetricRow, metric_rows


def row(raw, calibrated, change=(-0.1, 0.1), *, higher=False):
    parts = [Estimate(v, v, v) for v in (raw, calibrated)]
    change = Estimate(calibrated - raw, *change)
    metric = METRICS["c_index" if higher else "d_calibration"]
    return MetricRow(metric, (*parts, change))


class TestText:
    @pytest.mark.parametrize(
        ("largest", "number", "expected"),
        [
            (0.6597, 0.65974, "0.6597"),
            (0.6597, -0.00001, "0.0000"),
            (0.0245, 0.0000373, "0.00004"),
            (0.0245, -0.0245, "−0.02450"),
            (0.000001, 0.0000012, "0.000001"),
            (11.65, 9.923, "9.92"),
            (1234.5, 1234.5, "1,234"),
            (0.0, 0.0, "0.000"),
        ],
    )
    def test_has_the_decimals_of_the_line(self, largest, number, expected):
        assert row(largest, 0.0).text(number) == expected


class TestJudgement:
    @pytest.mark.parametrize(
        ("change", "higher", "expected"),
        [
            ((-0.2, -0.1), False, "better"),
            ((-0.2, -0.1), True, "worse"),
            ((0.1, 0.2), False, "worse"),
            ((0.1, 0.2), True, "better"),
            ((-0.1, 0.2), True, "no clear change"),
            ((float("nan"), float("nan")), True, "no clear change"),
        ],
    )
    def test_follows_from_the_interval_of_the_change(self, change, higher, expected):
        assert row(0.2, 0.1, change, higher=higher).judgement == expected


def test_every_metric_has_a_line(predicted):
    found = compare(predicted.y, predicted.good, predicted.good, n_bootstrap=20)
    rows = metric_rows(found)
    assert [row.metric.title for row in rows] == [
        "C-index",
        "D-cal",
        "KM-cal",
        "Integrated Brier score",
        "MAE-PO",
        "Calibration by risk",
    ]
    assert [row.metric.higher_is_better for row in rows] == [True] + 5 * [False]


def test_a_change_that_is_written_as_none_is_none():
    c_index, raw = METRICS["c_index"], Estimate(0.6389, 0.61, 0.67)
    tiny, small = Estimate(-2e-5, -9e-5, -1e-6), Estimate(-2e-4, -3e-4, -1e-4)
    assert MetricRow(c_index, (raw, raw, tiny)).judgement == "no clear change"
    assert MetricRow(c_index, (raw, raw, small)).judgement == "worse"

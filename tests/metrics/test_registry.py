"""Every metric says once what is to be known of it."""

from dataclasses import fields
from inspect import signature

import pytest

from consurv import metrics
from consurv.metrics import METRICS, Evaluation
from consurv.metrics.registry import EVALUATION, PAPER, metric_of

FUNCTIONS = [
    function
    for name in metrics.__all__
    if not isinstance(function := getattr(metrics, name), type)
    and callable(function)
    and list(signature(function).parameters)[:2] == ["y", "curves"]
    and name != "evaluate"
]


class TestRegistry:
    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_knows_every_public_metric(self, function):
        assert metric_of(function) is not None

    def test_knows_nothing_else(self):
        assert len(FUNCTIONS) == len(METRICS)
        assert metric_of(len) is None

    def test_an_evaluation_begins_with_the_papers_five(self):
        names = [field.name for field in fields(Evaluation)]
        assert names == [*EVALUATION, "by_group"]
        assert list(EVALUATION)[:5] == list(PAPER)

    def test_labels_and_names_are_distinct(self):
        assert len({metric.label for metric in METRICS.values()}) == len(METRICS)
        assert all(name == metric.name for name, metric in METRICS.items())


class TestMetric:
    def test_the_best_value_follows_from_direction_and_range(self):
        found = {name for name, metric in METRICS.items() if metric.perfect == 1}
        assert found == {"c_index", "uno_c_index", "antolini_c_index"}
        assert {metric.perfect for metric in METRICS.values()} == {0, 1}

    def test_only_errors_of_times_have_the_unit_of_time(self):
        found = {name for name, metric in METRICS.items() if metric.unit == "time"}
        assert found == {"mae_po", "mae_margin", "mae_hinge"}

    def test_a_title_is_the_label_unless_there_is_a_longer_one(self):
        assert METRICS["d_calibration"].title == "D-cal"
        assert METRICS["integrated_brier_score"].title == "Integrated Brier score"

    @pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
    def test_equal_values_are_not_better(self, metric):
        assert not metric.better(0.5, 0.5)
        assert metric.better(metric.perfect, 0.5)

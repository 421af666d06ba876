"""What all results have in common."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from consurv.metrics import DCalibrationResult, MetricResult


def make(**changes):
    fields = {
        "value": 0.25,
        "levels": np.array([0.5]),
        "cumulative": np.array([0.75]),
        "histogram": np.array([3.0, 1.0]),
        "statistic": 1.0,
        "p_value": 0.3,
    }
    return DCalibrationResult(**(fields | changes))


class TestMetricResult:
    def test_float_gives_the_value(self):
        assert float(make()) == 0.25

    def test_fields_cannot_be_set(self):
        with pytest.raises(FrozenInstanceError):
            make().value = 1.0

    def test_arrays_cannot_be_written_to(self):
        with pytest.raises(ValueError, match="read-only"):
            make().histogram[0] = 7

    def test_equal_fields_make_equal_results(self):
        assert make() == make()
        assert make() != make(histogram=np.array([3.0, 2.0]))
        assert make() != make(p_value=0.4)

    def test_results_of_unlike_kinds_differ(self):
        assert MetricResult(0.25) != make()
        assert make() != 0.25

    def test_survives_a_pickle(self):
        assert pickle.loads(pickle.dumps(make())) == make()

    def test_a_new_metric_only_adds_its_fields(self):
        @dataclass(frozen=True, eq=False)
        class Result(MetricResult):
            n_used: int

        assert float(Result(value=0.5, n_used=3)) == 0.5

"""The tracer counts what a call passes through, and nothing else."""

import sys

import numpy as np
import pytest

from benchmarks.walk import follow, main, measure
from consurv import SurvivalCurves
from consurv.metrics import MetricResult


def test_a_call_outside_the_package_is_no_walk():
    assert set(follow(lambda: np.linalg.inv(np.eye(2))).counts().values()) == {0}


def test_files_and_functions_are_counted_once():
    curves = SurvivalCurves([1.0, 2.0], [[0.8, 0.3]])
    once = follow(lambda: curves.percentile_times([0.5]))
    twice = follow(lambda: [curves.percentile_times([0.5]) for _ in range(2)])
    assert once.functions == twice.functions
    assert once.hops == twice.hops
    assert once.switches < twice.switches


def test_value_types_of_the_package_are_seen():
    assert follow(lambda: MetricResult(0.25)).values == {MetricResult}


def test_nothing_goes_on_after_an_error():
    with pytest.raises(ZeroDivisionError):
        follow(lambda: 1 / 0)
    assert sys.getprofile() is None


def test_training_walks_further_than_prediction():
    walks = measure(60)
    assert len(walks["fit"].functions) > len(walks["predict"].functions) > 0


def test_the_numbers_are_printed(capsys):
    main()
    assert "switches" in capsys.readouterr().out

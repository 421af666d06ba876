import random

import pytest

from studies.results import Results
from studies.statistics import mean_interval
from tests.studies.made_up import (
    failed_record,
    make_record,
    make_records,
    make_variant,
)

FIVE = (0.7, 0.01, 0.02, 0.15, 10.0)


def record(seed=0, *, dataset="PBC", model="deephit", study="main", variants=None):
    return make_record(
        study, dataset, model, seed, variants or [make_variant("raw", FIVE)]
    )


class TestOrder:
    def test_datasets_go_by_size(self):
        names = ("SUPPORT", "SEER-brain-like", "VALCT", "METABRIC", "GBM")
        results = Results(record(dataset=name) for name in names)
        assert results.datasets("main") == [
            "VALCT",
            "GBM",
            "METABRIC",
            "SUPPORT",
            "SEER-brain-like",
        ]

    def test_models_and_studies_go_as_in_the_paper(self):
        results = Results(
            [
                record(study="cost", model="km"),
                record(model="cqrnn"),
                record(model="weibull-aft"),
                record(study="another"),
            ]
        )
        assert results.models("main") == ["weibull-aft", "cqrnn"]
        assert results.studies == ["main", "cost", "another"]

    def test_records_may_come_in_any_order(self):
        records = make_records(["VALCT", "DLBCL"], ["km", "weibull-aft"], 2)
        first = Results(records)
        random.Random(0).shuffle(records)
        second = Results(records)
        assert first.records == second.records
        assert first.failures == second.failures


class TestValues:
    def test_are_by_seed(self):
        results = Results([record(3), record(1)])
        found = results.values("main", "PBC", "deephit", "raw", "c_index")
        assert found == {1: 0.7, 3: 0.7}
        assert list(found) == [1, 3]

    def test_a_metric_that_is_missing_is_left_out(self):
        bad = make_variant("raw", dict.fromkeys(("c_index", "mae_po")))
        results = Results([record(0), record(1, variants=[bad])])
        assert results.values("main", "PBC", "deephit", "raw", "mae_po") == {0: 10.0}
        found = results.interval("main", "PBC", "deephit", "raw", "mae_po")
        assert found == mean_interval([10.0])

    def test_of_what_is_not_there_are_empty(self):
        results = Results([record()])
        assert results.values("main", "PBC", "deephit", "csd", "c_index") == {}
        assert results.interval("cost", "PBC", "deephit", "raw", "c_index") is None
        assert results.datasets("cost") == results.models("cost") == []
        assert results.fits("cost", "PBC", "deephit") == {}

    def test_counts_and_seconds_are_found_too(self):
        variant = make_variant("csd", FIVE, counts={"n_conformal": 90})
        results = Results([record(variants=[variant])])
        place = "main", "PBC", "deephit", "csd"
        assert results.values(*place, "n_conformal", "counts") == {0: 90.0}
        assert results.values(*place, "predict", "seconds") == {0: 0.01}


class TestFailures:
    def test_of_a_cell(self):
        results = Results([failed_record("main", "DLBCL", "weibull-aft", 0)])
        (failure,) = results.failures
        assert failure.reason == "InvalidInput: more features than subjects"
        assert results.failed("main", "DLBCL", "weibull-aft")
        assert not results.failed("main", "DLBCL", "deephit")

    def test_of_a_variant_leave_the_others(self):
        broken = make_variant(
            "csd", {}, status="failed", error={"type": "E", "message": "no"}
        )
        both = [make_variant("raw", FIVE), broken]
        results = Results([record(variants=both)])
        assert results.variants("main") == ["raw"]
        assert results.failures[0].variant == "csd"
        assert results.failed("main", "PBC", "deephit")

    def test_a_failed_cell_may_know_nothing_of_its_data(self):
        bare = failed_record("main", "PBC", "deephit", 0, "timeout") | {"data": None}
        assert Results([bare]).facts["PBC"].size == "unknown"
        assert Results([bare, record(1)]).facts["PBC"].n == 418

    def test_without_a_reason(self):
        bare = failed_record("main", "PBC", "deephit", 0) | {"error": None}
        assert Results([bare]).failures[0].reason == ""


def test_missing_cells_are_those_of_the_full_grid():
    results = Results(
        [record(0), record(1), record(0, model="cqrnn"), record(study="cost")]
    )
    assert results.missing == [("main", "PBC", "cqrnn", 1)]


@pytest.mark.parametrize(("model", "label"), [("weibull-aft", "AFT"), ("x", "X net")])
def test_labels(model, label):
    own = record(model=model) | {"label": "X net"}
    assert Results([own]).label(model) == label

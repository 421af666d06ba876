"""The tables of ablations, losses, cost and coverage."""

import pytest

from studies.results import Results
from studies.tables import cost, coverage, run_time
from studies.tables.ablation import ablation_cells, ablation_ranks
from studies.tables.objective import objective_table
from studies.tables.space import space_table
from tests.studies.made_up import (
    RULES,
    failed_record,
    make_record,
    make_records,
    make_variant,
)


def rows_by(table, *names):
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.texts()]
    return {tuple(row[name] for name in names): row for row in rows}


class TestAblation:
    STUDY = "ablation-percentiles"

    def results(self, cells):
        """Return D-cal of three variants by (dataset, model)."""
        return Results(
            make_record(
                self.STUDY,
                dataset,
                model,
                seed,
                [
                    make_variant(name, {"d_calibration": value + seed})
                    for name, value in zip(("9", "19", "39"), values, strict=False)
                ],
            )
            for (dataset, model), values in cells.items()
            for seed in range(2)
        )

    def test_ranks_and_wins_by_hand(self):
        results = self.results(
            {
                ("PBC", "deephit"): (0.3, 0.2, 0.1),
                ("PBC", "cqrnn"): (0.3, 0.1, 0.1),  # a tie for the first place
                ("METABRIC", "cqrnn"): (0.1, 0.2, 0.3),
                ("METABRIC", "deephit"): (0.1, 0.2),  # not all variants: left out
            }
        )
        rows = rows_by(ablation_ranks(results, self.STUDY), "size", "metric")
        small = rows["small", "D-cal"]
        assert (small["9"], small["19"], small["39"]) == (
            "3.00 (0)",
            "1.75 (1)",
            "1.25 (2)",
        )
        assert rows["medium", "D-cal"]["cells"] == "1"
        assert rows["all", "D-cal"]["cells"] == "3"
        assert set(rows) == {(size, "D-cal") for size in ("small", "medium", "all")}

    def test_cells_show_what_is_there(self):
        results = self.results({("METABRIC", "deephit"): (0.1, 0.2)})
        table = ablation_cells(results, self.STUDY)
        assert table.columns == ("dataset", "model", "metric", "9", "19")
        assert len(table.rows) == 1

    def test_a_set_that_few_models_have_is_not_ranked(self):
        study = "ablation-conformal-set"
        results = Results(
            make_record(
                study,
                "PBC",
                "weibull-aft",
                0,
                [make_variant(name, [0.5] * 5) for name in ("validation", "train")],
            )
            for _ in range(1)
        )
        assert ablation_ranks(results, study).columns[3:] == ("validation",)


def test_losses_stand_beside_csd_and_the_dummy():
    results = Results(make_records(["PBC"], ["km"], 2, studies=("main", "objective")))
    table = objective_table(results)
    labels = [row[1] for row in table.rows]
    assert len(labels) == 14 + 1 + 1
    assert labels[0] == "LL"
    assert labels[-2:] == ["LL + CSD", "KM dummy"]


@pytest.fixture(scope="module")
def costly():
    return Results(make_records(["PBC"], ["deephit", "cqrnn"], 2, studies=["cost"]))


class TestCost:
    def test_tables_have_a_column_for_each_rule(self, costly):
        for make in (cost.extra_table, cost.relative_table, cost.memory_table):
            table = make(costly)
            assert table.columns[3:] == (
                "uncensored",
                "margin",
                "PO",
                "KM exact",
                "KM-sampling",
            )
            assert len(table.rows) == 2

    def test_relative_time_is_by_hand(self, costly):
        seconds = costly.values(
            "cost", "PBC", "deephit", "uncensored", "conformalize", "seconds"
        )
        training = costly.fits("cost", "PBC", "deephit")[0]["seconds"]
        expected = 1 + sum(seconds.values()) / 2 / training
        assert cost.relative_table(costly).rows[0][3].mean == pytest.approx(expected)

    def test_memory_is_in_mebibytes(self, costly):
        run = costly.runs("cost", "PBC", "deephit", "margin")[0]
        expected = run["peak_memory"] / 2**20
        assert cost.memory_table(costly).rows[0][4].mean == pytest.approx(expected)

    def test_space_begins_with_one_level(self, costly):
        table = space_table(costly)
        rows = rows_by(table, "method")
        assert table.rows[0][1] == "CQR"
        assert len(table.rows) == 1 + len(RULES)
        by_formula = dict(zip(RULES, (row[6] for row in table.rows[1:]), strict=True))
        ratio = by_formula["kaplan-meier-sampled"] / by_formula["margin"]
        assert ratio == pytest.approx(1000)
        assert rows[("KM-sampling",)]["scores"] == "N·P·R"
        assert rows[("CQR",)]["MiB measured"] == "–"

    def test_without_counts_there_is_no_space(self):
        variants = [make_variant("margin", {})]
        results = Results([make_record("cost", "PBC", "deephit", 0, variants)])
        assert space_table(results).rows == ()


class TestRunTime:
    def test_training_and_the_rest(self):
        raw = make_variant("raw", {})
        csd = make_variant("csd", {}, seconds={"conformalize": 0.5, "predict": 0.25})
        auto = make_variant("auto", {}, seconds={"conformalize": 9.0, "predict": 9.0})
        results = Results([make_record("main", "PBC", "km", 0, [raw, csd, auto])])
        (row,) = rows_by(run_time.run_time_table(results), "model").values()
        assert row["epochs"] == "54"
        assert row["conformal step"] == "0.5000"
        assert row["predicting and evaluating"] == "0.2800"
        assert row["both / training"] == f"{0.78 / 0.428:.1%}"

    def test_fits_used_again_are_not_counted_twice(self):
        fresh = make_record("main", "PBC", "km", 0, [], seconds=3.0)
        again = make_record("cost", "PBC", "km", 0, [], seconds=2.0)
        again["fit"] = again["fit"] | {"reused": True}
        rows = rows_by(run_time.study_time_table(Results([fresh, again])), "study")
        assert rows[("main",)]["trainings"] == "1"
        assert rows[("main",)]["training"] == "0.4280"
        assert rows[("cost",)]["training"] == "0"
        assert rows[("cost",)]["total"] == "2.000"

    def test_failed_cells_have_none(self):
        results = Results([failed_record("main", "PBC", "km", 0)])
        assert run_time.run_time_table(results).rows == ()


@pytest.fixture(scope="module")
def patchy():
    raw = [make_variant("raw", [0.5] * 5)]
    return Results(
        [
            make_record("main", "PBC", "km", 0, raw, settings={"lr": 0.1}),
            make_record("main", "PBC", "km", 1, raw, settings={}),
            make_record("main", "PBC", "deephit", 1, raw),
            *(failed_record("main", "DLBCL", "km", s, "timeout") for s in (0, 1)),
        ]
    )


class TestCoverage:
    def test_found(self, patchy):
        rows = rows_by(coverage.found_table(patchy), "study")
        assert rows[("main",)]["done"] == "3"
        assert rows[("main",)]["failed"] == "2"
        assert rows[("cost",)]["which"] == "no records"

    def test_failures_of_one_cell_are_one_line(self, patchy):
        (row,) = coverage.failures_table(patchy).rows
        assert row[:5] == ("main", "DLBCL", "KM", "0–1", "timeout")

    def test_missing(self, patchy):
        rows = coverage.missing_table(patchy).rows
        assert rows == (
            ("main", "DLBCL", "DeepHit", "0–1"),
            ("main", "PBC", "DeepHit", "0"),
        )

    def test_settings(self, patchy):
        rows = dict(coverage.settings_table(patchy).rows)
        assert rows["KM"] == "validation=true; or lr=0.1; or defaults"

    def test_environments(self, patchy):
        (text,) = coverage.environment_texts(patchy)
        assert text.startswith("5 cells were run with consurv 0.1, python")

"""The tables of the main study on cells made by hand."""

import pytest

from studies.comparison import Pair
from studies.results import Results
from studies.tables.full import full_results
from studies.tables.levels import wins_by_level
from studies.tables.ranking import c_index_changes, ranking_changes
from studies.tables.standing import standing, standing_by_dataset
from studies.tables.wins import win_counts
from studies.tables.worse import significantly_worse
from tests.studies.made_up import failed_record, make_record, make_variant

WOBBLE = (0.0, 0.001, 0.002, 0.003)


def cell(dataset, model, raw, csd, counts=None):
    """Four seeds that wobble together; the change wobbles a tenth as much."""
    rows = []
    for seed, step in enumerate(WOBBLE):
        before = [value + step for value in raw]
        after = [
            value + 1.1 * step if value != old else value + step
            for value, old in zip(csd, raw, strict=True)
        ]
        variants = [make_variant("raw", before)]
        if csd != raw or counts:
            variants.append(make_variant("csd", after, counts=counts or {}))
        rows.append(make_record("main", dataset, model, seed, variants))
    return rows


@pytest.fixture(scope="module")
def results():
    counts = {"n_conformal": 90, "n_rearranged": 21, "n_clipped": 0}
    return Results(
        [
            *cell("PBC", "km", [0.5, 0.01, 0.02, 0.2, 12], [0.5, 0.01, 0.02, 0.2, 12]),
            # Off, and made better in all but the C-index, which is tied.
            *cell(
                "PBC",
                "deephit",
                [0.7, 0.05, 0.06, 0.25, 11],
                [0.7, 0.012, 0.02, 0.2, 10],
                counts,
            ),
            # At the dummy's level, and made worse.
            *cell(
                "PBC",
                "cqrnn",
                [0.7, 0.009, 0.02, 0.2, 10],
                [0.72, 0.03, 0.03, 0.21, 10],
                counts,
            ),
            *cell(
                "SEER-brain-like",
                "deephit",
                [0.7, 0.05, 0.06, 0.2, 10],
                [0.7, 0.01, 0.02, 0.2, 10],
                counts,
            ),
            *(failed_record("main", "DLBCL", "deephit", seed) for seed in range(4)),
        ]
    )


@pytest.fixture(scope="module")
def pair(results):
    return Pair.of(results, "main", "raw", "csd")


def rows_by(table, *names):
    """Return the rows of a table by some of their columns, as mappings."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.texts()]
    return {tuple(row[name] for name in names): row for row in rows}


class TestWinCounts:
    def test_public_and_simulated_apart(self, results, pair):
        rows = rows_by(win_counts(results, pair), "datasets", "metric")
        assert {group for group, _ in rows} == {"public", "simulated"}
        d_cal = rows["public", "D-cal"]
        assert d_cal["comparisons"] == "2"
        assert (d_cal["CSD better"], d_cal["raw better"]) == ("1", "1")
        assert d_cal["significant, CSD/raw"] == "1/1"
        assert rows["simulated", "D-cal"]["CSD better"] == "1"
        assert rows["public", "C-index"]["ties"] == "1"

    def test_holm_is_within_a_kind_of_datasets(self, results, pair):
        both = win_counts(results, pair)
        part = Results([r for r in results.records if "SEER" not in r["dataset"]])
        public = win_counts(part, Pair.of(part, "main", "raw", "csd"))
        assert both.rows[: len(public.rows)] == public.rows
        assert "Holm over all cells and metrics of the public datasets, 10 tests." in (
            public.note
        )
        assert (
            "of the public datasets, 10 tests, and apart from them over all cells and "
            "metrics of the simulated datasets, 5 tests."
        ) in both.note
        rows = rows_by(both, "datasets", "metric")
        counts = [rows[g, "D-cal"]["Holm"] for g in ("public", "simulated")]
        assert counts == ["1/1", "1/0"]

    def test_the_papers_numbers_stand_beside(self, results, pair):
        rows = rows_by(win_counts(results, pair), "datasets", "metric")
        column = "paper's figures, CSD/raw/tie"
        assert rows["public", "KM-cal"][column] == "42/13/0"
        assert rows["simulated", "KM-cal"][column] == "–"

    def test_one_kind_of_datasets_has_no_total(self, results):
        public = [r for r in results.records if r["dataset"] == "PBC"]
        part = Results(public)
        table = win_counts(part, Pair.of(part, "main", "raw", "csd"))
        assert {row[0] for row in table.rows} == {"public"}


class TestFullResults:
    def test_has_every_cell_and_metric(self, results, pair):
        table = full_results(results, [pair])
        assert len(table.rows) == 3 * 3 * 5
        rows = rows_by(table, "dataset", "model", "metric")
        found = rows["PBC", "DeepHit", "D-cal"]
        assert found["raw"].startswith("0.05150 ± ")
        assert found["CSD verdict"] == "better"
        assert rows["PBC", "KM", "D-cal"]["CSD"] == "–"

    def test_failed_cells_have_a_dagger(self, results, pair):
        rows = rows_by(full_results(results, [pair]), "dataset", "model", "metric")
        assert rows["DLBCL", "DeepHit†", "IBS"]["raw"] == "–"

    def test_other_pairs_are_not_shown(self, results, pair):
        other = Pair("main", "csd", "auto", ())
        assert full_results(results, [pair, other]) == full_results(results, [pair])


class TestStanding:
    def test_by_dataset(self, results, pair):
        rows = rows_by(standing_by_dataset(results, pair), "dataset")
        assert rows[("PBC",)]["D-cal"] == "1/1/0 (1/1)"
        assert rows[("DLBCL",)]["failed"] == "DeepHit"
        assert rows[("DLBCL",)]["D-cal"] == "–"
        assert rows[("SEER-brain-like",)]["size"] == "large, simulated"

    def test_by_cell(self, results, pair):
        rows = rows_by(standing(results, pair), "dataset", "model")
        assert rows["PBC", "DeepHit"]["C-index"] == "="
        assert rows["PBC", "DeepHit"]["D-cal"] == "+++"
        assert rows["PBC", "CQRNN"]["D-cal"] == "−−−"
        assert ("DLBCL", "DeepHit†") in rows
        assert ("PBC", "KM") not in rows


class TestWorse:
    def test_says_what_stands_out(self, results, pair):
        table = significantly_worse(results, pair)
        rows = rows_by(table, "dataset", "model", "metric")
        found = rows["PBC", "CQRNN", "D-cal"]
        assert found["raw / KM dummy"] == "0.91"
        assert found["conformal subjects"] == "90"
        assert found["rearranged"] == "50.0%"
        assert found["stands after Holm"] == "yes"
        assert found["what stands out"] == (
            "raw is at the dummy's level already; much is censored; few conformal "
            "subjects; many rows rearranged"
        )
        assert ("PBC", "DeepHit", "D-cal") not in rows

    def test_a_dummy_and_counts_may_be_missing(self, results):
        part = Results(
            [
                {**r, "variants": [{**v, "counts": None} for v in r["variants"]]}
                for r in results.records
                if r["model"] == "cqrnn"
            ]
        )
        table = significantly_worse(part, Pair.of(part, "main", "raw", "csd"))
        found = rows_by(table, "metric")[("D-cal",)]
        assert found["raw / KM dummy"] == found["conformal subjects"] == "–"
        assert found["what stands out"] == "much is censored"


class TestLevels:
    def test_wins_are_by_what_was_found(self, results, pair):
        rows = rows_by(wins_by_level(results, [pair]), "datasets", "metric", "raw is")
        off = rows["public", "D-cal", "off"]
        assert (off["cells"], off["CSD against raw"]) == ("1", "1/0/0 (1/0)")
        at = rows["public", "D-cal", "at the dummy's level"]
        assert at["CSD against raw"] == "0/1/0 (0/1)"

    def test_of_no_pairs_is_empty(self, results):
        assert wins_by_level(results, []).rows == ()


def test_changed_rankings_come_with_rearranged_rows(results, pair):
    rows = rows_by(ranking_changes(results, pair), "dataset", "model")
    assert list(rows) == [("PBC", "CQRNN")]
    assert rows["PBC", "CQRNN"]["rearranged"] == "50.0%"
    assert rows["PBC", "CQRNN"]["clipped at 0"] == "0.0%"


class TestChangesOfTheCIndex:
    def test_are_counted_by_adjustment_and_group(self, results, pair):
        other = Pair("main", "csd", "auto", pair.cells)
        table = c_index_changes(results, [pair, other])
        rows = rows_by(table, "adjustment", "datasets")
        assert set(rows) == {("CSD", group) for group in ("public", "simulated")}
        public = rows["CSD", "public"]
        # One tie, and one cell that rises by 0.02 and a tenth of its wobble.
        assert (public["cells"], public["better"], public["worse"]) == ("2", "1", "0")
        assert public["ties"] == "1"
        assert public["mean change"] == "0.01008"
        assert (public["largest fall"], public["largest rise"]) == ("0", "0.02015")
        assert public["significant, better/worse"] == "1/0"
        assert rows["CSD", "simulated"]["mean change"] == "0"

    def test_of_cipot_are_not_explained_by_the_theorem(self, results, pair):
        cipot = Pair("main", "raw", "cipot", pair.cells)
        levels, shifts = (ranking_changes(results, p) for p in (cipot, pair))
        assert "theorem" not in levels.note
        assert "Moving levels may change the ranking" in levels.note
        assert "theorem" in shifts.note
        assert levels.name == "c_index_cipot_against_raw"

import numpy as np
import pytest
from scipy import stats

from studies.comparison import Pair, compare_variants, tally
from studies.results import Results
from tests.studies.made_up import METRICS, make_record, make_variant

STUDY = "main"


def results_of(cells):
    """Records with the metric D-cal alone: {(dataset, model): (raw, csd)}."""
    records = []
    for (dataset, model), (raw, csd) in cells.items():
        for seed in range(max(len(raw), len(csd))):
            variants = [
                make_variant(name, {"d_calibration": values[seed]})
                for name, values in (("raw", raw), ("csd", csd))
                if seed < len(values)
            ]
            records.append(make_record(STUDY, dataset, model, seed, variants))
    return Results(records)


def compared(cells, **options):
    return compare_variants(results_of(cells), STUDY, "raw", "csd", **options)


class TestOneCell:
    def test_tests_and_means_are_over_common_seeds(self):
        raw, csd = [0.03, 0.05, 0.04, 0.09], [0.02, 0.03, 0.03]
        (cell,) = compared({("PBC", "deephit"): (raw, csd)})
        assert cell.first.n == cell.second.n == 3
        assert cell.first.mean == pytest.approx(0.04)
        assert cell.change.mean == pytest.approx(-0.04 / 3)
        assert cell.p_paired == pytest.approx(stats.ttest_rel(raw[:3], csd).pvalue)
        assert cell.p_unpaired == pytest.approx(stats.ttest_ind(raw[:3], csd).pvalue)
        assert cell.verdict == "better"

    def test_higher_is_worse_except_for_the_c_index(self):
        rows = [
            make_record(
                STUDY,
                "PBC",
                "deephit",
                seed,
                [make_variant("raw", [0.5] * 5), make_variant("csd", [0.6] * 5)],
            )
            for seed in range(2)
        ]
        found = compare_variants(Results(rows), STUDY, "raw", "csd")
        verdicts = {cell.measure.name: cell.verdict for cell in found}
        assert verdicts == dict.fromkeys(METRICS, "worse") | {"c_index": "better"}

    def test_a_tie_is_never_significant(self):
        raw = [0.1, 0.2, 0.3]
        csd = [value + 1e-7 for value in raw]
        (cell,) = compared({("PBC", "deephit"): (raw, csd)})
        assert cell.p_paired < 0.05
        assert cell.verdict == "tie"
        assert not cell.significant
        assert cell.comparable

    def test_one_seed_has_a_verdict_but_no_test(self):
        (cell,) = compared({("PBC", "deephit"): ([0.2], [0.1])})
        assert cell.verdict == "better"
        assert cell.p_paired is cell.p_unpaired is cell.p_holm is None
        assert not cell.significant
        assert not cell.comparable

    def test_cells_without_both_variants_are_left_out(self):
        assert compared({("PBC", "deephit"): ([0.2, 0.1], [])}) == []

    def test_comparable_means_lie_in_each_others_interval(self):
        wide, narrow = [0.1, 0.5, 0.9], [0.61, 0.60, 0.62]
        (cell,) = compared({("PBC", "deephit"): (wide, narrow)})
        assert cell.first.holds(cell.second.mean)
        assert not cell.second.holds(cell.first.mean)
        assert not cell.comparable


class TestManyCells:
    @pytest.fixture
    def cells(self):
        rng = np.random.default_rng(1)
        base = rng.uniform(0.1, 0.2, 10)
        noise = rng.normal(0, 0.01, (3, 10))
        noise -= noise.mean(axis=1, keepdims=True)
        return {
            ("PBC", "deephit"): (base, base - 0.05 + noise[0]),  # clearly better
            ("PBC", "cqrnn"): (base, base + 0.002 + noise[1]),  # a little worse
            ("GBM", "deephit"): (base, base.copy()),  # tie
            ("GBM", "cqrnn"): (base, base + 0.012 + noise[2]),  # significantly worse
        }

    def test_are_counted(self, cells):
        found = compared(cells)
        count = tally(found)
        assert (count.n, count.better, count.worse, count.ties) == (4, 1, 2, 1)
        assert (count.better_significant, count.worse_significant) == (1, 1)
        assert (count.better_unpaired, count.worse_unpaired) == (1, 0)
        assert count.better_holm == 1

    def test_holm_takes_all_cells_together(self, cells):
        found = {(c.dataset, c.model): c for c in compared(cells)}
        best = found["PBC", "deephit"]
        assert best.p_holm == pytest.approx(4 * best.p_paired)
        assert all(c.p_holm >= c.p_paired for c in found.values())

    def test_holm_in_a_metric_is_the_smaller_family(self, cells):
        rows = [
            make_record(
                STUDY,
                dataset,
                model,
                seed,
                [
                    make_variant("raw", [raw[seed]] * 5),
                    make_variant("csd", [csd[seed]] * 5),
                ],
            )
            for (dataset, model), (raw, csd) in cells.items()
            for seed in range(10)
        ]
        found = compare_variants(Results(rows), STUDY, "raw", "csd")
        assert len(found) == 20
        best = next(c for c in found if (c.dataset, c.model) == ("PBC", "deephit"))
        assert best.p_holm == pytest.approx(20 * best.p_paired)
        assert best.p_holm_metric == pytest.approx(4 * best.p_paired)

    def test_simulated_cells_leave_the_public_ones_alone(self, cells):
        base, better = cells["PBC", "deephit"]
        simulated = {
            ("SEER-brain-like", "deephit"): (base, better),
            ("SEER-brain-like", "cqrnn"): (base, base + 0.5 * (better - base)),
            ("SEER-liver-like", "cqrnn"): cells["GBM", "cqrnn"],
        }
        alone, together = compared(cells), compared(cells | simulated)
        assert [c for c in together if c.kind == "public"] == alone
        own = [c for c in together if c.kind == "simulated"]
        assert own == compared(simulated)
        assert min(c.p_holm for c in own) == pytest.approx(
            3 * min(c.p_paired for c in own)
        )
        assert all(c.p_holm_metric == c.p_holm for c in together)  # one metric

    def test_a_pair_counts_the_tests_of_its_families(self, cells):
        one = cells["PBC", "deephit"]
        untested = ([0.2], [0.1])
        more = {("SEER-liver-like", "deephit"): one, ("GBSG", "deephit"): untested}
        pair = Pair.of(results_of(more | cells), STUDY, "raw", "csd")
        assert list(pair.n_tests.items()) == [("public", 4), ("simulated", 1)]

    def test_datasets_can_be_chosen(self, cells):
        assert {c.dataset for c in compared(cells, datasets=["GBM"])} == {"GBM"}

    def test_a_pair_gives_its_parts(self, cells):
        pair = Pair.of(results_of(cells), STUDY, "raw", "csd")
        assert pair.labels == ("raw", "CSD")
        assert len(pair.part(["PBC"])) == 2
        assert pair.part(["PBC"], "c_index") == []


def test_nothing_is_counted_in_nothing():
    assert tally([]).n == 0

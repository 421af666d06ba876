from studies.comparison import Pair
from studies.results import Results
from studies.tables.notes import holm_note
from tests.studies.made_up import make_record, make_variant


def pair_of(*datasets, model="deephit", seeds=2):
    rows = [
        make_record(
            "main",
            dataset,
            model,
            seed,
            [make_variant("raw", [0.5] * 5), make_variant("csd", [0.4 + seed / 9] * 5)],
        )
        for dataset in datasets
        for seed in range(seeds)
    ]
    return Pair.of(Results(rows), "main", "raw", "csd")


class TestHolmNote:
    def test_names_the_family_and_its_size(self):
        assert holm_note([pair_of("PBC", "GBM")]) == (
            "Holm over all cells and metrics of the public datasets, 10 tests."
        )

    def test_names_both_families(self):
        pair = pair_of("PBC", "SEER-brain-like")
        assert "the simulated datasets, 5 tests." in holm_note([pair])

    def test_of_several_comparisons_gives_the_range(self):
        pairs = [pair_of("PBC"), pair_of("PBC", "GBM")]
        assert holm_note(pairs) == (
            "Holm for each comparison over all cells and metrics of the public "
            "datasets, 5 to 10 tests."
        )

    def test_one_seed_has_no_tests(self):
        assert "no test" in holm_note([pair_of("PBC", seeds=1)])

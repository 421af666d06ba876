import pytest

from consurv.conformal.censoring.rules import RULES
from consurv.errors import InvalidInput
from studies import variants
from studies.named import NamedFit
from studies.variants import RAW, Variant, variants_of

DEEP = NamedFit("deephit", "deephit")
PLAIN = NamedFit("weibull-aft", "weibull-aft")
HELD_OUT = NamedFit("weibull-aft@held-out", "weibull-aft")


def names(study: str, fit: NamedFit = DEEP) -> list[str]:
    return [variant.name for variant in variants_of(study, fit, 19)]


class TestVariantsOf:
    def test_raw_comes_first_everywhere(self) -> None:
        for study in ("main", "objective", "ablation-censoring", "cost"):
            assert variants_of(study, DEEP, 19)[0] == RAW

    def test_main_is_the_papers_rule_and_ours(self) -> None:
        csd = variants_of("main", DEEP, 29)[1]
        assert (csd.name, csd.censoring, csd.n_samples) == ("csd", "kaplan-meier", None)
        assert (csd.conformal_set, csd.percentiles) == ("paper", 29)
        assert names("main")[2:] == ["auto", "cipot"]

    def test_cipot_moves_levels(self) -> None:
        for study in ("main", "ablation-censoring"):
            cipot = variants_of(study, DEEP, 29)[-1]
            assert cipot == Variant("cipot", "level", "uniform", None, "paper", 29)
        for study in ("objective", "ablation-percentiles", "cost"):
            fit = NamedFit("lognormal-likelihood", "lognormal")
            assert "cipot" not in names(study, fit)
        assert names("main", NamedFit("km", "km")) == ["raw"]

    def test_every_rule_of_the_ablation_exists(self) -> None:
        found = variants_of("ablation-censoring", DEEP, 19)[1:-1]
        assert {v.adjustment for v in found} == {"time"}
        assert {v.censoring for v in found} == set(RULES)
        assert [v.name for v in found][:5] == [
            "uncensored",
            "margin",
            "pseudo-observation",
            "kaplan-meier",
            "kaplan-meier-sampled",
        ]
        assert [v.n_samples for v in found][:5] == [None] * 4 + [1000]

    def test_an_unknown_rule_is_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for rule in ("margn", "margin-sampled"):
            monkeypatch.setattr(variants, "_CENSORING_RULES", ("uncensored", rule))
            with pytest.raises(InvalidInput, match=f"unknown censoring rule '{rule}'"):
                variants_of("ablation-censoring", DEEP, 19)

    def test_conformal_sets_depend_on_what_is_held_out(self) -> None:
        two = ["raw", "validation", "train+validation"]
        assert names("ablation-conformal-set", DEEP) == two
        assert names("ablation-conformal-set", HELD_OUT) == two
        assert names("ablation-conformal-set", PLAIN) == ["raw", "train"]

    def test_percentiles_are_the_papers(self) -> None:
        found = variants_of("ablation-percentiles", DEEP, 19)[1:]
        assert [v.percentiles for v in found] == [9, 19, 39, 49, 99]

    def test_only_the_likelihood_fit_is_conformalized(self) -> None:
        likelihood = NamedFit("lognormal-likelihood", "lognormal")
        crps = NamedFit("lognormal-crps", "lognormal")
        assert "csd" in names("objective", likelihood)
        assert names("objective", crps) == ["raw"]

    def test_names_are_unique(self) -> None:
        for study in ("main", "ablation-censoring", "ablation-percentiles", "cost"):
            assert len(set(names(study))) == len(names(study))

from typing import Any

import pytest

from consurv.errors import InvalidInput
from studies.named import NamedFit, full_name, named_fits, takes


def keys(study: str, *names: str) -> list[str]:
    return [fit.key for fit in named_fits(study, names or None, {})]


class TestNamedFits:
    def test_main_has_the_papers_models_and_the_dummy(self) -> None:
        assert keys("main") == [
            "km",
            "weibull-aft",
            "gradient-boosting",
            "deepsurv",
            "n-mtlr",
            "deephit",
            "coxtime",
            "cqrnn",
        ]

    @pytest.mark.parametrize("names", [("AFT", "GB"), ("AFT", "KM", "GB")])
    def test_main_begins_with_the_dummy_named_or_not(self, names: Any) -> None:
        assert keys("main", *names) == ["km", "weibull-aft", "gradient-boosting"]
        assert keys("main", "km") == ["km"]

    def test_ablations_leave_the_dummy_out(self) -> None:
        assert "km" not in keys("ablation-censoring")
        assert keys("ablation-censoring", "AFT") == ["weibull-aft"]

    def test_objective_has_fourteen_losses(self) -> None:
        fits = named_fits("objective", None, {})
        assert len(fits) == len({fit.key for fit in fits}) == 14
        by_key = {fit.key: fit for fit in fits}
        assert by_key["lognormal-x-cal-1e3"].settings == {
            "loss": "x-cal",
            "weight": 1000.0,
        }
        assert by_key["lognormal-sfm-1e0"].make(0).get_params()["loss"] == "sfm"

    def test_some_losses_can_be_chosen(self) -> None:
        assert keys("objective", "lognormal-CRPS") == ["lognormal-crps"]
        assert len(keys("objective", "LogNormal", "lognormal-crps")) == 14

    def test_models_without_validation_set_are_trained_twice(self) -> None:
        found = named_fits("ablation-conformal-set", ("AFT", "DeepHit"), {})
        assert {fit.key: fit.holds_out for fit in found} == {
            "weibull-aft": False,
            "deephit": True,
            "weibull-aft@held-out": True,
        }
        assert not found[2].takes_validation

    def test_settings_go_to_the_model_and_to_one_fit(self) -> None:
        settings = {"lognormal": {"patience": 3}, "lognormal-crps": {"patience": 4}}
        found = named_fits(
            "objective", ("lognormal-crps", "lognormal-likelihood"), settings
        )
        assert found[0].settings == {"loss": "crps", "patience": 4}
        assert found[1].settings == {"loss": "likelihood", "patience": 3}

    def test_settings_do_not_change_the_loss_that_names_a_fit(self) -> None:
        settings = {"lognormal": {"loss": "crps"}}
        fits = named_fits("objective", ("lognormal-likelihood",), settings)
        assert fits[0].settings["loss"] == "likelihood"


def test_labels_are_the_papers() -> None:
    assert NamedFit("weibull-aft", "weibull-aft").label == "AFT"
    assert NamedFit("lognormal-sfm-1e5", "lognormal").label == "SFM 10⁵"


def test_studies_know_different_names() -> None:
    assert takes("main", "GB")
    assert not takes("objective", "GB")
    assert takes("objective", "lognormal-crps")
    assert not takes("main", "lognormal-crps")
    with pytest.raises(InvalidInput, match="model of the study objective"):
        full_name("objective", "GB")

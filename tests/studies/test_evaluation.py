import numpy as np
import pytest

from consurv.metrics import evaluate
from studies import evaluation
from studies.evaluation import evaluate_variant
from studies.fits import train
from studies.named import NamedFit
from studies.predictions import Predictions
from studies.protocol import split_rows
from studies.variants import RAW, Variant

AFT = NamedFit("weibull-aft", "weibull-aft")
CSD = Variant("csd", "time", "kaplan-meier", None, "paper", 19)
CIPOT = Variant("cipot", "level", "uniform", None, "paper", 19)


@pytest.fixture(scope="module")
def predictions() -> Predictions:
    split = split_rows("PBC", 0, False)
    return Predictions(train(AFT, split, 0).model, split, [RAW, CSD])


class TestEvaluateVariant:
    def test_raw_curves(self, predictions: Predictions) -> None:
        entry = evaluate_variant(predictions, RAW, 0, "ablation-censoring")
        split = predictions.split
        expected = evaluate(split.test[1], predictions.raw, y_train=split.known)
        assert entry["metrics"] == expected.as_dict()
        assert entry["status"] == "done"
        assert entry["conformal_set"] is None
        assert entry["seconds"]["conformalize"] is None
        assert "details" not in entry

    def test_calibrated_curves(self, predictions: Predictions) -> None:
        entry = evaluate_variant(predictions, CSD, 0, "main")
        assert entry["conformal_set"] == "train"
        assert entry["counts"]["n_conformal"] == 376
        assert entry["counts"]["n_rearranged"] >= 0
        assert 0 <= entry["counts"]["n_unidentified"] <= 19
        assert entry["seconds"]["conformalize"] > 0
        curve = entry["details"]["mean_curve"]
        assert len(curve["times"]) == len(curve["kaplan_meier"]) <= 100
        # Rows that are clipped drop at time 0, and no others.
        found = predictions.adjusted(predictions.conformalize(CSD, 0).adjustment)
        at_zero = found.survival_at([0.0])[:, 0]
        np.testing.assert_array_equal(at_zero < 1, found.clipped)
        assert curve["survival"][0] == pytest.approx(at_zero.mean(), abs=1e-6)
        pp = entry["details"]["pp"]
        d_cal = np.mean((np.array(pp["observed"]) - pp["levels"]) ** 2)
        assert d_cal == pytest.approx(entry["metrics"]["d_calibration"], abs=1e-6)

    def test_curves_with_moved_levels(self, predictions: Predictions) -> None:
        entry = evaluate_variant(predictions, CIPOT, 0, "main")
        assert (entry["status"], entry["error"]) == ("done", None)
        assert (entry["adjustment"], entry["censoring"]) == ("level", "uniform")
        assert entry["conformal_set"] == "train"
        counts = {"n_conformal": 376, "n_rearranged": 0, "n_clipped": 0}
        assert entry["counts"] == counts | {"n_unidentified": 2}
        csd = evaluate_variant(predictions, CSD, 0, "main")
        assert entry["metrics"] != csd["metrics"]
        assert entry["metrics"].keys() == csd["metrics"].keys()
        assert entry["details"]["pp"]["levels"] == csd["details"]["pp"]["levels"]

    def test_an_error_is_part_of_the_entry(self, predictions: Predictions) -> None:
        wrong = Variant("wrong", "time", "kaplan-meier", None, "validation", 19)
        entry = evaluate_variant(predictions, wrong, 0, "main")
        assert entry["status"] == "failed"
        assert entry["error"] == {
            "type": "InvalidInput",
            "message": "this fit has no validation set",
        }
        assert entry["metrics"] == {}

    def test_what_is_not_a_number_becomes_none(
        self, predictions: Predictions, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            evaluation.Evaluation, "as_dict", lambda self: {"c_index": float("nan")}
        )
        entry = evaluate_variant(predictions, RAW, 0, "cost")
        assert entry["metrics"] == {"c_index": None}
        assert entry["reasons"] == {"c_index": "the metric is nan"}

    def test_keeps_warnings(self, predictions: Predictions) -> None:
        fine = Variant("fine", "time", "kaplan-meier", None, "paper", 999)
        single = Predictions(predictions.model, predictions.split, [fine])
        entry = evaluate_variant(single, fine, 0, "ablation-percentiles")
        assert any("too few for the levels" in text for text in entry["warnings"])

    def test_cost_measures_time_and_memory(self, predictions: Predictions) -> None:
        sampled = Variant("sampled", "time", "kaplan-meier", 1000, "paper", 19)
        plain, many = (
            evaluate_variant(predictions, v, 0, "cost") for v in (CSD, sampled)
        )
        assert 0 < plain["seconds"]["shifts"] < plain["seconds"]["conformalize"]
        assert many["peak_memory"] > 10 * plain["peak_memory"] > 0

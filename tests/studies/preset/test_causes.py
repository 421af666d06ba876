"""The options of the preset: one at a time, and what they change."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from consurv.errors import InvalidInput
from studies import StudyConfig, read_records, run
from studies.asked import Asked
from studies.fits import fit_fingerprint, train
from studies.grid import cells_of
from studies.named import NamedFit
from studies.predictions import Predictions
from studies.preset.causes import PAPER, Causes
from studies.protocol import split_rows
from studies.variants import RAW, Variant

CSD = Variant("csd", "time", "kaplan-meier", None, "paper", 19)


def asked_of(**changes: Any) -> str:
    (_, cell) = cells_of(StudyConfig("main", ["VALCT"], ["deephit"], 1, **changes))
    return cell.asked


class TestOptions:
    def test_the_preset_is_all_of_them(self) -> None:
        (config,) = Asked(preset="paper").configs("main")
        assert {name: getattr(config, name) for name in PAPER} == PAPER

    def test_one_can_be_taken_back(self) -> None:
        (config,) = Asked(preset="paper", tails="law").configs("main")
        assert asdict(config.causes) == {
            "training": "paper",
            "tails": "law",
            "metrics": "paper",
            "conformal": "paper",
        }

    def test_the_time_scale_reaches_the_network(self) -> None:
        asked = Asked(preset="paper", time_scale="corrected")
        (config,) = asked.configs("objective")
        assert config.settings["lognormal"] == {"time_scale": "corrected"}

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"training": "theirs"}, "training='theirs'"),
            ({"tails": "curve"}, "tails='curve'"),
            ({"metrics": "none"}, "metrics='none'"),
            # Our own network has no such slip.
            ({"settings": {"lognormal": {"time_scale": "coded"}}}, "time_scale"),
        ],
    )
    def test_refuses(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(InvalidInput, match=message):
            StudyConfig("objective", **changes)

    def test_refuses_an_unknown_preset(self) -> None:
        with pytest.raises(InvalidInput, match="unknown preset 'papr'"):
            Asked(preset="papr").configs("main")

    def test_refuses_a_time_scale_that_nothing_has(self) -> None:
        with pytest.raises(InvalidInput, match="unknown time scale 'code'"):
            Asked(preset="paper", time_scale="code").configs("objective")
        with pytest.raises(InvalidInput, match="add --preset paper"):
            Asked(time_scale="coded").configs("objective")

    def test_each_asks_for_another_record(self) -> None:
        changes = [{}, {"training": "paper"}, {"tails": "line"}, {"metrics": "paper"}]
        assert len({asked_of(**change) for change in changes}) == 4

    def test_only_training_asks_for_another_fit(self) -> None:
        marks = [
            fit_fingerprint(NamedFit("km", "km", causes=causes), "VALCT", 0)
            for causes in (Causes(), Causes(tails="line", metrics="paper"))
        ]
        assert marks[0] == marks[1]
        other = NamedFit("km", "km", causes=Causes(training="paper"))
        assert fit_fingerprint(other, "VALCT", 0) != marks[0]


class TestTails:
    def test_a_law_ends_in_the_line(self) -> None:
        split = split_rows("GBSG", 0, False)
        model = train(NamedFit("weibull-aft", "weibull-aft"), split, 0).model
        kept, cut = (
            Predictions(model, split, [RAW, CSD], Causes(tails=tails)).raw
            for tails in ("law", "line")
        )
        last = split.train[1].time.max()
        inside = np.array([last / 2, last])
        assert np.allclose(kept.survival_at(inside), cut.survival_at(inside), atol=1e-3)
        # The line through (0, 1) and the last point, not the law.
        end = kept.survival_at(np.array([last]))
        line = np.maximum(0, 1 - 1.5 * (1 - end))
        assert np.allclose(cut.survival_at(np.array([1.5 * last])), line, atol=1e-9)
        assert not np.allclose(
            kept.survival_at(np.array([1.5 * last])), line, atol=0.01
        )

    def test_steps_are_left_as_they_are(self) -> None:
        split = split_rows("VALCT", 0, False)
        model = train(NamedFit("km", "km"), split, 0).model
        kept, cut = (
            Predictions(model, split, [RAW], Causes(tails=tails)).raw
            for tails in ("law", "line")
        )
        assert np.array_equal(kept.times, cut.times)


@pytest.mark.parametrize(
    ("study", "models", "variants"),
    [
        ("ablation-percentiles", "AFT", 6),
        ("ablation-conformal-set", "AFT", 2),
        ("objective", "lognormal-likelihood", 3),
    ],
)
def test_other_studies_take_the_preset(
    study: str, models: str, variants: int, tmp_path: Path
) -> None:
    asked = Asked("VALCT", models, 1, preset="paper")
    (config,) = asked.configs(study)
    quick = {"lognormal": {"max_epochs": 2}} if study == "objective" else {}
    run(replace(config, settings=quick), tmp_path)
    records = read_records(tmp_path).records
    assert {record["status"] for record in records} == {"done"}
    assert len(records[0]["variants"]) == variants
    marks = {"training": "paper", "tails": "line", "metrics": "paper"}
    assert records[0]["settings"].items() >= marks.items()

"""The steps and their tables, on two small datasets and quick models."""

from pathlib import Path

import pytest

from studies.preset.__main__ import main
from studies.preset.comparators import read_digest
from studies.preset.lines import LINES
from studies.preset.sides import sides_of
from studies.preset.steps import STEPS, Step, in_common, load_step, run_steps
from studies.preset.tables import blocks_table, decomposition_table
from studies.results import Results
from tests.studies.made_up import METRICS, make_record, make_variant


def records(d_cal: float, models: tuple[str, ...] = ("deephit", "cqrnn")) -> Results:
    made = []
    for model in models:
        for seed in range(3):
            wobble = 0.001 * seed
            raw = dict.fromkeys(METRICS, 0.5 + wobble)
            csd = raw | {"d_calibration": d_cal + 2 * wobble}
            variants = [make_variant("raw", raw), make_variant("csd", csd)]
            made.append(make_record("main", "PBC", model, seed, variants))
    return Results(made)


class TestDecomposition:
    def test_counts_what_is_won_and_lost(self) -> None:
        worse, better = (sides_of(records(x), str(x)) for x in (0.6, 0.2))
        table = decomposition_table([(worse, better), (better, worse)], read_digest())
        rows = {(row[0], row[1]): row[2:] for row in table.rows}
        # The figures give both cells to CSD.
        won = ("0 → 2", 2, 2, 0, "0 of 2 → 2 of 2", "3")
        lost = ("2 → 0", 2, 0, 2, "2 of 2 → 0 of 2", "3")
        assert rows["D-cal", "0.2"] == won
        assert rows["D-cal", "0.6"] == lost


class TestBlocks:
    def test_ten_seeds_are_one_block_and_have_no_table(self) -> None:
        assert blocks_table(records(0.2), read_digest()) is None

    def test_each_block_counts_for_itself(self) -> None:
        early, late = records(0.6).records, records(0.2).records
        moved = [record | {"seed": record["seed"] + 10} for record in late]
        table = blocks_table(Results([*early, *moved]), read_digest())
        assert table is not None
        rows = {row[:2]: row[2:5] for row in table.rows}
        assert rows["D-cal", "0 to 9"] == ("0/2/0", "0/2", "0 of 2")
        assert rows["D-cal", "10 to 19"] == ("2/0/0", "2/0", "2 of 2")
        assert rows["D-cal", "all"][0] == "2/0/0"


class TestSteps:
    def test_each_changes_one_thing_and_the_last_all(self) -> None:
        assert STEPS[0].changes == {}
        assert all(len(step.changes) == 1 for step in STEPS[1:-1])
        changed = {name for step in STEPS[1:-1] for name in step.changes}
        assert changed <= STEPS[-1].changes.keys()

    def test_other_models_are_those_of_the_default(self, tmp_path: Path) -> None:
        settings = {"datasets": ["VALCT"], "seeds": 1, "names": ["tails"]}
        run_steps(tmp_path, **settings)
        tails = load_step(tmp_path, next(s for s in STEPS if s.name == "tails"))
        assert tails.models("main") == ["weibull-aft"]
        # Read as a step that concerns another model, its own records are left out.
        other = Step("tails", "", models=("gradient-boosting",))
        assert load_step(tmp_path, other).records == []


def test_steps_are_compared_on_common_seeds() -> None:
    whole = records(0.2)
    part = Results(r for r in whole.records if (r["model"], r["seed"]) != ("cqrnn", 2))
    found = in_common([whole, part])
    assert [len(results.records) for results in found] == [5, 5]
    assert found[0].values("main", "PBC", "cqrnn", "raw", "d_calibration").keys() == {
        0,
        1,
    }


def test_every_line_names_its_source() -> None:
    assert all(line.source and line.paper and line.ours for line in LINES)
    switched = {"training", "tails", "stratify", "metrics", "conformal", "percentiles"}
    assert {line.option for line in LINES} == switched | {"both", "neither"}


@pytest.mark.slow
def test_the_command_runs_and_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["--datasets", "VALCT", "--seeds", "2", "--jobs", "1", "--ours", "1"]
    small += ["--numbers"]
    assert main(["--out", str(tmp_path), "--steps", "default,paper", *small]) == 0
    text = (tmp_path / "agreement.md").read_text()
    assert "preset paper" in text
    assert "our default" in (tmp_path / "counts.md").read_text()
    numbers = (tmp_path / "numbers.md").read_text()
    assert "| VALCT | AFT | raw | 0 (0) | 0 (0) |" in numbers
    (boosting,) = [n for n in numbers.splitlines() if "| VALCT | GB | raw |" in n]
    assert boosting.endswith("| 0 (0) | 0 (0) |")  # IBS and MAE-PO
    assert (tmp_path / "decomposition.png").read_bytes().startswith(b"\x89PNG")
    assert "decomposition.png" in capsys.readouterr().out
    # The preset alone, and further seeds.
    more = ["--datasets", "VALCT", "--seeds", "11", "--jobs", "1", "--steps", "paper"]
    alone = tmp_path / "alone"
    alone.mkdir()
    (tmp_path / "paper").rename(alone / "paper")
    assert main(["--out", str(alone), *more, "--report"]) == 0
    assert not (alone / "decomposition.md").exists()

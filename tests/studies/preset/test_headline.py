"""The paper's headline claims, counted in the table of all cells."""

import csv
from pathlib import Path

import pytest

from studies.preset.headline import headline_table, kept, main, stays

RUN = "preset paper"


def cell(change, p, metric="C-index", paper="tie"):
    place = {"metric": metric, "dataset": "PBC", "model": "AFT", "paper": paper}
    both = {f"{RUN}, p paired": p, f"{RUN}, p unpaired": p}
    return {**place, RUN: change, **both}


class TestCounts:
    def test_the_c_index_is_kept_where_it_is_tied_or_better(self):
        rows = [cell("0.7 → 0.7", "1"), cell("0.7 → 0.71", "0.5"), cell("–", "")]
        assert kept(rows, RUN) == "2 of 2 (0)"
        assert kept([*rows, cell("0.7 → 0.69", "0.01")], RUN) == "2 of 3 (1)"

    def test_what_was_calibrated_and_no_longer_is(self):
        rows = [cell(f"{a} → {b}", "1", "D-cal") for a, b in [(1, 2), (1, 4), (5, 1)]]
        assert stays(rows, RUN, {("D-cal", "PBC"): 3.0}) == "1 of 2"
        assert stays(rows, RUN, {}) == "0 of 0"

    def test_agrees_with_the_tables_of_the_records(self):
        folder = Path(__file__).parents[3] / "docs/results/preset"
        with (folder / "headline.csv").open(encoding="utf-8", newline="") as file:
            headline = {row[0]: row for row in csv.reader(file)}
        with (folder / "counts.csv").open(encoding="utf-8", newline="") as file:
            counts = {tuple(row[:2]): row for row in csv.reader(file)}
        for metric in ("D-cal", "KM-cal", "IBS", "MAE-PO"):
            for name, found in zip(
                headline["claim"][3:], headline[f"{metric} improves"][3:], strict=True
            ):
                _, _, cells, _, unpaired, _ = counts[metric, name]
                assert found == f"{cells} ({unpaired})"


@pytest.mark.slow
def test_the_command_runs_dummies_and_reads_the_rest(tmp_path, capsys):
    head = "metric,dataset,model,paper,pixels,preset paper,p paired,p unpaired,"
    head += '"our training, paper\'s rule",p paired,p unpaired,'
    head += "our default,p paired,p unpaired"
    change = "0.000001 → 0.9,0.001,0.001"
    lines = [head, f"D-cal,VALCT,AFT,CSD,9,{change},{change},{change}"]
    (tmp_path / "cells.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = ["--cells", str(tmp_path / "cells.csv"), "--out", str(tmp_path)]
    asked += ["--records", str(tmp_path / "records"), "--seeds", "2"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert said == (tmp_path / "headline.md").read_text(encoding="utf-8")
    assert "| D-cal improves | 68/8/0 (35/1) | 1/0/0 | 0/1/0 (0/1) |" in said
    assert "| calibrated stays calibrated | said, not counted | – | 0 of 1 |" in said


def test_no_cells_make_an_empty_table():
    assert len(headline_table([], {"paper": {}, "ours": {}}).rows) == 6

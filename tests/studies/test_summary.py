import random
import sys

import pytest

from consurv import InvalidInput, MissingDependency
from studies import sections
from studies.results import Results
from studies.sections import headlines, main_pairs
from studies.summary import write_summary
from tests.studies.made_up import (
    failed_record,
    make_record,
    make_records,
    make_variant,
    write_records,
)


@pytest.fixture(scope="module")
def whole():
    """Two datasets, one of them simulated, and all studies."""
    datasets = ["DLBCL", "SEER-brain-like"]
    return make_records(datasets, ["km", "weibull-aft", "deephit"], 2)


@pytest.fixture(scope="module")
def folder(whole, tmp_path_factory):
    folder = write_records(whole, tmp_path_factory.mktemp("results"))
    (folder / "config.toml").write_text("[main]\nseeds = 2\n")
    write_summary(folder)
    return folder


@pytest.fixture
def no_pictures(monkeypatch):
    for kind in ("main", "ablation", "objective", "calibration", "cost"):
        monkeypatch.setattr(sections, f"{kind}_figures", lambda *_: [])


def tables_of(folder):
    return {p.name: p.read_bytes() for p in sorted((folder / "tables").iterdir())}


@pytest.mark.slow
class TestWholeStudies:
    def test_files_are_where_they_belong(self, folder):
        found = {p.relative_to(folder).as_posix() for p in folder.rglob("*.*")}
        for name in (
            "README.md",
            "report.html",
            "tables/full_results.csv",
            "tables/full_results.md",
            "tables/wins_csd_against_raw.csv",
            "tables/wins_auto_against_csd.csv",
            "tables/worse_auto_than_raw.md",
            "tables/wins_cipot_against_raw.csv",
            "tables/c_index_changes.csv",
            "tables/claims.csv",
            "tables/objective.csv",
            "tables/ablation_percentiles_ranks.csv",
            "times/extra_seconds.csv",
            "times/space.csv",
            "times/claims_cost.csv",
            "figures/full_results.png",
            "figures/pp.png",
        ):
            assert name in found

    def test_all_links_of_the_readme_lead_somewhere(self, folder):
        text = (folder / "README.md").read_text()
        links = [part.partition(")")[0] for part in text.split("](")[1:]]
        assert len(links) > 60
        assert [link for link in links if not (folder / link).is_file()] == []

    def test_cipot_is_compared_with_raw(self, folder):
        text = (folder / "README.md").read_text()
        assert "\n- CiPOT against raw on 1 public datasets" in text
        assert "| CiPOT | public | 1 |" in text
        ranks = (folder / "tables/ablation_censoring_ranks.csv").read_text()
        assert ranks.splitlines()[0].endswith("local,auto,CiPOT")

    def test_what_failed_and_what_was_asked_is_said(self, folder):
        text = (folder / "README.md").read_text()
        assert "AFT | 0–1 | failed | InvalidInput: more features" in text
        assert "[main]\nseeds = 2" in text
        assert "Simulated datasets count as well: SEER-brain-like." in text

    def test_the_page_needs_no_other_file(self, folder):
        text = (folder / "report.html").read_text()
        assert text.count('src="data:image/png;base64,') == text.count("<img")
        assert "http" not in text
        assert "†" in text

    def test_pictures_are_small(self, folder):
        sizes = [p.stat().st_size for p in (folder / "figures").iterdir()]
        assert sum(sizes) < 6e6


@pytest.mark.usefixtures("no_pictures")
class TestTables:
    def test_hold_no_time(self, whole, tmp_path):
        slower = [record | {"seconds": 99.0, "started": "never"} for record in whole]
        for record in slower:
            if record["fit"]:
                record["fit"] = record["fit"] | {"seconds": 77.7}
        first, second = tmp_path / "first", tmp_path / "second"
        write_summary(write_records(whole, first))
        write_summary(write_records(slower, second))
        assert tables_of(first) == tables_of(second)
        times = "times/relative_time.csv"
        assert (first / times).read_text() != (second / times).read_text()

    def test_do_not_depend_on_the_order_of_files(self, whole, tmp_path):
        shuffled = whole.copy()
        random.Random(1).shuffle(shuffled)
        first, second = tmp_path / "first", tmp_path / "second"
        write_summary(write_records(whole, first))
        write_summary(write_records(shuffled, second))
        assert tables_of(first) == tables_of(second)
        assert len(tables_of(first)) > 30
        text = (first / "README.md").read_text()
        assert text == (second / "README.md").read_text()


class TestLittle:
    def test_one_seed_and_one_model(self, tmp_path):
        raw, csd = [0.7, 0.02, 0.02, 0.2, 9.0], [0.7, 0.01, 0.03, 0.2, 9.0]
        variants = [make_variant("raw", raw), make_variant("csd", csd)]
        record = make_record("main", "PBC", "deephit", 0, variants)
        written = write_summary(write_records([record], tmp_path))
        assert all(path.is_file() for path in written)
        lines = (tmp_path / "tables/full_results.csv").read_text().splitlines()
        assert lines[2].startswith("PBC,DeepHit,D-cal,0.02,,1,0.01,,1,better,,,,")

    @pytest.mark.usefixtures("no_pictures")
    def test_everything_failed(self, tmp_path):
        write_records([failed_record("main", "PBC", "deephit", 0)], tmp_path)
        write_summary(tmp_path)
        assert "1 of 1 cells failed (†)." in (tmp_path / "README.md").read_text()

    @pytest.mark.usefixtures("no_pictures")
    def test_a_corrupt_and_a_missing_record_are_told(self, tmp_path):
        made = make_records(["PBC"], ["km", "deephit"], 2, studies=["main"])
        write_records(made[:3], tmp_path)
        bad = tmp_path / "records/main/PBC/deephit/0.json"
        write_records([{**made[2], "seed": 7}], tmp_path)
        bad.write_text('{"format": ')
        write_summary(tmp_path)
        text = (tmp_path / "README.md").read_text()
        assert "1 files cannot be read and were left out." in text
        assert "cells of these studies have no record." in text

    @pytest.mark.usefixtures("no_pictures")
    def test_again_over_an_earlier_one(self, tmp_path):
        made = make_records(["PBC"], ["deephit"], 2, studies=["cost"])
        write_records(made, tmp_path)
        assert write_summary(tmp_path) == write_summary(tmp_path)
        assert not (tmp_path / "tables/full_results.csv").exists()


def test_headlines_are_of_the_public_datasets_and_their_seeds():
    public = make_records(["PBC"], ["km", "deephit"], 2, studies=["main"])
    simulated = make_records(["SEER-brain-like"], ["deephit"], 3, studies=["main"])
    results = Results(public + simulated)
    first, *_ = headlines(results, main_pairs(results))
    assert first.startswith(
        "CSD against raw on 1 public datasets, 1 comparisons of up to 2 seeds"
    )


class TestNamesOfStrangers:
    """Records may be anybody's: what they hold is text, wherever it is shown."""

    hostile = "PBC<script>alert(1)</script>|<img src=x onerror=y>"

    @pytest.fixture
    def hostile_folder(self, tmp_path):
        names = [f"{self.hostile}{i}".replace("/", "") for i in range(3)]
        made = make_records(["PBC"], ["km", "deephit"], 2, studies=["main"])
        for record in made:
            record["dataset"] = names[0]
        changed = [
            {
                **record,
                "label": names[1],
                "model": names[2],
                "environment": {self.hostile: self.hostile},
                "settings": {self.hostile: [self.hostile, "]("]},
                "error": {"type": self.hostile, "message": "[a](javascript:b)"},
                "status": "failed",
            }
            for record in made
            if record["model"] == "deephit"
        ]
        kept = [record for record in made if record["model"] != "deephit"]
        kept[0]["variants"][0]["name"] = names[1]
        folder = write_records(kept + changed, tmp_path)
        text = f'a = "{self.hostile}"\n```\n<script>\n'
        (folder / "config.toml").write_text(text)
        write_summary(folder)
        return folder

    def test_hold_no_html(self, hostile_folder):
        page = (hostile_folder / "report.html").read_text(encoding="utf-8")
        assert "alert(1)" in page
        for tag in ("<script", "<img src=x"):
            assert tag not in page

    def test_hold_no_markdown(self, hostile_folder):
        pages = sorted(hostile_folder.rglob("*.md"))
        assert len(pages) > 5
        for path in pages:
            text = path.read_text(encoding="utf-8")
            if path.name == "README.md":  # what is fenced is shown as it is
                before, code, after = text.split("````")
                assert "<script" in code
                text = before + after
            assert "<script" not in text, path
            assert "<img src" not in text, path
            assert "[a](javascript" not in text, path

    def test_leave_tables_their_columns(self, hostile_folder):
        for path in (hostile_folder / "tables").glob("*.md"):
            lines = [
                line.replace("\\|", "")
                for line in path.read_text(encoding="utf-8").splitlines()
                if line.startswith("|")
            ]
            assert len({line.count("|") for line in lines}) <= 1, path


class TestRefusal:
    def test_of_a_folder_without_records(self, tmp_path):
        with pytest.raises(InvalidInput, match="holds no records; run a study first"):
            write_summary(tmp_path)

    def test_without_matplotlib(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(MissingDependency, match=r"consurv\[report\]"):
            write_summary(tmp_path)

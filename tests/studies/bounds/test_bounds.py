"""The study of lower bounds: settings, runs and pages."""

import numpy as np
import pytest

from consurv.errors import InvalidInput
from studies.bounds import davidov, nyangweso_wang, sesia_svetnik
from studies.bounds import run as run_module
from studies.bounds.__main__ import GROUPS, main
from studies.bounds.contestants import CONTESTANTS
from studies.bounds.page import page
from studies.bounds.run import missing, read, write
from studies.bounds.summary import cell, false_discoveries
from studies.bounds.world import rng_of

ALL = [*davidov.SETTINGS, *nyangweso_wang.SETTINGS, *sesia_svetnik.SETTINGS]


class TestSettings:
    def test_are_those_of_the_papers(self):
        assert [len(group) for group in GROUPS.values()] == [6, 16, 10]

    @pytest.mark.parametrize("setting", ALL, ids=str)
    def test_sizes(self, setting):
        world = setting.draw(rng_of(setting, 0))
        sizes = len(world.y_train), len(world.y_calibration), len(world.time)
        if setting.group == "davidov":
            assert sizes == (800, 1000, 1000)
        elif setting.group == "sesia-svetnik":
            assert sizes == (1000, 1000, 1000)
        else:
            n = int(setting.name.split()[-1])
            assert sizes == (0.6 * n, 0.4 * n, 2000)
        censored = ~world.y_calibration.event
        assert (world.limit[censored] == world.y_calibration.time[censored]).all()
        assert (world.limit >= world.y_calibration.time).all()

    @pytest.mark.parametrize("setting", nyangweso_wang.SETTINGS[:4], ids=str)
    def test_censor_as_many_as_they_say(self, setting):
        events = [
            setting.draw(rng_of(setting, r)).y_calibration.event for r in range(20)
        ]
        share = 1 - np.concatenate(events).mean()
        wanted = float(setting.name.split()[2].rstrip("%")) / 100
        assert share == pytest.approx(wanted, abs=0.03)

    def test_early_censoring_of_davidov(self):
        setting = davidov.SETTINGS[0]
        world = setting.draw(rng_of(setting, 0))
        lowest = np.argsort(world.X_calibration[:, 0])[:150]
        early = world.y_calibration.time <= 0.1
        assert early[lowest].mean() > 0.6
        assert np.delete(early, lowest).mean() < 0.05


def records():
    """Return made-up records of two settings."""
    one = {name: [0.9, 1.0, 0.5] for name in CONTESTANTS}
    two = {name: [0.8, 2.0, 0.7] for name in CONTESTANTS} | {"fused": []}
    screening = {"screening": [0.1, 0.5, 0.8]}
    return {
        "davidov 1": {"0": one | screening, "1": two},
        "nyangweso-wang B C2 60% 600": {"0": one},
        "sesia-svetnik 1": {"0": two},
    }


class TestPages:
    def test_means_and_refusals(self):
        found = cell(records(), "davidov 1", "aipcw")
        assert (found.n, found.n_refused) == (2, 0)
        assert found.coverage == pytest.approx(0.85)
        assert found.error == pytest.approx(0.05)
        assert cell(records(), "davidov 1", "fused").n_refused == 1
        assert np.isnan(cell(records(), "sesia-svetnik 1", "fused").coverage)

    def test_screening_counts_where_it_was_done(self):
        assert false_discoveries(records(), "davidov 1").n == 1
        assert false_discoveries(records(), "sesia-svetnik 1").n == 0

    def test_a_page_has_published_numbers_beside_ours(self):
        text = page(records())
        assert "*focused, published* | 0.975" in text
        assert "*AIPCW, Hájek, published* | 0.889" in text
        assert "fused (refuses 50%)" in text


class TestRuns:
    def test_know_what_is_missing(self):
        todo = missing(GROUPS["davidov"][:2], range(3), records())
        names = [(str(setting), r, len(known)) for setting, r, known in todo]
        assert names == [
            ("davidov 2", 0, 0), ("davidov 1", 1, len(CONTESTANTS)),
            ("davidov 2", 1, 0), ("davidov 1", 2, 0), ("davidov 2", 2, 0),
        ]  # fmt: skip

    def test_a_later_contestant_runs_alone(self, monkeypatch):
        asked = {"old": lambda fit: 1 / 0, "new": lambda fit: np.zeros(1000)}
        monkeypatch.setattr(run_module, "CONTESTANTS", asked)
        monkeypatch.setattr(run_module, "fitted", lambda world, leaf: None)
        known = frozenset({"old", "screening"})
        [(_, _, found)] = run_module.run([(ALL[-1], 3, known)])
        assert found == {"new": [1.0, 0.0, 0.0]}

    def test_records_are_what_was_written(self, tmp_path):
        write(records(), tmp_path / "bounds.json")
        assert read(tmp_path / "bounds.json") == records()
        (tmp_path / "bounds.json").write_text('{"davidov 1": {"0": {"raw": [1]}}}')
        with pytest.raises(InvalidInput, match="another form"):
            read(tmp_path / "bounds.json")

    @pytest.mark.slow
    def test_quick(self, tmp_path, capsys):
        arguments = ["--quick", "--groups", "nyangweso-wang", "--output", str(tmp_path)]
        first = main(arguments)
        [(setting, found)] = first.items()
        assert set(found) == {"0", "1"}
        assert 0.8 < found["0"]["kaplan-meier"][0] < 1
        assert (tmp_path / "bounds.png").stat().st_size > 1000
        text = (tmp_path / "bounds.md").read_text()
        assert text.startswith("# Lower bounds")
        assert main(arguments) == first  # nothing is run twice
        assert setting in capsys.readouterr().out


def test_whoever_refuses_has_nothing_screening_too(monkeypatch):
    def refuse(fit):
        raise InvalidInput("too little is known")

    monkeypatch.setattr(run_module, "CONTESTANTS", {"nobody": refuse})
    monkeypatch.setattr(run_module, "screening", refuse)
    monkeypatch.setattr(run_module, "fitted", lambda world, leaf: None)
    [(setting, repetition, found)] = run_module.run([(ALL[-1], 3, frozenset())])
    assert (setting, repetition) == ("sesia-svetnik 10", "3")
    assert found == {"nobody": [], "screening": []}

"""Training defaults and the comparison of models: what is counted and how."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

from benchmarks import defaults, peers_models
from benchmarks.cell import make_cell
from benchmarks.pycox_models import PYCOX, train_pycox
from consurv.datasets import Dataset, make_weibull
from consurv.metrics import concordance_index
from studies.protocol import split_rows


@pytest.fixture(scope="module")
def data():
    drawn = make_weibull(300, n_features=3, effect=1.5, random_state=0)
    return Dataset("SMALL", drawn.X, drawn.y, "simulated", "CC0", "days")


@pytest.fixture(scope="module")
def cell(data):
    return make_cell(data, 0)


class TestProtocol:
    def test_parts_are_disjoint_and_complete(self, data, cell):
        parts = (cell.train, cell.validation, cell.test)
        assert [len(y) for _, y in parts] == [243, 27, 30]
        times = np.concatenate([y.time for _, y in parts])
        assert_array_equal(np.sort(times), np.sort(data.outcome.time))

    def test_the_training_rows_alone_set_the_scale(self, cell):
        assert_allclose(cell.train[0].mean(axis=0), 0, atol=1e-6)
        assert np.abs(cell.test[0].mean(axis=0)).max() > 0.01

    def test_a_seed_gives_the_same_rows(self, data, cell):
        assert_array_equal(make_cell(data, 0).test[0], cell.test[0])
        assert not np.array_equal(make_cell(data, 1).test[0], cell.test[0])

    def test_the_rows_are_those_of_the_studies(self):
        cell, parts = make_cell("VALCT", 3), split_rows("VALCT", 3, True)
        for ours, theirs in (
            (cell.train, parts.train),
            (cell.validation, parts.validation),
            (cell.test, parts.test),
        ):
            assert ours[1] == theirs[1]
            assert_array_equal(ours[0], theirs[0].to_numpy(dtype=np.float32))


def fits(losses):
    """Fits from losses by dataset, model and weight decay, one seed."""
    return pd.DataFrame(
        {
            "dataset": dataset,
            "model": model,
            "seed": 100,
            "weight_decay": decay,
            "seconds": 1.0,
            "loss": {"20": loss},
            "epochs": {"20": 30},
        }
        for (dataset, model), row in losses.items()
        for decay, loss in row.items()
    )


class TestDefaults:
    def test_patience_stops_where_training_would(self):
        losses = np.array([3.0, 2.0, 2.5, 2.4, 1.0, 1.5, 1.5, 1.5])
        assert defaults.at_patience(losses, 2) == (1, 4)
        assert defaults.at_patience(losses, 3) == (4, 8)
        assert defaults.at_patience(losses, 50) == (4, 8)

    def test_regret_is_a_share_and_rank_counts(self):
        table = defaults.regrets(fits({("A", "M"): {0.0: 3.0, 0.1: 1.0, 0.2: 1.5}}))
        assert_allclose(table["regret"], [1.0, 0.0, 0.25])
        assert_allclose(table["rank"], [3, 1, 2])

    def test_the_best_mean_rank_wins(self):
        table = fits(
            {
                ("A", "M"): {0.0: 1.0, 0.1: 2.0, 0.2: 3.0},
                ("B", "M"): {0.0: 9.0, 0.1: 2.0, 0.2: 3.0},
                ("C", "M"): {0.0: 3.0, 0.1: 2.0, 0.2: 1.0},
            }
        )
        assert defaults.best_decay(table) == 0.1

    def test_a_decay_of_its_own_must_win_nearly_everywhere(self):
        common = {name: {0.0: 1.0, 0.1: 2.0, 0.2: 3.0} for name in "ABCD"}
        common |= {name: {0.0: 3.0, 0.1: 2.0, 0.2: 1.0} for name in "AB"}
        other = {name: {0.0: 3.0, 0.1: 2.0, 0.2: 1.0} for name in "ABC"}
        losses = {(d, m): row for m in ("M", "N") for d, row in common.items()}
        losses |= {(d, "O"): row for d, row in (common | other).items()}
        table = fits(losses)
        assert defaults.own_decays(table) == {"O": 0.2}
        # It has no say in what the others share.
        assert defaults.best_decay(table) == 0.0
        losses["C", "O"] = common["C"]
        assert defaults.own_decays(fits(losses)) == {}

    def test_writes_what_it_found(self, data, monkeypatch, tmp_path, capsys):
        monkeypatch.setattr(defaults, "load_dataset", lambda name: data)
        monkeypatch.setattr(defaults, "PATIENCES", (2, 3))
        monkeypatch.setattr(defaults, "PATIENCE", 2)
        asked = "--datasets SMALL --models NMTLR --seeds 100 --weight-decays 0 0.1"
        found = defaults.main([*asked.split(), "--output", str(tmp_path)])
        assert [len(found[kind]) for kind in ("weight_decay", "patience")] == [2, 1]
        saved = json.loads((tmp_path / "defaults.json").read_text())
        assert saved["weight_decay"] == found["weight_decay"]
        text = (tmp_path / "defaults.md").read_text()
        assert text in capsys.readouterr().out
        assert "Mean rank by model" in text


class TestPeers:
    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("name", PYCOX)
    def test_pycox_learns_the_same_effect(self, name, cell):
        curves = train_pycox(
            name,
            cell.train,
            cell.validation,
            epochs=40,
            patience=10,
            weight_decay=0.0,
            seed=0,
        )
        X, y = cell.train
        assert float(concordance_index(y, curves(X))) > 0.7

    def test_a_side_that_fails_is_said(self, cell):
        def fails(cell):
            raise RuntimeError("no answer\nand more")

        pairs = {"CoxPH": {"itself": lambda c: peers_models._ours("CoxPH", c)}}
        pairs["CoxPH"]["broken"] = fails
        good, bad = peers_models.compare(cell, pairs=pairs)
        assert good["ours"] == good["theirs"] == bad["ours"]
        assert bad["theirs"] is None
        assert bad["error"] == "RuntimeError: no answer"

    def test_what_is_known_is_not_done_again(self, cell):
        pairs = {"CoxPH": {"itself": lambda c: peers_models._ours("CoxPH", c)}}
        known = list(peers_models.compare(cell, pairs=pairs))
        assert list(peers_models.compare(cell, known, pairs)) == []

    def test_the_summary_says_by_how_much_a_target_is_missed(self):
        entries = pd.DataFrame(
            {
                "dataset": dataset,
                "seed": seed,
                "model": "M",
                "peer": "P",
                "ours": ours,
                "theirs": theirs,
                "error": None,
            }
            for dataset, pairs in {
                "A": [(0.7, 0.71), (0.71, 0.7)],
                "B": [(0.6, 0.7), (0.602, 0.7)],
                "C": [(0.6, 0.7), (0.7, 0.65)],
                "D": [(0.6, None), (0.5, None)],
            }.items()
            for seed, (ours, theirs) in enumerate(pairs)
        )
        entries.loc[entries["dataset"] == "D", "error"] = "ValueError: no"
        table = peers_models.summary(entries).set_index("dataset")
        assert table["verdict"].to_list() == [
            "met",
            "missed by 0.079",
            "missed by 0.005, CI holds 0",
            "no pair: ValueError: no",
        ]
        assert table["difference"]["B"] == pytest.approx(-0.099)
        # Half the width with one degree of freedom: 12.706 · 0.002 / 2.
        assert table["ci"]["B"] == pytest.approx(12.706 * 0.001, rel=1e-3)

"""The authors' models: what tells them from ours."""

import numpy as np
import pytest
import torch

from consurv.errors import InvalidInput
from consurv.models import make_model
from consurv.models.deep.losses.case_control import case_control_loss
from consurv.outcome import Outcome
from studies.fits import Fit, pack, unpack
from studies.preset.bins import event_edges
from studies.preset.models import paper_model
from studies.preset.networks import late_norm_mlp

rng = np.random.default_rng(0)
N = 120
X = rng.normal(size=(N, 3)).astype("float32")
Y = Outcome(time=rng.exponential(100 * np.exp(-X[:, 0])) + 1, event=rng.random(N) < 0.7)
QUICK = {"max_epochs": 3}
DEEP = ["deepsurv", "n-mtlr", "deephit", "coxtime", "cqrnn", "lognormal"]


class TestPaperModel:
    @pytest.mark.parametrize("name", DEEP)
    def test_trains_predicts_and_is_stored(self, name: str) -> None:
        model = paper_model(name, 0, **QUICK).fit(X, Y, X[:40], Y[:40])
        content = pack(Fit(model, 1.0, 3, None), "mark")
        assert content is not None
        again = unpack(content, "mark", paper_model(name, 0, **QUICK), X.shape[1])
        assert again is not None
        curves = [m.predict_survival_function(X[:5]) for m in (model, again.model)]
        times = np.array([1.0, 50.0, 500.0])
        assert np.array_equal(*(c.survival_at(times) for c in curves))
        assert (model.weight_decay, model.batch_size) == (0.1, 256)

    @pytest.mark.parametrize(
        ("name", "patience"), [("deepsurv", 51), ("cqrnn", 51), ("deephit", 10)]
    )
    def test_has_the_authors_patience(self, name: str, patience: int) -> None:
        assert paper_model(name).patience == patience

    def test_takes_settings_that_exist(self) -> None:
        with pytest.raises(InvalidInput, match="deephit has no setting 'epochs'"):
            paper_model("deephit", epochs=3)

    def test_leaves_others_ours(self) -> None:
        assert type(paper_model("AFT")).__name__ == "WeibullAFT"


class TestLosses:
    def test_deepsurv_divides_by_rows_too(self) -> None:
        ours, theirs = make_model("deepsurv"), paper_model("deepsurv")
        batch = {"x": torch.from_numpy(X), **ours._encode(Y)}
        network = ours._network(3).eval()
        plain = ours._loss(network, batch)
        assert torch.isclose(theirs._loss(network, batch), plain / N)

    def test_coxtime_validates_on_one_fresh_control(self) -> None:
        model = paper_model("coxtime", 0, **QUICK)
        model.fit(X, Y, X[:40], Y[:40])
        order = np.argsort(Y.time, kind="stable")
        model._at_risk = {False: torch.from_numpy(X[order])}
        batch = model._batch((X[order], Y[order]))
        network = model.network_.eval().requires_grad_(False)
        losses = {float(model._loss(network, batch)) for _ in range(3)}
        assert len(losses) == 3
        zero = case_control_loss(torch.zeros(5), torch.zeros(5, 1))
        assert all(abs(loss - float(zero)) < 0.5 for loss in losses)

    def test_coxtime_goes_on_to_the_last_observed_time(self) -> None:
        late = Outcome(
            time=np.append(Y.time[:-1], 10 * Y.time.max()),
            event=np.append(Y.event[:-1], False),
        )
        model = paper_model("coxtime", 0, **QUICK).fit(X, late, X, late)
        assert model.times_[-1] == late.time.max()
        assert model.baseline_[-1] == 0

    def test_the_slip_moves_curves_five_times_early(self) -> None:
        fits = [
            paper_model("lognormal", 0, time_scale=scale, max_epochs=1).fit(X, Y, X, Y)
            for scale in ("coded", "corrected")
        ]
        coded, corrected = (f.predict_survival_function(X[:4]).median() for f in fits)
        assert np.allclose(corrected, 5 * coded)
        # Validation times as they are make a loss of another size.
        first, second = (f.history_.validation_loss[0] for f in fits)
        assert first > second + 1


class TestBins:
    def test_edges_go_from_the_first_event_to_the_last(self) -> None:
        edges = event_edges(Y)
        events = Y.time[Y.event]
        assert (edges[0], edges[-1]) == (events.min(), events.max())
        assert len(edges) == np.ceil(np.sqrt(len(events)))

    def test_the_last_event_is_in_the_open_bin(self) -> None:
        model = paper_model("n-mtlr")
        model._prepare(Y)
        bins = model._encode(Y)["bin"].numpy()
        assert bins[Y.time == Y.time[Y.event].max()][0] == len(model.edges_)

    def test_deephit_loses_probability_before_all_times(self) -> None:
        model = paper_model("deephit", 0, **QUICK).fit(X, Y, X, Y)
        before = model.predict_survival_function(X).survival_at(model.edges_[:1])
        assert model.edges_[0] < Y.time.min()
        assert before.max() < 0.99


def test_norm_comes_after_the_rectifier() -> None:
    names = [type(layer).__name__ for layer in late_norm_mlp(2, 1, (4,), 0.1)]
    assert names.index("BatchNorm1d") > names.index("ReLU")

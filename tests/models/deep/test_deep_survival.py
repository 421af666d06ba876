import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

torch = pytest.importorskip("torch")

from consurv.adapters import adapter_for  # noqa: E402
from consurv.curves import SurvivalCurves  # noqa: E402
from consurv.errors import CalibrationWarning, InvalidInput  # noqa: E402
from consurv.models import DeepSurv  # noqa: E402
from consurv.models.deep.deep_survival import DeepSurvival  # noqa: E402
from consurv.outcome import Outcome  # noqa: E402
from consurv.splits import split  # noqa: E402


class Exponential(DeepSurvival):
    """A model that notes how it is called: a constant hazard by a network."""

    def _prepare(self, outcome):
        self.calls_ = [("prepare", len(outcome))]

    def _encode(self, outcome):
        self.calls_.append(("encode", len(outcome)))
        time, event = torch.tensor(outcome.time), torch.tensor(outcome.event)
        return {"time": time.float(), "event": event}

    def _loss(self, network, batch):
        log_rate = network(batch["x"])[:, 0]
        return (log_rate.exp() * batch["time"] - log_rate * batch["event"]).mean()

    def _finish(self, x, outcome):
        assert torch.is_inference_mode_enabled()
        assert not self.network_.training
        self.calls_.append(("finish", len(x)))

    def _curves(self, x):
        rate = self.network_(x).exp().double().numpy()
        levels = np.linspace(0.95, 0.05, 19)
        return SurvivalCurves.from_percentile_times(-np.log(levels) / rate, levels)


class TestFit:
    def test_calls_the_hooks_in_order_on_disjoint_parts(self, simulated):
        model = Exponential(max_epochs=1, random_state=0).fit(*simulated)
        assert model.calls_ == [
            ("prepare", 180),
            ("encode", 180),
            ("encode", 20),
            ("finish", 180),
        ]

    def test_trains_on_all_rows_if_it_gets_a_validation_set(self, simulated):
        X, y = simulated
        model = Exponential(max_epochs=1).fit(X, y, X_val=X[:7], y_val=y[:7])
        assert model.calls_[:3] == [("prepare", 200), ("encode", 200), ("encode", 7)]
        assert adapter_for(model).takes_validation(model)

    def test_holds_out_what_split_holds_out(self, simulated):
        X, y = simulated
        split_off = Exponential(max_epochs=2, random_state=5).fit(X, y)
        options = {"stratify": "event+time"}
        kept, held = split(y, 0.1, np.random.default_rng(5), **options)
        rng = np.random.default_rng(5)
        split(y, 0.1, rng, **options)  # uses up the same draws
        given = Exponential(max_epochs=2, random_state=rng)
        given.fit(X[kept], y[kept], X[held], y[held])
        np.testing.assert_array_equal(given.predict(X), split_off.predict(X))

    def test_leaves_no_trace_if_it_fails(self, simulated):
        X, y = simulated
        model = Exponential(max_epochs=1, device="abacus")
        with pytest.raises(InvalidInput, match="device='abacus' cannot be used"):
            model.fit(X, y)
        assert vars(model) == vars(clone(model))

    def test_shows_a_bar_if_asked(self, simulated, capsys):
        pytest.importorskip("rich")
        Exponential(max_epochs=2, verbose=True).fit(*simulated)
        assert "validation loss" in capsys.readouterr().out

    def test_takes_frames_lists_and_read_only_arrays(self, simulated):
        X, y = simulated
        X = X.astype(np.float32)
        expected = Exponential(max_epochs=1, random_state=0).fit(X, y).predict(X)
        frozen = X.copy()
        frozen.setflags(write=False)
        for form in (frozen, X.tolist(), np.asfortranarray(X), X.astype(">f4")):
            model = Exponential(max_epochs=1, random_state=0).fit(form, y)
            np.testing.assert_array_equal(model.predict(form), expected)
        frame = pd.DataFrame(X, columns=list("abc"))
        model = Exponential(max_epochs=1, random_state=0).fit(frame, y)
        np.testing.assert_array_equal(model.predict(frame), expected)
        assert model.feature_names_in_.tolist() == list("abc")


class TestTrouble:
    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"dropout": 1.0}, "dropout=1.0 is not valid"),
            ({"hidden": (0,)}, "hidden=0 is not valid"),
            ({"learning_rate": 0}, "learning_rate=0 is not valid"),
            ({"weight_decay": -1}, "weight_decay=-1 is not valid"),
            ({"batch_size": 1}, "batch_size=1 is not valid"),
            ({"max_epochs": 0}, "max_epochs=0 is not valid"),
            ({"patience": 0}, "patience=0 is not valid"),
            ({"validation_fraction": 0}, "validation_fraction=0 is not valid"),
            ({"device": 0}, "device=0 is not valid"),
            ({"random_state": "a"}, "random_state='a' is not valid"),
            ({"verbose": 1}, "verbose=1 is not valid"),
        ],
    )
    def test_with_settings_is_told(self, simulated, params, message):
        with pytest.raises(InvalidInput, match=message):
            Exponential(**params).fit(*simulated)

    def test_with_half_a_validation_set_is_told(self, simulated):
        X, y = simulated
        with pytest.raises(InvalidInput, match="y_val is missing"):
            Exponential().fit(X, y, X_val=X)
        with pytest.raises(InvalidInput, match="X_val is missing"):
            Exponential().fit(X, y, y_val=y)

    def test_with_a_validation_set_is_told(self, simulated):
        X, y = simulated
        with pytest.raises(InvalidInput, match="X_val has 200, y_val has 3"):
            Exponential().fit(X, y, X, y[:3])
        with pytest.raises(ValueError, match="has 2 features"):
            Exponential().fit(X, y, X[:, :2], y)

    def test_with_a_validation_set_without_events_is_a_warning(self, simulated):
        X, y = simulated
        rows = np.flatnonzero(~y.event)
        with pytest.warns(CalibrationWarning, match="hardly tells when to stop"):
            Exponential(max_epochs=1).fit(X, y, X[rows], y[rows])

    def test_with_too_few_subjects_is_told(self):
        with pytest.raises(ValueError, match="minimum of 2 is required"):
            Exponential().fit(np.zeros((1, 1)), Outcome([1.0], [True]))
        with pytest.raises(InvalidInput, match="1 subjects to train on and 1 to"):
            Exponential(validation_fraction=0.5).fit(
                np.zeros((2, 1)), Outcome([1.0, 2.0], [True, True])
            )


class TestPredict:
    @pytest.mark.parametrize("kind", [Exponential, DeepSurv])
    def test_gives_the_same_in_chunks(self, simulated, kind, monkeypatch):
        X, y = simulated
        model = kind(max_epochs=2, random_state=0).fit(X, y)
        whole, risk = model.predict_survival_function(X), model.predict(X)
        monkeypatch.setattr(kind, "_chunk_rows", 64)
        parts = model.predict_survival_function(X)
        np.testing.assert_allclose(parts.survival, whole.survival, atol=1e-6)
        np.testing.assert_allclose(parts.times, whole.times, rtol=1e-5)
        np.testing.assert_allclose(model.predict(X), risk, rtol=1e-5)
        np.testing.assert_allclose(risk, -whole.median())

    def test_does_not_depend_on_the_other_rows(self, simulated):
        X, y = simulated
        model = Exponential(max_epochs=2, random_state=0).fit(X, y)
        np.testing.assert_allclose(
            model.predict(X[:1]), model.predict(X)[:1], rtol=1e-5
        )

    def test_survives_a_pickle_on_the_cpu(self, simulated):
        X, y = simulated
        model = Exponential(max_epochs=2, random_state=0).fit(X, y)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
        assert {p.device.type for p in copy.network_.parameters()} == {"cpu"}

"""A kind of adjustment that the package does not know, through all that it offers."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from consurv import (
    Adjustment,
    ConformalSurvival,
    InvalidInput,
    load_adjustment,
    register_adjustment,
    save_adjustment,
)
from consurv.cli.app import app
from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.conformal.adjustments.adjust import adjust
from consurv.conformal.adjustments.adjustment import Picture
from consurv.conformal.parts.blocks import Block
from consurv.report import plot_adjustment, write_report


@dataclass(frozen=True, kw_only=True)
class Stretched(Adjustment):
    """All times of all subjects by one factor: that of the medians to the events."""

    kind: ClassVar[str] = "stretched"
    adjusts: ClassVar[str] = "the unit of time"
    method: ClassVar[str] = "all times multiplied by one factor"
    what: ClassVar[str] = "factor"
    can_cross: ClassVar[bool] = False
    rule_names: ClassVar[tuple[str, ...]] = ("auto",)

    factors: np.ndarray

    @classmethod
    def choose_rule(cls, censoring, n_samples):
        return "events"

    @classmethod
    def rule_name(cls, rule, censoring):
        return rule

    @classmethod
    def read(cls, raw, data, levels, *, in_training):
        medians = raw.percentile_times(data[0], np.array([0.5]))[:, 0]
        return Block(medians, levels, data[1], in_training=in_training)

    @classmethod
    def find(cls, blocks, rule, rng):
        event = np.concatenate([block.outcome.event for block in blocks])
        time = np.concatenate([block.outcome.time for block in blocks])
        median = np.concatenate([block.reading for block in blocks])
        factor = np.median((time / median)[event])
        levels = blocks[0].levels
        return cls(
            levels=levels,
            factors=np.full(len(levels), factor),
            n_conformal=len(time),
        )

    def apply(self, reading, random_state=None):
        return adjust(reading * self.factors, self.levels, np.zeros(len(self.levels)))

    def attributes(self):
        return {"factor_": float(self.factors[0])}

    def picture(self):
        return Picture("Factor", self.factors, "one", "How to read it.", "A line.")


@pytest.fixture(autouse=True)
def registered():
    register_adjustment(Stretched)
    yield
    del ADJUSTMENTS["stretched"]


@pytest.fixture
def model(simulate, true_model):
    def twice(X):
        times, survival = true_model(X)
        return 2 * np.asarray(times), survival

    post = ConformalSurvival(twice, adjustment="stretched")
    return post.conformalize(*simulate(300, 0))


def test_conformal_survival(model, simulate):
    X, _ = simulate(20, 1)
    raw, calibrated = model.predict_both(X)
    assert model.adjustment_.kind == "stretched"
    assert model.factor_ == pytest.approx(0.5, rel=0.2)
    np.testing.assert_allclose(calibrated.median(), model.factor_ * raw.median())


@pytest.mark.parametrize("form", ["json", "npz"])
def test_stored_form(model, simulate, true_model, tmp_path, form):
    save_adjustment(model.adjustment_, tmp_path / f"a.{form}")
    loaded = load_adjustment(tmp_path / f"a.{form}")
    assert isinstance(loaded, Stretched)
    restored = ConformalSurvival(model.estimator_).restore(loaded)
    X, _ = simulate(20, 1)
    np.testing.assert_array_equal(restored.predict(X), model.predict(X))
    assert restored.factor_ == model.factor_


def test_report(model, simulate, tmp_path):
    path = write_report(model, *simulate(100, 2), tmp_path / "r.html", n_bootstrap=20)
    text = path.read_text()
    assert "all times multiplied by one factor" in text
    assert "How to read it." in text
    assert "none can cross" in text


def test_picture(model):
    from matplotlib.figure import Figure

    ax = plot_adjustment(model.adjustment_, ax=Figure().subplots())
    assert ax.get_ylabel() == "Factor"
    assert list(ax.get_lines()[0].get_ydata()) == [1, 1]


def test_command(simulate, tmp_path):
    X, y = simulate(120, 0)
    table = pd.DataFrame(X).add_prefix("x").assign(time=y.time, event=y.event)
    table.to_csv(tmp_path / "train.csv", index=False)
    table.drop(columns=["time", "event"]).to_csv(tmp_path / "new.csv", index=False)
    options = ["--model", "coxph", "--adjustment", "stretched"]
    options += ["--time", "time", "--event", "event"]
    files = [str(tmp_path / name) for name in ("train.csv", "new.csv")]
    out = ["--out", str(tmp_path / "out.csv")]
    done = CliRunner().invoke(app, ["calibrate", *files, *options, *out])
    assert done.exit_code == 0, done.output
    assert "the unit of time" in done.output


def test_a_name_is_given_once():
    class Other(Stretched):
        pass

    with pytest.raises(InvalidInput, match="there is another adjustment 'stretched'"):
        register_adjustment(Other)
    with pytest.raises(InvalidInput, match="is no class derived from Adjustment"):
        register_adjustment("stretched")
    assert register_adjustment(Stretched) is Stretched

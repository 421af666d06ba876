"""Wrong settings and features end in a message, not in an error from the depths."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from consurv import ConformalSurvival, KaplanMeier, Outcome, conformal_shifts
from consurv.conformal import adjust
from consurv.errors import InvalidInput
from consurv.models import CoxPH, GradientBoosting, WeibullAFT

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["a", "b"])
Y = Outcome(time=RNG.exponential(np.exp(X["a"])), event=np.ones(60))
DATES = pd.Series(pd.date_range("2020", periods=60))


@pytest.mark.parametrize("seed", ["x", -1, 1.5])
@pytest.mark.parametrize(
    "call",
    [
        lambda s: ConformalSurvival(CoxPH(), random_state=s).fit(X, Y),
        lambda s: conformal_shifts(np.ones((60, 1)), [0.5], Y, random_state=s),
        lambda s: adjust(
            [[2.0, 1.0]], [0.7, 0.3], [0, 0], rearrange="bootstrap", random_state=s
        ),
        lambda s: KaplanMeier(Y).sample([0.1], n_samples=2, rng=s),
    ],
    ids=["estimator", "shifts", "adjust", "kaplan-meier"],
)
def test_a_bad_seed(call, seed):
    with pytest.raises(InvalidInput, match=f"={seed!r} is not valid; it must be a"):
        call(seed)


@pytest.mark.parametrize("curve", ["train", 3, Y])
def test_a_kaplan_meier_that_is_none(curve):
    with pytest.raises(InvalidInput, match=r"kaplan_meier=.* instance of KaplanMeier"):
        conformal_shifts(np.ones((60, 1)), [0.5], Y, kaplan_meier=curve)


@pytest.mark.parametrize("adjustment", [{}, None, "file.json"])
def test_an_adjustment_that_is_none(adjustment):
    model = ConformalSurvival(CoxPH().fit(X, Y))
    with pytest.raises(
        InvalidInput, match=r"not an Adjustment; give model\.adjustment_"
    ):
        model.restore(adjustment)


@pytest.mark.parametrize("model", [CoxPH(), GradientBoosting(), WeibullAFT()])
@pytest.mark.parametrize(
    ("column", "words"),
    [
        (DATES, "column 'd' of X holds dates, .* subtract the start date"),
        (DATES.dt.tz_localize("UTC"), "column 'd' of X holds dates"),
        (DATES.astype(object), "column 'd' of X holds dates"),
        (DATES - DATES[0], "column 'd' of X holds time differences"),
        (DATES.dt.to_period("D"), "column 'd' of X holds periods"),
        (pd.cut(X["a"], 3), r"column 'd' of X holds intervals, .* middle \(\.mid\)"),
        (pd.Series(["f", "m"] * 30), "column 'd' of X holds text, such as 'f'"),
        (pd.Series(["f", "m"] * 30, dtype="category"), "column 'd' of X holds text"),
    ],
)
def test_features_that_are_no_numbers(model, column, words):
    with pytest.raises(InvalidInput, match=words):
        model.fit(X.assign(d=column), Y)
    with pytest.raises(InvalidInput, match=words):
        model.fit(column.to_frame("d"), Y)


@pytest.mark.parametrize("model", [CoxPH(), ConformalSurvival(CoxPH())])
def test_features_that_are_none_or_sparse(model):
    with pytest.raises(InvalidInput, match=r"X has no columns; a model needs"):
        model.fit(X[[]], Y)
    for fill in (0.0, np.nan):
        with pytest.raises(InvalidInput, match=r"give X\.sparse\.to_dense\(\)"):
            model.fit(X.astype(pd.SparseDtype(float, fill)), Y)


def test_dates_of_other_tables():
    with pytest.raises(InvalidInput, match="column 'd' of X holds dates"):
        CoxPH().fit(pl.DataFrame({"d": DATES.to_list()}), Y)
    with pytest.raises(InvalidInput, match="X holds dates"):
        CoxPH().fit(DATES.to_numpy()[:, None], Y)


def test_a_bare_torch_module():
    torch = pytest.importorskip("torch")
    model = ConformalSurvival(torch.nn.Linear(2, 1))
    for use in (model.fit, model.conformalize):
        with pytest.raises(InvalidInput, match=r"bare torch module Linear.*FromTorch"):
            use(X, Y)


def test_curves_with_gradients():
    torch = pytest.importorskip("torch")

    def model(rows):
        return [1.0], torch.full((len(rows), 1), 0.5, requires_grad=True)

    with pytest.raises(InvalidInput, match=r"give survival\.detach\(\)"):
        ConformalSurvival(model).conformalize(X, Y)

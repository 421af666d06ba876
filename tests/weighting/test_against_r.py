"""Weighted curves and inverse weights as R's survival package has them.

R is not on every machine; where it or the package is lacking, nothing is tested here.
"""

import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from consurv import KaplanMeier, Outcome, SurvivalCurves
from consurv.bounds import METHODS
from consurv.bounds.forest import NeighbourForest
from consurv.bounds.methods.method import Options
from consurv.conformal.censoring.nuisance import flipped
from consurv.weighting.product_limit import covered_shares
from consurv.weighting.sample import Sample, before
from tests.weighting.samples import exponential, world

# Reads rows (curve, start, stop, event, weight); writes survival at the stops.
SCRIPT = """
suppressMessages(library(survival))
d <- read.csv(commandArgs(TRUE)[1])
all <- lapply(split(d, d$curve), function(r) {
  fit <- survfit(Surv(start, stop, event) ~ 1, r, weights = weight, se.fit = FALSE)
  data.frame(curve = r$curve[1], time = fit$time, survival = fit$surv)
})
write.csv(format(do.call(rbind, all), digits = 17), commandArgs(TRUE)[2],
          row.names = FALSE, quote = FALSE)
"""


def has_r():
    if shutil.which("Rscript") is None:
        return False
    asked = ["Rscript", "-e", "library(survival)"]
    return subprocess.run(asked, capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(
    not has_r(), reason="Rscript or its package survival is not installed"
)


def survfit(folder, **columns):
    """Return survival of R's curves at the stops: columns curve, time, survival."""
    paths = [str(folder / name) for name in ("in.csv", "out.csv", "script.R")]
    table = pd.DataFrame({"curve": 0, "start": 0.0, "weight": 1.0} | columns)
    table.astype({"event": int}).to_csv(paths[0], index=False)
    (folder / "script.R").write_text(SCRIPT)
    subprocess.run(["Rscript", paths[2], *paths[:2]], check=True)
    return pd.read_csv(paths[1])


@pytest.mark.parametrize("least", [None, 0.5])
def test_weighted_curve_of_scores(tmp_path, least):
    """Weights that change on the way: rows (start, stop] with a weight each."""
    x, time, limit = world(60, np.random.default_rng(0))
    y = Outcome(np.minimum(time, limit), time <= limit)
    sample = Sample(y, exponential(5 * np.exp(x)), exponential(8 * np.exp(-x)))
    sample = sample.capped(least)
    levels = sample.candidates[:40]  # later on G ends
    weight = 1 / before(sample.censoring, sample.bounds(levels))
    subject, step = np.nonzero(sample.covered(levels))
    dies = (y.event & ~sample.late)[subject] & (sample.score[subject] == levels[step])
    told = survfit(
        tmp_path,
        start=step,
        stop=step + 1,
        event=dies,
        weight=weight[subject, step],
    )
    found = covered_shares(sample, levels)
    assert_allclose(found[1:], told["survival"][:-1], atol=1e-10)
    assert found[-1] < 0.7


def test_curves_of_the_forest(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(80, 2))
    y = Outcome(rng.exponential(1 + 5 * X[:, 0]).round(1) + 0.1, rng.random(80) < 0.6)
    forest = NeighbourForest(10, min_samples_leaf=5, random_state=0).fit(X, y)
    new = X[:3]
    weight = forest._weights(new)
    seen = forest.outcome_
    # Times by number, which no text of them rounds.
    times, number = np.unique(seen.time, return_inverse=True)
    told = survfit(
        tmp_path,
        curve=np.repeat(np.arange(3), 80),
        stop=np.tile(number + 1, 3),
        event=np.tile(seen.event, 3),
        # R takes no weight of 0; one as small does not count either.
        weight=np.maximum(weight, 1e-14).ravel(),
    )
    curves = forest.predict_survival_function(new)
    # Beyond the last event ours go on falling.
    told = told[times[told["time"] - 1] <= seen.time[seen.event].max()]
    for i, rows in told.groupby("curve"):
        found = curves[[i]].survival_at(times[rows["time"] - 1])[0]
        assert_allclose(found, rows["survival"], atol=1e-10)


def test_inverse_weights(tmp_path):
    """By the Kaplan–Meier curve of censoring, and what they make of the events."""
    rng = np.random.default_rng(1)
    y = Outcome(time=1.0 + rng.permutation(60), event=rng.random(60) < 0.6)
    censored = survfit(tmp_path, stop=y.time, event=~y.event)
    km = KaplanMeier(flipped(y))
    g = np.append(1.0, censored["survival"])[y.time.astype(int) - 1]
    assert_allclose(before(curve_of(km, 60), y.time[:, None])[:, 0], g, atol=1e-10)
    # Events so weighted give the Kaplan–Meier curve of the events.
    sample = Sample(y, exponential(np.full(60, 9.0)), curve_of(km, 60))
    events = survfit(tmp_path, stop=y.time, event=y.event)
    mass = METHODS["ipcw"].mass(sample, Options())(sample.candidates)
    assert_allclose(mass[1:] / 60, events["survival"][:-1], atol=1e-10)


def curve_of(km, n):
    """Return a Kaplan–Meier curve as that of n subjects."""
    times = np.asarray(km.times)
    return SurvivalCurves(times, [km.survival_at(times)] * n, "step")

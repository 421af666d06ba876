"""
A metric of your own
====================

A metric is a function of outcomes and curves. Here: how often does a patient who was
said to survive two years, with 80 % or more, die within them? `make_scorer` takes it
into scikit-learn's cross-validation and searches.
"""

import numpy as np
from _cautions import cautions
from _pictures import CALIBRATED, RAW, panels, save
from sklearn.model_selection import cross_val_score
from sksurv.ensemble import GradientBoostingSurvivalAnalysis

from consurv import ConformalSurvival, KaplanMeier, Outcome
from consurv.adapters import adapter_for
from consurv.datasets import load_dataset
from consurv.metrics import make_scorer


# %%
# The excess: observed risk of the "safe" less what their curves say, by Kaplan–Meier.
def false_comfort(y, curves, *, time=24.0, threshold=0.8):
    promised = curves.survival_at([time])[:, 0]
    safe = promised >= threshold
    if safe.sum() < 10:  # hardly anybody is promised so much
        return 0.0
    observed = KaplanMeier(Outcome.of(y)[safe]).survival_at(time)
    return max(0.0, float(promised[safe].mean() - observed))


# %%
# Errors are better when small, which scikit-learn has to be told.
scorer = make_scorer(
    false_comfort,
    greater_is_better=False,
    curves=lambda estimator, X: adapter_for(estimator).curves(estimator, X),
)
data = load_dataset("GBSG")
rows = np.random.default_rng(0).choice(len(data.y), 1000, replace=False)
X, y = data.X.iloc[rows], data.y[rows]
# Boosting that was trained too fast: sure and wrong.
trees = GradientBoostingSurvivalAnalysis(
    learning_rate=1.0, n_estimators=50, random_state=0
)
found = {}
for name, model in {
    "raw": trees,
    "calibrated": ConformalSurvival(trees, conformal_set="holdout", random_state=0),
}.items():
    with cautions(None):
        found[name] = -cross_val_score(model, X, y, scoring=scorer, cv=4)
    print(f"{name}: {found[name].mean():.3f}, folds {found[name].round(3)}")

# %%
figure, ax = panels(1, 6.0, 3.2)
for k, (name, colour) in enumerate({"raw": RAW, "calibrated": CALIBRATED}.items()):
    ax.bar(np.arange(4) + 0.4 * k - 0.2, found[name], 0.38, color=colour, label=name)
ax.set(xlabel="fold", ylabel="false comfort", xticks=range(4))
ax.legend(frameon=False)
save(
    figure,
    __file__,
    "Bars of the own metric in four folds, raw and calibrated boosting.",
)

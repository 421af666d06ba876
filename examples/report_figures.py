"""
The figures of a report
=======================

Four pictures that a report shows, for boosted trees that were trained too long. Blue is
the raw model, orange the calibrated one, black what happened.
"""

from _cautions import cautions
from _pictures import CALIBRATED, RAW, save
from matplotlib.figure import Figure
from sksurv.ensemble import GradientBoostingSurvivalAnalysis

from consurv import ConformalSurvival
from consurv.datasets import load_dataset
from consurv.report import (
    plot_d_calibration,
    plot_mean_curve,
    plot_pp,
    plot_risk_calibration,
)
from consurv.splits import split

data = load_dataset("GBSG")
train, test = split(data.y, 0.3, random_state=0)
trees = GradientBoostingSurvivalAnalysis(
    learning_rate=0.3, max_depth=6, max_features="sqrt", random_state=0
)
model = ConformalSurvival(trees, conformal_set="half", random_state=0)
with cautions():
    model.fit(data.X.iloc[train], data.y[train])
raw, calibrated = model.predict_both(data.X.iloc[test])

# %%
# Each is a function that draws into an Axes.
figure = Figure(figsize=(10.5, 8.4), layout="constrained")
axes = figure.subplots(2, 2)
both = {"raw": raw, "calibrated": calibrated}
style = {"colours": {"raw": RAW, "calibrated": CALIBRATED}}
y = data.y[test]
plot_pp(y, both, ax=axes[0, 0], **style)
plot_d_calibration(y, both, ax=axes[0, 1], **style)
plot_mean_curve(y, both, ax=axes[1, 0], time_unit="months", **style)
plot_risk_calibration(y, both, ax=axes[1, 1], time_unit="months", **style)
save(
    figure,
    __file__,
    "Four figures of a report. P-P plot: the raw line leaves the diagonal, the "
    "calibrated one follows it. Histogram of D-calibration: raw bars are uneven, "
    "calibrated ones near a tenth. Mean curve: the raw one leaves the Kaplan-Meier "
    "curve, the calibrated one follows it. By risk: raw lines miss the observed "
    "survival of the highest and lowest risks, calibrated ones come close.",
)

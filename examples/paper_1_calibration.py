"""
Distribution calibration and calibration at one time
====================================================

The paper's first figure with real patients. The upper row asks for D-calibration: the
probabilities at the deaths should be uniform. The lower row asks for calibration at one
time, in two groups of risk.
"""

import numpy as np
from _patients import COLOURS, GREY, RAW, case, grid
from _pictures import save
from matplotlib.figure import Figure

from consurv import KaplanMeier
from consurv.metrics import d_calibration

pbc = case()
y, curves, four = pbc.test[1], pbc.raw, pbc.four
times, moment = grid(pbc), 1500.0
figure = Figure(figsize=(11, 5.6), layout="constrained")
axes = figure.subplots(2, 3)

# %%
# Four patients: their curves, and the days on which they died.
at_death = curves.survival_at_observed(y.time)
for i, colour in zip(four, COLOURS, strict=True):
    axes[0, 0].plot(times, curves[i : i + 1].survival_at(times)[0], color=colour)
    axes[0, 0].plot(y.time[i], at_death[i], "*", ms=12, color=colour)
axes[0, 0].set(title="(a) four patients", xlabel="days", ylabel="survival")

# %%
# D-calibration counts those probabilities, over all patients of the test set.
found = d_calibration(y, curves)
axes[0, 1].bar(np.arange(10) / 10 + 0.05, found.histogram / len(y), 0.09, color=RAW)
axes[0, 1].axhline(0.1, color=GREY, ls="--")
axes[0, 1].set(title="(b) S(t) at the deaths", xlabel="survival", ylabel="share")
axes[0, 2].plot([0, *found.levels, 1], [0, *found.cumulative, 1], "o-", color=RAW)
axes[0, 2].plot([0, 1], [0, 1], color=GREY, ls="--")
axes[0, 2].set(title=f"(c) P-P, D-cal {float(found):.4f}", xlabel="level")

# %%
# At one time: predicted against observed survival in two groups.
predicted = curves.survival_at(np.array([moment]))[:, 0]
low = predicted >= np.median(predicted)
pairs = [
    (predicted[g].mean(), float(KaplanMeier(y[g]).survival_at(moment)))
    for g in (~low, low)
]
axes[1, 0].hist(predicted, np.linspace(0, 1, 21), color=RAW)
axes[1, 0].axvline(np.median(predicted), color=GREY, ls="--")
axes[1, 0].set(title=f"(d) S at day {moment:.0f}, two groups", xlabel="survival")
for k, (said, seen) in enumerate(pairs):
    axes[1, 1].bar([k - 0.2, k + 0.2], [said, seen], 0.38, color=[RAW, GREY])
axes[1, 1].set_xticks([0, 1], ["high risk", "low risk"])
axes[1, 1].set(title="(e) predicted (blue), observed (grey)", ylabel="survival")
axes[1, 2].plot(*zip(*pairs, strict=True), "o", color=RAW)
axes[1, 2].plot([0, 1], [0, 1], color=GREY, ls="--")
axes[1, 2].set(title="(f) at one time", xlabel="predicted", ylabel="observed")
save(
    figure,
    __file__,
    "Six panels about a Cox model of PBC. Above: curves of four patients with stars "
    "at their deaths, a histogram of the survival probabilities at the deaths that is "
    "close to flat, and a P-P line close to the diagonal. Below: predicted survival "
    "at day 1500, and predicted beside observed survival in two groups of risk.",
)

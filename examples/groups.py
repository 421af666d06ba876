"""
Hospitals that a model is wrong for in opposite directions
==========================================================

A model trained elsewhere tells patients of one hospital too much time and those of
another too little. One adjustment for all can only split the difference. With
``groups=`` each hospital gets its own, as far as its patients tell it from that of all.
"""

import numpy as np
from _cautions import cautions
from _pictures import GREY, panels, save

from consurv import ConformalSurvival, SurvivalCurves
from consurv.datasets import make_weibull

levels = np.arange(0.05, 1, 0.05)
# Times are too long by these factors in the hospitals, of unequal size.
factors = {"North": 1.6, "South": 0.6, "West": 1.0}
colours = {"North": "#D55E00", "South": "#0072B2", "West": "#009E73"}


def patients(sizes, seed):
    """Return patients, and the hospital of each."""
    data = make_weibull(sum(sizes), censoring=0.3, random_state=seed)
    return data, np.repeat(list(factors), sizes)


# %%
# 400, 120 and 60 patients set the adjustment, others are predicted.
data, hospital = patients((400, 120, 60), 5)
new, new_hospital = patients((1000, 1000, 1000), 2)


def said(data, hospital):
    """Return what the model says."""
    times = np.linspace(0, 3 * data.y["time"].max(), 300)
    survival = np.empty((len(hospital), len(times)))
    for name, factor in factors.items():
        here = hospital == name
        survival[here] = data.true_curves(data.X[here]).survival_at(times / factor)
    return SurvivalCurves(times, survival)


# %%
# The same patients, without and with their hospitals.
raw, new_raw = said(data, hospital), said(new, new_hospital)
with cautions():
    pooled = ConformalSurvival.from_curves(raw, data.y)
    by_hospital = ConformalSurvival.from_curves(raw, data.y, groups=hospital)
print(by_hospital.groups_)
shown = {
    "raw": new_raw,
    "one adjustment": pooled.calibrate(new_raw),
    "by hospital": by_hospital.calibrate(new_raw, groups=new_hospital),
}

# %%
# True survival at the times that were promised, on average in each hospital.
truth = new.true_curves(new.X)
figure, axes = panels(3, 3.1, 3.6)
for ax, (title, curves) in zip(axes, shown.items(), strict=True):
    ax.plot([0, 1], [0, 1], color=GREY, ls="--", lw=1)
    times, worst = curves.percentile_times(levels), 0.0
    reached = np.column_stack([truth.survival_at_observed(t) for t in times.T])
    for name, colour in colours.items():
        line = reached[new_hospital == name].mean(axis=0)
        ax.plot(levels, line, color=colour, label=name, lw=1.6)
        worst = max(worst, 100 * np.sqrt(np.mean((line - levels) ** 2)))
    print(f"{title}: worst hospital off by {worst:.1f} points")
    ax.set(title=f"{title}\nworst off by {worst:.1f} points", xlabel="promised")
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
axes[0].set_ylabel("true survival")
axes[0].legend(frameon=False, loc="upper left")
save(
    figure,
    __file__,
    "True against promised survival in three hospitals. Raw: North far below the "
    "diagonal, South far above, West on it. With one adjustment all have moved and "
    "South is still far off. By hospital all three lie on the diagonal.",
)

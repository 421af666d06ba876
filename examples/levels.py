"""
Choosing levels
===============

The conformal kinds are right at their levels and straight between them. Few levels cut
the ends off a curve; many ask more of the conformal set than it holds, and the lowest
ones rest on times that nobody saw. The default kind has no such grid inside; its levels
only say where curves are written down.
"""

import numpy as np
from _cautions import cautions
from _pictures import CALIBRATED, GREY, RAW, TRUE, panels, save

from consurv import ConformalSurvival, SurvivalCurves
from consurv.datasets import make_weibull

data = make_weibull(300, censoring=0.4, random_state=4)


def model(X):
    right = data.true_curves(X)
    return SurvivalCurves(1.5 * right.times, right.survival)


# %%
# `identified` says at which levels enough events lie beyond the adjusted time; at the
# others the dots are hollow.
figure, axes = panels(3, 3.2, 3.0)
grid, one = np.linspace(0, 40, 300), data.X[:1]
for ax, percentiles in zip(axes, (3, 19, 99), strict=True):
    calibrated = ConformalSurvival(
        model, adjustment="log-time", percentiles=percentiles
    )
    with cautions(f"{percentiles} levels"):
        calibrated.conformalize(data.X, data.y)
    found = calibrated.adjustment_
    curve = calibrated.predict_survival_function(one)
    ax.plot(grid, model(one).survival_at(grid)[0], color=RAW, label="raw")
    ax.plot(grid, curve.survival_at(grid)[0], color=CALIBRATED, label="calibrated")
    times = curve.percentile_times(found.levels)[0]
    for known, fill in ((True, CALIBRATED), (False, "white")):
        rows = found.identified == known
        ax.plot(times[rows], found.levels[rows], "o", ms=4, mfc=fill, color=CALIBRATED)
    truth = data.true_curves(one).survival_at(grid)[0]
    ax.plot(grid, truth, color=TRUE, ls="--", label="true")
    ax.axhline(0.5, color=GREY, lw=0.5)
    ax.set(title=f"{percentiles} levels", xlabel="months", xlim=(0, 40), ylim=(0, 1))
axes[0].set_ylabel("survival")
axes[0].legend(frameon=False)
save(
    figure,
    __file__,
    "One patient's raw, calibrated and true curve with 3, 19 and 99 levels. Hollow "
    "dots mark levels that too few events identify, at the lower end of the curve.",
)

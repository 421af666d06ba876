"""
A model that is too sure of itself
==================================

Medians are right, but the curves fall too steeply: the model believes that it knows
more of each patient than it does. That is what networks and boosting do when they are
trained too long.
"""

import numpy as np
from _pictures import CALIBRATED, RAW, TRUE, panels, save
from _truth import draw, people

from consurv import ConformalSurvival, SurvivalCurves
from consurv.datasets import make_weibull

data, new = make_weibull(600, random_state=0), people()
levels = np.linspace(0.99, 0.01, 99)


# %%
# Times are drawn towards the median: half as wide on the scale of log time.
def model(X):
    times = data.true_curves(X).percentile_times(levels)
    median = times[:, [49]]
    return SurvivalCurves.from_percentile_times(np.sqrt(times * median), levels)


calibrated = ConformalSurvival(model).conformalize(data.X, data.y)
raw, after = calibrated.predict_both(new.X)

# %%
# One patient, and all of them by fifths of risk.
figure, (one, left, right) = panels(3, 3.2, 3.7)
grid = np.linspace(0, 30, 200)
shown = {"raw": (raw, RAW), "calibrated": (after, CALIBRATED)}
for name, (curves, colour) in shown.items():
    one.plot(grid, curves[:1].survival_at(grid)[0], color=colour, label=name)
truth = new.true_curves(new.X[:1]).survival_at(grid)[0]
one.plot(grid, truth, color=TRUE, ls="--", label="true")
one.set(title="one patient", xlabel="months", ylabel="survival")
one.legend(frameon=False)
draw(left, new, raw, "raw")
draw(right, new, after, "calibrated")
left.set_ylabel("true survival")
save(
    figure,
    __file__,
    "Left: the raw curve of one patient falls too steeply, the calibrated one follows "
    "the true curve. Middle and right: true against promised survival by fifths of "
    "risk; raw lines bend away from the diagonal at both ends, calibrated lines lie "
    "on it.",
)

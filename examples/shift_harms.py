"""
Where a shift of times harms those at highest risk
==================================================

The published method moves all patients by the same number of months at each level. If a
model is wrong by a factor, that is too much for those who die early and too little for
those who live long: right on average, wrong for everybody. Factors or the default help.
"""

from _pictures import panels, save
from _truth import draw, error, people, tell_groups

from consurv import ConformalSurvival, SurvivalCurves
from consurv.datasets import make_weibull

data, new = make_weibull(600, censoring=0.2, random_state=1), people(1)


# %%
# Times are 1.5 times too long.
def model(X):
    right = data.true_curves(X)
    return SurvivalCurves(1.5 * right.times, right.survival)


# %%
# The same 600 patients set three kinds of adjustment.
kinds = {"time": "shifts", "log-time": "factors", "recalibrated": "default"}
figure, axes = panels(4, 2.7, 3.1)
draw(axes[0], new, SurvivalCurves.concatenate([model(new.X)]), "raw")
for ax, (kind, name) in zip(axes[1:], kinds.items(), strict=True):
    calibrated = ConformalSurvival(model, adjustment=kind)
    curves = calibrated.conformalize(data.X, data.y).predict_survival_function(new.X)
    draw(ax, new, curves, name)
    print(f"{kind}: off by {error(new, curves):.1f} points")
axes[0].set_ylabel("true survival")
tell_groups(axes[0])
save(
    figure,
    __file__,
    "True against promised survival by fifths of risk. Raw: all below the diagonal. "
    "After shifts: high risks far above it and low risks below. After factors and "
    "after the default: all on the diagonal.",
)

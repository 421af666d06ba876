"""
A model that knows its training rows by heart
=============================================

Boosted trees of depth 5 on 300 patients. To calibrate them on the rows that they were
trained on makes things worse: there they are hardly ever wrong. consurv asks models
that did not see a patient, by cross-fitting, unless you tell it otherwise.
"""

from _cautions import cautions
from _pictures import panels, save
from _truth import draw, error, people, tell_groups
from sksurv.ensemble import GradientBoostingSurvivalAnalysis

from consurv import ConformalSurvival
from consurv.datasets import make_weibull

data, new = make_weibull(300, censoring=0.25, random_state=3), people(3)
model = GradientBoostingSurvivalAnalysis(max_depth=5, random_state=0)

# %%
# The same model three times: as it is, calibrated on its training rows, and as consurv
# does it.
found = {}
for name in ("train", "auto"):
    calibrated = ConformalSurvival(model, conformal_set=name, random_state=0)
    with cautions(name):
        calibrated.fit(data.X, data.y)
    raw, found[name] = calibrated.predict_both(new.X)

figure, axes = panels(3, 3.2, 3.7)
draw(axes[0], new, raw, "raw")
draw(axes[1], new, found["train"], "training rows")
draw(axes[2], new, found["auto"], "cross-fitted")
axes[0].set_ylabel("true survival")
tell_groups(axes[2], "lower right")
save(
    figure,
    __file__,
    "True against promised survival by fifths of risk: raw boosting is far from the "
    "diagonal, calibrated on its training rows no better, cross-fitted close to it.",
)

# %%
# What remains is what 300 patients do not tell.
for name, curves in {"raw": raw, **found}.items():
    print(f"{name}: off by {error(new, curves):.1f} points")

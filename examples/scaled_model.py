"""
A model whose times are too long
================================

Every predicted time is half again too long, as it happens to a model from another
hospital or of another decade. The ranking is perfect and the probabilities are wrong.
400 patients with known outcomes are enough to mend it.
"""

from _pictures import panels, save
from _truth import draw, people, tell_groups

from consurv import ConformalSurvival, SurvivalCurves
from consurv.datasets import make_weibull

data, new = make_weibull(400, censoring=0.25, random_state=0), people()


# %%
# The model. `true_curves` is what a simulation knows and nobody else does.
def model(X):
    right = data.true_curves(X)
    return SurvivalCurves(1.5 * right.times, right.survival)


# %%
# It is fitted already, so `conformalize` needs only patients that it has not seen.
calibrated = ConformalSurvival(model).conformalize(data.X, data.y)
raw, after = calibrated.predict_both(new.X)

# %%
# Of those who are promised to survive a time with probability 0.8, 80 % should. Each
# line is a fifth of the patients, from highest to lowest risk; they lie on one another,
# since the error is the same at every risk.
figure, (left, right) = panels(2, 4.2, 4.2)
draw(left, new, raw, "raw")
draw(right, new, after, "calibrated")
left.set_ylabel("true survival")
tell_groups(left)
save(
    figure,
    __file__,
    "True survival against promised survival for five groups of risk. Raw: all lines "
    "lie well below the diagonal. Calibrated: all lines lie on it.",
)

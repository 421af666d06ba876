"""
Censoring that depends on the patient
=====================================

Here those at high risk leave the study early. The model is right, and nothing should
change. A rule that lets censored patients follow the Kaplan–Meier curve of everybody,
as published, moves it away from the truth; rules that know the patient do not.
"""

from _cautions import cautions
from _pictures import panels, save
from _truth import draw, people, tell_groups

from consurv import ConformalSurvival
from consurv.datasets import make_weibull

settings = {"censoring": 0.5, "dependent_censoring": True}
data, new = make_weibull(1000, random_state=0, **settings), people()
model = data.true_curves

# %%
# The paper's rule, our rule for shifts, and the default, which needs no rule.
variants = {
    "kaplan-meier": {"adjustment": "time", "censoring": "kaplan-meier"},
    "auto": {"adjustment": "time", "censoring": "auto"},
    "default": {},
}
figure, axes = panels(4, 2.7, 3.1)
draw(axes[0], new, model(new.X), "raw")
for ax, (name, chosen) in zip(axes[1:], variants.items(), strict=True):
    calibrated = ConformalSurvival(model, **chosen)
    with cautions(name):
        calibrated.conformalize(data.X, data.y)
    draw(ax, new, calibrated.predict_survival_function(new.X), name)

# %%
# All of them warn: half are censored, and nobody was seen long enough for the lowest
# levels.
axes[0].set_ylabel("true survival")
tell_groups(axes[0])
save(
    figure,
    __file__,
    "True against promised survival by fifths of risk. The raw model is on the "
    "diagonal; shifts with the Kaplan-Meier rule leave it; shifts with the rule auto "
    "and the default stay close to it.",
)

"""
Prediction intervals
====================

`predict_interval(X, coverage=0.8)` says between which two times the event comes with 80
% probability. Here a model is too sure of itself, so that its raw intervals are too
short.
"""

import numpy as np
from _cautions import cautions
from _pictures import CALIBRATED, GREY, RAW, panels, save
from _truth import people

from consurv import ConformalSurvival, SurvivalCurves
from consurv.datasets import make_weibull

data, new = make_weibull(600, censoring=0.25, random_state=2), people(2)
levels = np.linspace(0.99, 0.01, 99)


def model(X):
    times = data.true_curves(X).percentile_times(levels)
    return SurvivalCurves.from_percentile_times(np.sqrt(times * times[:, [49]]), levels)


calibrated = ConformalSurvival(model).conformalize(data.X, data.y)
raw = model(new.X)


# %%
# The share of true times inside, which a simulation knows.
def share(intervals):
    low, high = intervals.T
    return np.mean((low <= new.true_time) & (new.true_time <= high))


coverages = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
tails = [((1 + c) / 2, (1 - c) / 2) for c in coverages]
before = [share(raw.percentile_times(pair)) for pair in tails]
intervals = []
for coverage in coverages:
    with cautions(f"{coverage:.0%}"):
        intervals.append(calibrated.predict_interval(new.X, coverage=coverage))
after = [share(found) for found in intervals]

# %%
figure, (left, right) = panels(2, 4.6, 3.8)
some = np.argsort(raw.median())[:: len(new) // 24]
for ax_row, i in enumerate(some):
    left.plot(raw.percentile_times([0.9, 0.1])[i], [ax_row - 0.15] * 2, color=RAW)
left.hlines(np.arange(len(some)) + 0.15, *intervals[3][some].T, color=CALIBRATED)
left.plot(new.true_time[some], np.arange(len(some)), "k|", ms=7)
left.set(
    title="80 % intervals and true times", xlabel="months", yticks=[], xscale="log"
)
right.plot([0.4, 1], [0.4, 1], color=GREY, ls="--", lw=1)
right.plot(coverages, before, "o-", color=RAW, label="raw")
right.plot(coverages, after, "o-", color=CALIBRATED, label="calibrated")
right.set(title="share inside", xlabel="asked for", ylabel="attained")
right.legend(frameon=False)
save(
    figure,
    __file__,
    "Left: intervals of 25 patients, the calibrated ones longer than the raw ones, "
    "with the true times. Right: share of true times inside against what was asked "
    "for; raw far below the diagonal, calibrated on it.",
)

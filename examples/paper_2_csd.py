"""
Conformalized survival distributions, step by step
==================================================

The paper's second figure: percentile times are read off the curves, shifted by what the
conformal set says, and joined again. This Cox model is calibrated before that, and the
paper's rule for censored patients makes it a little worse; see the results of the
studies for models that it mends.
"""

from _patients import COLOURS, CSD, GREY, RAW, case, grid
from _pictures import save
from matplotlib.figure import Figure

from consurv.metrics import d_calibration

pbc = case(percentiles=3)
y, four, times = pbc.test[1], pbc.four, grid(pbc)
levels, shifts = pbc.model.levels_, pbc.model.shifts_
figure = Figure(figsize=(10.4, 3.4), layout="constrained")
left, shifted, counted, pp = figure.subplots(1, 4)

# %%
# Three percentile times of each curve, before and after the shift.
before = pbc.raw.percentile_times(levels)
after = pbc.calibrated.percentile_times(levels)
for i, colour in zip(four, COLOURS, strict=True):
    left.plot(times, pbc.raw[i : i + 1].survival_at(times)[0], color=colour)
    left.plot(before[i], levels, "o", color=colour)
    shifted.plot(before[i], levels, "o", mfc="none", color=colour)
    shifted.plot(after[i], levels, "o-", color=colour)
left.set(title="(a) percentile times", xlabel="days", ylabel="survival")
words = ", ".join(f"{shift:+.0f}" for shift in -shifts[levels.argsort()])
shifted.set(title="(b) moved", xlabel=f"days (from below: {words})")
for ax in (left, shifted):
    ax.locator_params(axis="x", nbins=4)

# %%
# What it does to D-calibration on the test set.
for curves, colour, name in ((pbc.raw, RAW, "raw"), (pbc.calibrated, CSD, "CSD")):
    found = d_calibration(y, curves)
    counted.step(range(1, 11), found.histogram / len(y), where="mid", color=colour)
    label = f"{name} {float(found):.4f}"
    pp.plot([0, *found.levels, 1], [0, *found.cumulative, 1], color=colour, label=label)
counted.axhline(0.1, color=GREY, ls="--")
counted.set(title="(c) histogram", xlabel="tenth of survival")
pp.plot([0, 1], [0, 1], color=GREY, ls="--")
pp.set(title="(d) P-P and D-cal", xlabel="level")
pp.legend(frameon=False)
save(
    figure,
    __file__,
    "Four panels: survival curves of four patients with three percentile times each; "
    "the same times shifted; histograms of D-calibration before and after; P-P lines "
    "before and after, both close to the diagonal.",
)

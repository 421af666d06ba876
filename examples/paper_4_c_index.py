"""
The C-index: which of two patients dies first
=============================================

The paper's illustration of discrimination with four patients of PBC: every pair is
concordant if the one with the earlier predicted median died earlier.
"""

from itertools import combinations

from _patients import COLOURS, GREY, case, grid
from _pictures import save
from matplotlib.figure import Figure

from consurv.metrics import concordance_index

pbc = case()
y, four, times = pbc.test[1], pbc.four, grid(pbc)
medians = pbc.raw.median()
figure = Figure(figsize=(9, 3.6), layout="constrained")
left, right = figure.subplots(1, 2)
for i, colour in zip(four, COLOURS, strict=True):
    left.plot(times, pbc.raw[i : i + 1].survival_at(times)[0], color=colour)
    left.plot(medians[i], 0.5, "o", color=colour)
    right.plot(medians[i], y.time[i], "*", ms=14, color=colour)
concordant = 0
for i, j in combinations(four, 2):
    agree = (medians[i] < medians[j]) == (y.time[i] < y.time[j])
    concordant += agree
    line = "-" if agree else ":"
    ends = [medians[i], medians[j]], [y.time[i], y.time[j]]
    right.plot(*ends, line, color=GREY, lw=0.8, zorder=0)
left.axhline(0.5, color=GREY, ls="--")
left.set(title="curves and medians", xlabel="days", ylabel="survival")
whole = float(concordance_index(y, pbc.raw))
right.set(
    title=f"{concordant} of 6 pairs concordant; all patients {whole:.3f}",
    xlabel="predicted median",
    ylabel="day of death",
)
save(
    figure,
    __file__,
    "Left: curves of four patients and their medians. Right: day of death against "
    "predicted median for the four, with lines between concordant pairs and dots "
    "between discordant ones.",
)

"""
Percentile levels, percentile times and the curve
=================================================

The percentile time of a level is where a curve falls to it. Between the levels the
adjusted curve is straight, so that more levels keep more of its shape.
"""

from _patients import CSD, GREY, RAW, case, grid
from _pictures import save
from matplotlib.figure import Figure

figure = Figure(figsize=(10, 3.3), layout="constrained")
for ax, count in zip(figure.subplots(1, 3), (3, 9, 19), strict=True):
    pbc = case(percentiles=count)
    patient, times = int(pbc.four[1]), grid(pbc)
    one = slice(patient, patient + 1)
    levels = pbc.model.levels_
    before = pbc.raw[one].percentile_times(levels)[0]
    ax.plot(times, pbc.raw[one].survival_at(times)[0], color=RAW, label="raw")
    ax.plot(times, pbc.calibrated[one].survival_at(times)[0], color=CSD, label="CSD")
    ax.plot(before, levels, "o", ms=4, color=RAW)
    for t, level in zip(before, levels, strict=True):
        ax.plot([0, t, t], [level, level, 0], color=GREY, lw=0.4, zorder=0)
    ax.set(title=f"{count} levels", xlabel="days", xlim=(0, times[-1]), ylim=(0, 1.02))
ax.legend(frameon=False)
save(
    figure,
    __file__,
    "Three panels with 3, 9 and 19 percentile levels: a raw curve and the "
    "conformalized one, which is straight between the levels.",
)

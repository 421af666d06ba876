"""
Discrimination is not calibration
=================================

Three sets of curves for the same patients: Kaplan–Meier is calibrated and tells nobody
apart; curves that are twice too long rank as the model does and are not calibrated; the
Cox model does both.
"""

from _patients import COLOURS, case, grid
from _pictures import save
from matplotlib.figure import Figure

from consurv import SurvivalCurves
from consurv.metrics import concordance_index, d_calibration
from consurv.models import make_model

pbc = case()
y, four, times = pbc.test[1], pbc.four, grid(pbc)
marginal = make_model("km").fit(*pbc.train).predict_survival_function(pbc.test[0])
stretched = SurvivalCurves(2 * pbc.raw.times, pbc.raw.survival, "step")
shown = {
    "Kaplan–Meier": marginal,
    "Cox, times doubled": stretched,
    "Cox": pbc.raw,
    "Cox + CSD": pbc.calibrated,
}
figure = Figure(figsize=(10.4, 3.2), layout="constrained")
for ax, (name, curves) in zip(figure.subplots(1, 4), shown.items(), strict=True):
    at_death = curves.survival_at_observed(y.time)
    for i, colour in zip(four, COLOURS, strict=True):
        ax.plot(times, curves[i : i + 1].survival_at(times)[0], color=colour)
        ax.plot(y.time[i], at_death[i], "*", ms=11, color=colour)
    c_index = float(concordance_index(y, curves))
    d_cal = float(d_calibration(y, curves))
    ax.set(title=f"{name}\nC {c_index:.3f}, D-cal {d_cal:.4f}", xlabel="days")
save(
    figure,
    __file__,
    "Four panels of survival curves of the same four patients with their C-index and "
    "D-calibration: Kaplan-Meier, which is the same for all; a Cox model with doubled "
    "times; the Cox model; the Cox model after CSD.",
)

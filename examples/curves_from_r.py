"""
Curves that come from R
=======================

No model in sight: R has written three tables, the survival curves of patients whose
outcomes are known, these outcomes, and the curves of new patients.
`examples/from_r/curves.R` is the R side, for `coxph`.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from _cautions import cautions
from _pictures import CALIBRATED, RAW, panels, save

from consurv import ConformalSurvival
from consurv.datasets import read_curves

folder = Path(__file__).parent / "from_r"
known = read_curves(folder / "cal.csv", interpolation="step")
new = read_curves(folder / "new.csv", interpolation="step")
outcomes = pd.read_csv(folder / "outcomes.csv", dtype={"id": str})

# %%
# Outcomes in the order of the curves; then two lines.
y = outcomes.set_index("id").loc[known.ids, ["event", "time"]]
with cautions():
    model = ConformalSurvival.from_curves(known.curves, y)
calibrated = model.calibrate(new.curves)
print(calibrated.to_frame(times=[365, 730, 1825]).T.head(3).round(3))

# %%
# Most stay where they were; those at highest risk are told less than the Cox model
# said.
figure, (left, right) = panels(2, 4.6, 3.4)
days = np.linspace(0, 2400, 200)
for row in (0, 20, 40, 60):
    one = slice(row, row + 1)
    left.plot(days, new.curves[one].survival_at(days)[0], color=RAW, lw=1)
    left.plot(days, calibrated[one].survival_at(days)[0], color=CALIBRATED, lw=1)
left.set(title="four patients", xlabel="days", ylabel="survival")
before, after = (c.survival_at([1000])[:, 0] for c in (new.curves, calibrated))
right.plot([0.75, 1], [0.75, 1], color="#767676", ls="--", lw=1)
right.plot(before, after, "o", ms=3, color=CALIBRATED)
right.set(title="survival of 1,000 days", xlabel="from R", ylabel="calibrated")
save(
    figure,
    __file__,
    "Left: curves of four patients from R in blue and calibrated in orange; the "
    "lowest moves down. Right: calibrated against original survival of 1,000 days, on "
    "the diagonal at low risk and below it at high risk.",
)

"""
XGBoost, calibrated
===================

An accelerated failure time model of XGBoost on the breast cancer data GBSG, what it
promises before, what it promises after, and what happened to patients that it never
saw. This booster is nearly right, stopped early as it was, and so it is left nearly as
it is.
"""

from _cautions import cautions
from _pictures import CALIBRATED, RAW, panels, save

from consurv import ConformalSurvival
from consurv.datasets import load_dataset
from consurv.metrics import evaluate
from consurv.models import XGBSurvivalAFT
from consurv.report import plot_pp, plot_risk_calibration
from consurv.splits import split

data = load_dataset("GBSG")
train, test = split(data.y, 0.3, random_state=0)

# %%
# One line more than without calibration. The booster is trained six times: for the
# curves that are used, and five times for those of patients who were left out.
booster = XGBSurvivalAFT(params={"max_depth": 4})
model = ConformalSurvival(booster, random_state=0)
with cautions():
    model.fit(data.X.iloc[train], data.y[train])
raw, calibrated = model.predict_both(data.X.iloc[test])

# %%
# Scores on the test patients; lower is better but for the C-index.
for name, curves in {"raw": raw, "calibrated": calibrated}.items():
    with cautions(name):
        found = evaluate(data.y[test], curves, y_train=data.y[train])
    print(
        f"{name:10} C-index {float(found.c_index):.3f}, "
        f"D-cal {1000 * float(found.d_calibration):.2f}, "
        f"by risk {1000 * float(found.risk_calibration):.2f} (x 1000), "
        f"IBS {float(found.integrated_brier_score):.4f}"
    )

# %%
both = {"raw": raw, "calibrated": calibrated}
colours = {"raw": RAW, "calibrated": CALIBRATED}
figure, (left, right) = panels(2, 5.2, 4.4)
plot_pp(data.y[test], both, colours=colours, ax=left)
plot_risk_calibration(data.y[test], both, colours=colours, time_unit="months", ax=right)
save(
    figure,
    __file__,
    "Left: P-P lines of XGBoost on GBSG, raw and calibrated, against the diagonal. "
    "Right: predicted and observed survival over time in five groups of risk, raw and "
    "calibrated.",
)

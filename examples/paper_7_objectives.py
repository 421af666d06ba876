"""
Losses that aim at calibration, and CSD
=======================================

The paper's short figure on objectives with three splits of VALCT: a log-normal network
trained by likelihood, by CRPS, with two weights of X-cal and with one of SFM, beside
the first one after CSD.
"""

import warnings

import numpy as np
from _patients import CSD, RAW
from _pictures import save
from matplotlib.figure import Figure

from consurv import ConformalSurvival
from consurv.datasets import TableEncoder, load_dataset
from consurv.metrics import concordance_index, d_calibration
from consurv.models import make_model
from consurv.splits import split

LOSSES = {
    "LL": {},
    "CRPS": {"loss": "crps"},
    "X-cal 10": {"loss": "x-cal", "weight": 10.0},
    "X-cal 10³": {"loss": "x-cal", "weight": 1e3},
    "SFM 10³": {"loss": "sfm", "weight": 1e3},
}
data, scores = load_dataset("VALCT"), {}
for seed in range(3):
    kept, held = split(data.outcome, 0.3, np.random.default_rng(seed))
    X = TableEncoder().fit(data.X.iloc[kept]).transform(data.X)
    train, y = (X.iloc[kept], data.outcome[kept]), data.outcome[held]
    for name, settings in LOSSES.items():
        model = make_model("lognormal", seed, **settings)
        model = ConformalSurvival(
            model, adjustment="time", conformal_set="paper", random_state=seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            raw, after = model.fit(*train).predict_both(X.iloc[held])
        found = {name: raw, "LL + CSD": after} if name == "LL" else {name: raw}
        for label, curves in found.items():
            pair = float(concordance_index(y, curves)), float(d_calibration(y, curves))
            scores.setdefault(label, []).append(pair)
figure = Figure(figsize=(8, 3.2), layout="constrained")
for k, (ax, title) in enumerate(
    zip(figure.subplots(1, 2), ("C-index", "D-cal"), strict=True)
):
    means = [np.mean([pair[k] for pair in pairs]) for pairs in scores.values()]
    colours = [CSD if "CSD" in name else RAW for name in scores]
    ax.bar(range(len(means)), means, color=colours)
    ax.set_xticks(range(len(means)), scores, rotation=20)
    ax.set_title(title)
save(
    figure,
    __file__,
    "Two bar charts, C-index and D-calibration, of a log-normal network trained by "
    "likelihood, by CRPS, with two weights of X-cal and with one of SFM, and by "
    "likelihood with CSD after it.",
)

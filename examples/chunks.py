"""
More rows than memory
=====================

A calibrated model needs no training data to predict, and takes the path of a Parquet
file, or of many, instead of a table. Nothing is read until its predictions are: memory
is that of a batch, however long the table.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.dataset as ds
from _pictures import CALIBRATED, panels, save

from consurv import ConformalSurvival
from consurv.datasets import make_weibull
from consurv.models import CoxPH

data = make_weibull(1000, censoring=0.25, random_state=0)
model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)

# %%
# A table of 40,000 patients stands for one that does not fit.
folder = Path(tempfile.mkdtemp())
make_weibull(40_000, random_state=1).X.to_parquet(
    folder / "new.parquet", row_group_size=5000
)

# %%
# A batch in, a batch out: all columns of the table, and a time for each level.
levels = [0.9, 0.5, 0.1]
found = model.predict_quantile(folder / "new.parquet", levels)
ds.write_dataset(found, folder / "times", format="parquet")

# %%
# The same numbers as all at once.
written = pd.read_parquet(folder / "times")[[f"t_at_{level}" for level in levels]]
whole = pd.read_parquet(folder / "new.parquet")
assert np.allclose(written, model.predict_quantile(whole, levels))
print(written.describe().loc[["count", "25%", "50%", "75%"]].round(2))

figure, ax = panels(1, 6.0, 3.2)
ax.hist(np.log10(written["t_at_0.5"]), 80, color=CALIBRATED)
ax.set(xlabel="median time, months (log scale)", ylabel="patients")
ax.set_xticks([0, 1, 2], ["1", "10", "100"])
save(
    figure,
    __file__,
    "Histogram of the calibrated median times of 40,000 patients, predicted batch by "
    "batch.",
)

"""
More rows than memory
=====================

Where a table is asked for, the names of Parquet files will do, to calibrate by and to
predict. They are read batch by batch: memory is that of a batch and of the different
times, however many rows and files there are.
"""

import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.dataset as ds
from _pictures import CALIBRATED, RAW, panels, save

from consurv import ConformalSurvival
from consurv.datasets import make_weibull
from consurv.models import CoxPH

# %%
# Eight files of 20,000 patients stand for a table that does not fit. The model was
# trained on a sample.
folder = Path(tempfile.mkdtemp())
for k in range(8):
    part = make_weibull(20_000, censoring=0.25, random_state=k)
    table = part.X.assign(months=part.y["time"], died=part.y["event"])
    table.to_parquet(folder / f"part-{k}.parquet", row_group_size=5000)
sample = make_weibull(1000, censoring=0.25, random_state=100)
trained = CoxPH().fit(sample.X, sample.y)
files = sorted(folder.glob("part-*.parquet"))


# %%
# The same call takes a table and the names of files. Times are moved up to hundredths
# of a month: what is held grows with the number of different times.
def calibrated(rows):
    model = ConformalSurvival(trained, adjustment="log-time")
    return model.conformalize(rows, time="months", event="died", resolution=0.01)


def read(some):
    return pd.concat([pd.read_parquet(path) for path in some], ignore_index=True)


# %%
# The largest memory that Python and NumPy held, with 1, 2, 4 and all files: given by
# their names, or put together first. The adjustments are the same.
def peak(give, some):
    tracemalloc.start()
    try:
        return calibrated(give(some)), tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


counts, by_file, together = (1, 2, 4, 8), [], []
for n in counts:
    model, held = peak(list, files[:n])
    by_file.append(held)
    same, held = peak(read, files[:n])
    together.append(held)
    assert np.allclose(model.adjustment_.factors, same.adjustment_.factors)

# %%
# Predictions of files are lazy: nothing is read before somebody asks, and then a batch
# goes in and a batch comes out.
# All columns of the table are there, and a time for each level.
found = model.predict_quantile(files, [0.9, 0.5, 0.1])
ds.write_dataset(found, folder / "times", format="parquet")
rows = [batch.num_rows for batch in model.predict_quantile(files, [0.5])]
written = ds.dataset(folder / "times").count_rows()
print(f"{written:,} rows predicted, at most {max(rows):,} at a time")

figure, ax = panels(1, 6.0, 3.4)
thousands = [20 * n for n in counts]
ax.plot(thousands, together, "s--", color=RAW, label="one table in memory")
ax.plot(thousands, by_file, "o-", color=CALIBRATED, label="files, batch by batch")
ax.set(xlabel="thousands of rows", ylabel="largest memory, MB", ylim=(0, None))
ax.legend(frameon=False)
save(
    figure,
    __file__,
    "Largest memory while calibrating against the number of rows, up to 160,000. One "
    "table in memory: a straight line upwards. Files, batch by batch: flat.",
)

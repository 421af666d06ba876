"""
Serving a model over HTTP
=========================

A calibrated model is one file of data. `examples/serve.py` is a FastAPI application of
70 lines that loads it once and answers with percentile times.
"""

import asyncio
import tempfile
from pathlib import Path
from time import perf_counter

import httpx
import numpy as np
from _pictures import CALIBRATED, panels, save
from serve import make_app

from consurv import ConformalSurvival
from consurv.datasets import make_weibull
from consurv.models import CoxPH

# %%
# Train, calibrate, write. There is no pickle in the file.
data = make_weibull(1000, censoring=0.25, random_state=0)
model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
path = Path(tempfile.mkdtemp()) / "m.consurv"
model.save(path)
print(path.name, f"{path.stat().st_size / 1024:.0f} KiB")

# %%
# In production it is `CONSURV_MODEL=m.consurv uvicorn --factory
# examples.serve:make_app`; here the application is asked without a port.
rows = data.X[:100].to_dict("records")
transport = httpx.ASGITransport(app=make_app(str(path)))


async def ask():
    """Ask for what it is, and for one row a hundred times."""
    seconds, medians = [], []
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        print((await client.get("/health")).json())
        for row in rows:
            start, question = perf_counter(), {"rows": [row], "levels": [0.5]}
            answer = (await client.post("/predict", json=question)).json()
            seconds.append(perf_counter() - start)
            medians.append(answer["times"][0][0])
    print(question, "->", answer)
    return seconds, medians


# %%
# The answers are those of the model.
seconds, medians = asyncio.run(ask())
assert np.allclose(medians, model.predict_survival_function(data.X[:100]).median())
figure, ax = panels(1, 6.0, 3.2)
ax.hist(1000 * np.array(seconds), 40, color=CALIBRATED)
ax.set(xlabel="milliseconds an answer", ylabel="questions")
save(
    figure,
    __file__,
    "Histogram of the time of 100 answers of the served model, in milliseconds.",
)

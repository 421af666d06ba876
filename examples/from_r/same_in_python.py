"""What curves.R writes, by consurv's own Cox model; a test holds one to the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from consurv.datasets.packaged import packaged_table
from consurv.models import CoxPH

__all__ = ["tables"]

_FEATURES = ["age", "size", "nodes", "pgr", "hormon"]


def tables() -> dict[str, pd.DataFrame]:
    """Return the three tables by the names of their files."""
    rows = packaged_table("gbsg")
    train, cal, new = rows[:343], rows[343:543], rows[543:]
    y = (train["status"].to_numpy(), train["rfstime"].to_numpy(dtype=float))
    model = CoxPH(penalty=1e-9).fit(train[_FEATURES], y)
    times = np.arange(100, 2401, 100)

    def curves(part: Any) -> pd.DataFrame:
        survival = model.predict_survival_function(part[_FEATURES]).survival_at(times)
        table = pd.DataFrame(survival, columns=times)
        table.insert(0, "id", part["pid"].to_numpy())
        return table

    held = rows[343:]
    outcomes = pd.DataFrame(
        {"id": held["pid"], "time": held["rfstime"], "event": held["status"]}
    )
    return {"cal.csv": curves(cal), "new.csv": curves(new), "outcomes.csv": outcomes}

"""Made-up patients for the examples whose rows are on a cluster."""

from __future__ import annotations

import numpy as np
import pandas as pd

FEATURES = ["age", "dose"]


def patients(n: int, seed: int) -> pd.DataFrame:
    """Return made-up patients; for your own, dd.read_parquet("patients/")."""
    rng = np.random.default_rng(seed)
    age, dose = rng.normal(60, 10, n), rng.uniform(0, 1, n)
    true = 30 * np.exp(-0.03 * (age - 60) + 0.8 * dose) * rng.weibull(1.5, n)
    limit = rng.exponential(40, n)
    return pd.DataFrame(
        {
            "age": age,
            "dose": dose,
            "months": np.minimum(true, limit),
            "died": (true <= limit).astype(int),
        }
    )

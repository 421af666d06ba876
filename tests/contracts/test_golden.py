"""What 0.1.0 predicted is predicted still, but for the changes listed here."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

GOLDEN = Path(__file__).parent.parent / "golden"


def load_make():
    spec = importlib.util.spec_from_file_location("golden_make", GOLDEN / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    make = load_make()
    now = make.everything()
    with np.load(GOLDEN / "predictions.npz") as f:
        for k in f.files:
            a, b = f[k], now[k]
            inf = np.isinf(a)
            bad = (np.isinf(b) != inf).sum()
            both = ~inf & ~np.isinf(b)
            scale = np.abs(a[both]).max() if both.any() else 1
            d = np.abs(a[both] - b[both]).max() / scale if both.any() else 0
            if d > 1e-12 or bad:
                print(k, d, bad)
        print(set(f.files) ^ set(now))

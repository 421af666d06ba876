"""Make the golden file: what the package predicted before a rewrite.

``python tests/golden/make.py`` writes ``predictions.npz`` and ``machine.json``, what
the deep models' last digits depend on. It is run before a change that must keep
behaviour, never to make a test pass.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np

from consurv import ConformalSurvival, Outcome, adjust, conformal_shifts
from consurv.adapters import adapter_for
from consurv.models import make_model, model_names
from consurv.models.registry import BOOSTERS

HERE = Path(__file__).parent
LEVELS = np.arange(1, 20) / 20
RULES = (
    "uncensored",
    "margin",
    "pseudo-observation",
    "kaplan-meier",
    "self-consistent",
    "local",
    "auto",
)
POLICIES = ("validation", "train+validation", "train", "half", "cross")
# 0.1.0 had no boosters.
NAMES = [name for name in model_names() if name not in BOOSTERS]
DEEP = ("deepsurv", "n-mtlr", "deephit", "coxtime", "cqrnn", "lognormal")


def data(n, seed):
    """Return a table and outcomes: proportional hazards, about half censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    risk = 0.8 * X[:, 0] - 0.5 * X[:, 1]
    time = 10 * rng.weibull(1.5, n) * np.exp(-risk / 1.5)
    limit = rng.exponential(14, n)
    # A lattice: ties among times, and among events and censorings.
    observed = np.ceil(8 * np.minimum(time, limit)) / 8
    return X, Outcome(time=observed, event=time <= limit)


def crossing(n, seed):
    """Return percentile times that cross and may be negative or infinite."""
    rng = np.random.default_rng(seed)
    q = 9 * (1.15 - LEVELS) * rng.gamma(4, 0.25, (n, 1)) + rng.normal(0, 1, (n, 19))
    q[: n // 20, :2] = np.inf
    return q


def settings(name):
    """Return settings that make training short, with the weight decay of 0.1.0."""
    if name not in DEEP:
        return {}
    own = {} if name == "cqrnn" else {"weight_decay": 1e-2}
    return {"max_epochs": 12, **own}


def models():
    """Yield the raw predictions of every model."""
    X, y = data(300, 1)
    new, own = data(25, 2)
    for name in NAMES:
        model = make_model(name, random_state=0, **settings(name))
        adapter = adapter_for(model)
        model = adapter.fit(model, X, y)
        curves = adapter.curves(model, new)
        yield f"model/{name}/times", curves.percentile_times(LEVELS)
        yield f"model/{name}/survival", curves.survival_at_observed(own.time)
        yield f"model/{name}/mean", curves.mean()


def wrapped():
    """Yield calibrated predictions: every policy, every rule, both kinds."""
    X, y = data(300, 1)
    new, own = data(25, 2)
    options = [("coxph", {"conformal_set": policy}) for policy in POLICIES]
    options += [("deephit", {"conformal_set": policy}) for policy in POLICIES]
    options += [("coxph", {"censoring": rule}) for rule in RULES]
    options += [("cqrnn", {"censoring": rule}) for rule in ("auto", "kaplan-meier")]
    options += [(name, {}) for name in NAMES]
    options += [(name, {"adjustment": "level"}) for name in NAMES]
    options += [
        ("coxph", {"adjustment": "level", "censoring": "self-consistent"}),
        ("coxph", {"censoring": "kaplan-meier", "n_samples": 50}),
        ("coxph", {"censoring": "kaplan-meier", "kaplan_meier": "conformal"}),
        ("coxph", {"percentiles": 9, "rearrange": "ceil"}),
    ]
    for name, option in options:
        # The default of 0.1.0, whatever it is now.
        asked = {"conformal_set": "paper", "adjustment": "time", "censoring": "auto"}
        asked |= {"censoring": "uniform"} if "adjustment" in option else {}
        asked |= option
        if "paper" not in PAPER and asked["conformal_set"] == "paper":
            asked["conformal_set"] = "auto"
        model = ConformalSurvival(
            make_model(name, random_state=0, **settings(name)), random_state=3, **asked
        ).fit(X, y)
        text = ",".join(f"{k}={v}" for k, v in option.items())
        curves = model.predict_survival_function(new)
        key = f"wrapped/{name}/{text}"
        yield f"{key}/times", curves.percentile_times(model.levels_)
        yield f"{key}/survival", curves.survival_at_observed(own.time)


def arrays():
    """Yield shifts and adjusted times of the array core."""
    _, y = data(300, 5)
    for name, q in {"crossing": crossing(300, 6), "plain": _plain(300)}.items():
        for rule in RULES:
            shifts = conformal_shifts(q, LEVELS, y, censoring=rule)
            yield f"arrays/{name}/{rule}/shifts", shifts
            yield (
                f"arrays/{name}/{rule}/times",
                adjust(q[:25], LEVELS, shifts).percentile_times(LEVELS),
            )


def _plain(n):
    rng = np.random.default_rng(7)
    return 9 * (-np.log(LEVELS)) ** 0.7 * rng.gamma(4, 0.25, (n, 1))


def machine():
    """Return what decides the rounding of the deep models."""
    import torch

    return {
        "torch_cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "torch_threads": torch.get_num_threads(),
    }


PAPER: tuple[str, ...] = ("paper",)


def everything():
    """Return all golden arrays by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {}
        for part in (models, wrapped, arrays):
            found.update(part())
    return found


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "predictions.npz"
    np.savez_compressed(target, **everything())
    target.with_name("machine.json").write_text(json.dumps(machine(), indent=1) + "\n")

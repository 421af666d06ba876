"""The models, each as its library's users bring it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import torch

from consurv import ConformalSurvival, Outcome
from consurv.models import (
    CatBoostSurvivalAFT,
    CatBoostSurvivalCox,
    FromTorch,
    XGBSurvivalAFT,
    XGBSurvivalCox,
)
from consurv.models.deep.network import mlp
from consurv.splits import split

__all__ = ["MODELS", "calibrate"]

_EPOCHS, _PATIENCE, _BINS = 100, 10, 30
_HIDDEN, _DROPOUT = (64, 64), 0.2
Data = tuple[pd.DataFrame, Outcome]


def calibrate(name: str, train: Data, seed: int, adjustment: str) -> ConformalSurvival:
    """Return the model of that name, trained and calibrated."""
    return MODELS[name](train, seed, adjustment)


def _booster(kind: Any) -> Callable[[Data, int, str], ConformalSurvival]:
    def make(train: Data, seed: int, adjustment: str) -> ConformalSurvival:
        model = kind(n_jobs=1, random_state=seed)
        calibrated = ConformalSurvival(model, adjustment=adjustment, random_state=seed)
        return calibrated.fit(*train)

    return make


def _network(fit: Callable[..., Any]) -> Callable[[Data, int, str], ConformalSurvival]:
    """Train on four fifths (a tenth of them to stop by), calibrate on the last."""

    def make(train: Data, seed: int, adjustment: str) -> ConformalSurvival:
        rng = np.random.default_rng(seed)
        X, y = train[0].to_numpy(np.float32), train[1]
        kept, conformal = split(y, 0.2, rng, stratify=None)
        inner, held = split(y[kept], 0.1, rng, stratify="event+time")
        fitted, stopped = kept[inner], kept[held]
        torch.manual_seed(seed)
        model = fit((X[fitted], y[fitted]), (X[stopped], y[stopped]))
        calibrated = ConformalSurvival(model, adjustment=adjustment, random_state=seed)
        return calibrated.conformalize(X[conformal], y[conformal])

    return make


def _pycox(
    train: tuple[Any, Outcome], held: tuple[Any, Outcome], scheme: str = "equidistant"
) -> Any:
    import torchtuples
    from pycox.models import LogisticHazard

    labels = LogisticHazard.label_transform(_BINS, scheme)
    target = labels.fit_transform(*_target(train[1]))
    network = mlp(train[0].shape[1], labels.out_features, _HIDDEN, _DROPOUT)
    model = LogisticHazard(
        network, torchtuples.optim.Adam(1e-3), duration_index=labels.cuts
    )
    with warnings.catch_warnings():  # of torch, about pycox
        warnings.simplefilter("ignore")
        model.fit(
            train[0],
            target,
            batch_size=256,
            epochs=_EPOCHS,
            callbacks=[torchtuples.callbacks.EarlyStopping(patience=_PATIENCE)],
            verbose=False,
            val_data=(held[0], labels.transform(*_target(held[1]))),
        )
    return model


def _target(y: Outcome) -> tuple[Any, Any]:
    return y.time.astype(np.float32), y.event.astype(np.float32)


def _torchsurv(train: tuple[Any, Outcome], held: tuple[Any, Outcome]) -> FromTorch:
    """Train a network of a Weibull law's two parameters, by torchsurv's likelihood."""
    from torchsurv.loss.weibull import neg_log_likelihood_weibull

    unit = float(np.median(train[1].time))
    network = mlp(train[0].shape[1], 2, _HIDDEN, _DROPOUT)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

    def loss(data: tuple[Any, Outcome], rows: Any) -> Any:
        time = torch.from_numpy((data[1].time[rows] / unit).astype(np.float32))
        event = torch.from_numpy(data[1].event[rows].copy())
        params = network(torch.from_numpy(data[0][rows]))
        return neg_log_likelihood_weibull(params, event, time)

    best, weights, waited = np.inf, network.state_dict(), 0
    everyone = np.arange(len(held[1]))
    for _ in range(_EPOCHS):
        network.train()
        order = torch.randperm(len(train[1])).numpy()
        for start in range(0, len(order), 256):
            rows = order[start : start + 256]
            if len(rows) < 2 or not train[1].event[rows].any():
                continue  # torchsurv refuses batches without an event
            optimizer.zero_grad()
            loss(train, rows).backward()
            # A first step too far and shapes, which are exponents, overflow for good.
            norm = torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            if torch.isfinite(norm):
                optimizer.step()
        network.eval()
        with torch.no_grad():
            now = float(loss(held, everyone))
        waited = 0 if now < best else waited + 1
        if now < best:
            best = now
            weights = {k: v.clone() for k, v in network.state_dict().items()}
        if waited == _PATIENCE:
            break
    network.load_state_dict(weights)
    return FromTorch(_InUnit(network, unit), "weibull")


class _InUnit(torch.nn.Module):
    """Log scales of times that were counted in a unit."""

    def __init__(self, network: torch.nn.Module, unit: float) -> None:
        super().__init__()
        self.network = network
        self.shift = float(np.log(unit))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        params: torch.Tensor = self.network(x)
        return params + params.new_tensor([self.shift, 0.0])


MODELS: dict[str, Callable[[Data, int, str], ConformalSurvival]] = {
    "XGBoost AFT": _booster(XGBSurvivalAFT),
    "XGBoost Cox": _booster(XGBSurvivalCox),
    "CatBoost AFT": _booster(CatBoostSurvivalAFT),
    "CatBoost Cox": _booster(CatBoostSurvivalCox),
    "pycox LogisticHazard": _network(_pycox),
    "pycox LogisticHazard by quantiles": _network(partial(_pycox, scheme="quantiles")),
    "torchsurv Weibull": _network(_torchsurv),
}

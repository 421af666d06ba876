"""pycox's models with our network, time bins and settings.

What stays theirs: losses, sampling of controls, optimizer, training loop, early
stopping and how outputs become curves.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from benchmarks.cell import Part
from consurv import Outcome, SurvivalCurves
from consurv.models.deep.bins import event_quantiles
from consurv.models.deep.network import mlp

__all__ = ["PYCOX", "train_pycox"]

Curves = Callable[[NDArray[np.float32]], SurvivalCurves]

# Repeats of the validation set, as in pycox's own example of Cox-Time: one draw of
# controls would be a lottery.
_REPEATS = 10
# Subjects that its baseline is computed from: a pass through the network for every
# event time makes more of them very slow.
_BASELINE_SUBJECTS = 2000


def train_pycox(
    name: str,
    train: Part,
    validation: Part,
    *,
    epochs: int,
    patience: int | None,
    weight_decay: float,
    seed: int,
    baseline: bool = True,
) -> Curves | None:
    """Train one of `PYCOX`; return what gives its curves, without *baseline* nothing.

    ``patience=None`` runs all epochs.
    """
    import torchtuples

    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002  pycox draws controls from the global state
    model, target, interpolation = PYCOX[name](train)
    model.optimizer = torchtuples.optim.Adam(lr=1e-3, weight_decay=weight_decay)
    held = torchtuples.tuplefy(validation[0], target(validation[1]))
    if name == "CoxTime":
        held = held.repeat(_REPEATS).cat()
    stop = torchtuples.callbacks.EarlyStopping
    callbacks = [] if patience is None else [stop(patience=patience)]
    data = train[0], target(train[1])
    with _quiet_folder():
        model.fit(*data, 256, epochs, callbacks, verbose=False, val_data=held)
    if not baseline:
        return None
    if hasattr(model, "compute_baseline_hazards"):
        few = min(_BASELINE_SUBJECTS, len(train[1]))
        model.compute_baseline_hazards(sample=few)
    return lambda X: SurvivalCurves.from_frame(model.predict_surv_df(X), interpolation)


@contextmanager
def _quiet_folder() -> Iterator[None]:
    """Work in a folder that is thrown away, and say nothing."""
    # Early stopping leaves files of weights in the working folder.
    folder = tempfile.TemporaryDirectory()
    with folder as name, chdir(name), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what newer versions of torch tell pycox
        yield


# -- the models ---------------------------------------------------------------

Made = tuple[Any, Callable[[Outcome], Any], str]


def _deephit(train: Part) -> Made:
    from pycox.models import DeepHitSingle

    return _discrete(train, DeepHitSingle, {"alpha": 0.2, "sigma": 0.1})


def _mtlr(train: Part) -> Made:
    from pycox.models import MTLR

    return _discrete(train, MTLR, {})


def _discrete(train: Part, kind: Any, settings: dict[str, float]) -> Made:
    X, outcome = train
    cuts = np.concatenate([[0.0], event_quantiles(outcome)])
    labels = kind.label_transform(cuts)
    model = kind(
        mlp(X.shape[1], len(cuts)), device="cpu", duration_index=cuts, **settings
    )
    last = cuts[-1]

    def target(y: Outcome) -> Any:
        # Its bins end at the last cut: later times are censored or happen there.
        return labels.transform(np.minimum(y.time, last), y.event)

    return model, target, "linear"


def _coxph(train: Part) -> Made:
    from pycox.models import CoxPH

    model = CoxPH(mlp(train[0].shape[1], 1), device="cpu")
    return model, lambda y: _float32(y.time, y.event), "step"


def _coxtime(train: Part) -> Made:
    from pycox.models import CoxTime

    X, outcome = train
    labels = CoxTime.label_transform()
    labels.fit(outcome.time, outcome.event)
    model = CoxTime(_WithTime(X.shape[1]), device="cpu", labtrans=labels)
    return model, lambda y: labels.transform(y.time, y.event), "step"


class _WithTime(nn.Module):
    """Our network as pycox calls it, with time as a column."""

    def __init__(self, n_features: int) -> None:
        super().__init__()
        self.net = mlp(n_features + 1, 1)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        found: Tensor = self.net(torch.cat([x, time], dim=1))
        return found


def _float32(*arrays: NDArray[Any]) -> tuple[NDArray[np.float32], ...]:
    return tuple(a.astype(np.float32) for a in arrays)


# By the names of our own classes.
PYCOX: dict[str, Callable[[Part], Made]] = {
    "DeepSurv": _coxph,
    "NMTLR": _mtlr,
    "DeepHit": _deephit,
    "CoxTime": _coxtime,
}

"""Trained models on disk: each is trained once and serves every study."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import joblib

from consurv.adapters import adapter_for
from consurv.datasets import TableEncoder
from studies.environment import versions
from studies.files import write_atomically
from studies.fingerprint import fingerprint
from studies.memory import PeakMemory
from studies.named import NamedFit
from studies.protocol import Split, protocol_of
from studies.sources import load_source

__all__ = ["Fit", "FitFolder", "FitStore", "fit_fingerprint", "pack", "train", "unpack"]

_FORMAT = "consurv-fit-3"


@dataclass(frozen=True, eq=False)
class Fit:
    """A trained model with the encoder of its tables.

    Attributes
    ----------
    encoder : TableEncoder
    model : object
        Predicts from what ``encoder.transform`` gives.
    seconds : float
        How long training took, without the encoding.
    n_epochs : int or None
        Epochs of a deep model.
    peak_memory : int or None
        Bytes by which training let the process grow.
    """

    encoder: TableEncoder
    model: Any
    seconds: float
    n_epochs: int | None
    peak_memory: int | None


def train(named: NamedFit, split: Split, seed: int) -> Fit:
    """Train a model on the training rows of a split."""
    model = named.make(seed)
    validation = split.validation if named.takes_validation else None
    with PeakMemory() as memory:
        start = perf_counter()
        model = adapter_for(model).fit(model, *split.train, validation)
        seconds = perf_counter() - start
    history = getattr(model, "history_", None)
    n_epochs = None if history is None else int(history.n_epochs)
    return Fit(split.encoder, model, seconds, n_epochs, memory.growth)


def fit_fingerprint(named: NamedFit, dataset: str, seed: int) -> str:
    """Return what changes if another model would be trained."""
    return fingerprint(
        {
            "data": load_source(dataset).digest,
            "model": named.model,
            "settings": named.make(seed).get_params(deep=False),
            "holds_out": named.holds_out,
            "seed": seed,
            "protocol": protocol_of(named.stratify),
            "versions": versions(),
        }
    )


class FitStore(Protocol):
    """Where fits are kept."""

    def load(self, dataset: str, key: str, seed: int) -> bytes | None:
        """Return the bytes of a fit, or None if there is none."""

    def save(self, dataset: str, key: str, seed: int, content: bytes) -> None:
        """Keep the bytes of a fit."""


@dataclass(frozen=True)
class FitFolder:
    """Fits in the folder ``fits`` of a results folder; it may be deleted."""

    folder: Path

    def path(self, dataset: str, key: str, seed: int) -> Path:
        """Return where a fit lies."""
        return self.folder / "fits" / dataset / key / f"{seed}.joblib"

    def load(self, dataset: str, key: str, seed: int) -> bytes | None:
        """Return the bytes of a fit, or None if there is none that can be read."""
        try:
            return self.path(dataset, key, seed).read_bytes()
        except OSError:
            return None

    def save(self, dataset: str, key: str, seed: int, content: bytes) -> None:
        """Write a fit atomically."""
        write_atomically(self.path(dataset, key, seed), content)


def pack(fit: Fit, mark: str) -> bytes:
    """Return a fit as bytes with its fingerprint and a checksum."""
    inner = io.BytesIO()
    joblib.dump(fit, inner)
    blob = inner.getvalue()
    outer = io.BytesIO()
    checksum = hashlib.sha256(blob).hexdigest()
    joblib.dump((_FORMAT, mark, checksum, blob), outer)
    return outer.getvalue()


def unpack(content: bytes, mark: str) -> Fit | None:
    """Return the fit that `pack` packed; None if its fingerprint is another.

    Raises
    ------
    ValueError
        If the bytes are not those of `pack`.
    """
    try:
        form, stored, checksum, blob = joblib.load(io.BytesIO(content))
    except Exception as error:  # whatever broken bytes make of themselves
        raise ValueError(f"it cannot be read ({type(error).__name__})") from error
    if form != _FORMAT:  # of another version of the package
        return None
    if hashlib.sha256(blob).hexdigest() != checksum:
        raise ValueError("its checksum is wrong")
    if stored != mark:
        return None
    fit: Fit = joblib.load(io.BytesIO(blob))
    return fit

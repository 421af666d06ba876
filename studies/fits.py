"""Trained models on disk: each is trained once and serves every study."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from consurv.adapters import adapter_for
from consurv.keep import NotPlain, dump_plain, load_plain
from studies.environment import versions
from studies.files import write_atomically
from studies.fingerprint import fingerprint
from studies.memory import PeakMemory
from studies.named import NamedFit
from studies.protocol import Split, protocol_of
from studies.sources import load_source
from studies.state import put_state, state_of

__all__ = ["Fit", "FitFolder", "FitStore", "fit_fingerprint", "pack", "train", "unpack"]

_FORMAT = "consurv-fit-4"
_NONE = type(None)


@dataclass(frozen=True, eq=False)
class Fit:
    """A trained model.

    Attributes
    ----------
    model : object
        Predicts from what the encoder of its split gives.
    seconds : float
        How long training took, without the encoding.
    n_epochs : int or None
        Epochs of a deep model.
    peak_memory : int or None
        Bytes by which training let the process grow.
    """

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
    return Fit(model, seconds, n_epochs, memory.growth)


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
            **({} if named.causes.training == "ours" else {"training": "paper"}),
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
    """Fits in the folder ``fits`` of a results folder; it may be deleted.

    The files are data, so that a results folder of somebody else can be used: see
    `pack`.
    """

    folder: Path

    def path(self, dataset: str, key: str, seed: int) -> Path:
        """Return where a fit lies."""
        return self.folder / "fits" / dataset / key / f"{seed}.fit"

    def load(self, dataset: str, key: str, seed: int) -> bytes | None:
        """Return the bytes of a fit, or None if there is none that can be read."""
        try:
            return self.path(dataset, key, seed).read_bytes()
        except OSError:
            return None

    def save(self, dataset: str, key: str, seed: int, content: bytes) -> None:
        """Write a fit atomically."""
        write_atomically(self.path(dataset, key, seed), content)


def pack(fit: Fit, mark: str) -> bytes | None:
    """Return a fit as bytes with its fingerprint and a checksum.

    They are data: what training has set, as numbers, text and arrays. None stands for
    a model that holds objects of another library (boosters, the random forest);
    it is trained anew in every run.
    """
    facts = [fit.seconds, fit.n_epochs, fit.peak_memory]
    try:
        body = dump_plain({"mark": mark, "facts": facts, "model": state_of(fit.model)})
    except NotPlain:
        return None
    checksum = hashlib.sha256(body).hexdigest()
    return b"".join([f"{_FORMAT}\n{checksum}\n".encode(), body])


def unpack(content: bytes, mark: str, model: Any, n_features: int) -> Fit | None:
    """Return the fit that `pack` packed; None if its fingerprint is another.

    Parameters
    ----------
    content : bytes
        May be anybody's: nothing in them is run.
    mark : str
        The fingerprint.
    model : object
        Untrained, with the settings of the one that was packed.
    n_features : int
        Columns of the tables that it is for.

    Raises
    ------
    ValueError
        If the bytes are not those of `pack`.
    """
    form, checksum, body = _parted(content)
    if form != _FORMAT:  # of another version of the package
        return None
    if hashlib.sha256(body).hexdigest() != checksum:
        raise ValueError("its checksum is wrong")
    try:
        stored = load_plain(body)
        if stored["mark"] != mark:
            return None
        seconds, n_epochs, peak_memory = _facts(stored["facts"])
        trained = put_state(model, stored["model"], n_features)
    except Exception as error:  # whatever broken values make of themselves
        raise ValueError(f"it cannot be read ({error})") from error
    return Fit(trained, seconds, n_epochs, peak_memory)


def _parted(content: bytes) -> tuple[str, str, bytes]:
    """Return the form, the checksum and the rest."""
    parts = content.split(b"\n", 2)
    if len(parts) != 3 or not parts[0].startswith(b"consurv-fit-"):
        raise ValueError("it cannot be read (it is no stored fit)")
    return (
        parts[0].decode("ascii", "replace"),
        parts[1].decode("ascii", "replace"),
        parts[2],
    )


def _facts(facts: Any) -> tuple[float, int | None, int | None]:
    seconds, *counts = facts
    n_epochs, peak_memory = counts
    if type(seconds) is not float or not all(type(n) in (int, _NONE) for n in counts):
        raise ValueError("what it says of its training is no number")
    return seconds, n_epochs, peak_memory

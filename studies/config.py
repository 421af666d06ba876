"""What is asked of a study: frozen, with every name checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from consurv._params import (
    AtLeast,
    Between,
    Constraints,
    InstanceOf,
    OneOf,
    check_params,
)
from consurv._registry import resolve
from consurv.errors import InvalidInput
from studies.named import check_settings, full_name, named_fits
from studies.names import STUDIES
from studies.preset.causes import CONFORMAL, METRICS, TAILS, TRAINING, Causes
from studies.protocol import SPLITS
from studies.sources import source_names

__all__ = ["StudyConfig"]

_RULES: Constraints = {
    "seeds": AtLeast(1),
    "percentiles": AtLeast(1),
    "time_limit": Between(0, float("inf")),
    "settings": InstanceOf(Mapping),
    "stratify": OneOf(*SPLITS),
    "training": OneOf(*TRAINING),
    "tails": OneOf(*TAILS),
    "metrics": OneOf(*METRICS),
    "conformal": OneOf(*CONFORMAL),
}


@dataclass(frozen=True)
class StudyConfig:
    """One study on some datasets with some models.

    Parameters
    ----------
    study : str
        "main", "objective", "ablation-censoring", "ablation-conformal-set",
        "ablation-percentiles" or "cost".
    datasets : sequence of str, optional
        Names in any case, or "public", "simulated", "all". By default the public
        datasets that are here; for "cost" the simulated ones too.
    models : sequence of str, optional
        Names in any case, the paper's short forms too. By default the paper's.
        The study "main" has the Kaplan–Meier dummy in any case.
    seeds : int
        Seeds 0 … seeds − 1.
    percentiles : int
        Number of levels where they are not what is varied.
    time_limit : float
        Seconds for a cell.
    settings : mapping of str to mapping
        Settings of models other than their defaults, by the model's full name.
    stratify : {"event", "event+time", "paper"}
        What splits are stratified on; ``"event+time"`` is 0.1.0's protocol,
        ``"paper"`` takes the very rows of the authors' code.
    training : {"ours", "paper"}
        Whose models, losses and stopping rules; the second as in the authors' code.
    tails : {"law", "line"}
        Whether parametric curves keep their tail or end in a line to 0, as theirs.
    metrics : {"ours", "paper"}
        Whose KM-cal and integrated Brier score.
    conformal : {"ours", "paper"}
        Whose interpolation, draws for censored subjects and ranks.

    Raises
    ------
    InvalidInput
        If a name is unknown, or a value not allowed.

    Examples
    --------
    >>> config = StudyConfig("main", datasets=["pbc"], models=["AFT"], seeds=3)
    >>> config.datasets, config.models, list(config.seed_numbers)
    (('PBC',), ('weibull-aft',), [0, 1, 2])
    """

    study: str
    datasets: Sequence[str] | None = None
    models: Sequence[str] | None = None
    seeds: int = 10
    percentiles: int = 19
    time_limit: float = 1200.0
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    stratify: str = "event"
    training: str = "ours"
    tails: str = "law"
    metrics: str = "ours"
    conformal: str = "ours"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(
            self,
            "study",
            resolve({name: name for name in STUDIES}, self.study, "study"),
        )
        check_params({name: getattr(self, name) for name in _RULES}, _RULES)
        if self.datasets is not None:
            names = _as_names(self.datasets, "datasets")
            put(self, "datasets", tuple(source_names(names)))
        if self.models is not None:
            names = _as_names(self.models, "models")
            full = dict.fromkeys(full_name(self.study, name) for name in names)
            put(self, "models", tuple(full))
        check_settings(self.settings)
        named_fits(self.study, self.models, self.settings, self.causes)

    @property
    def causes(self) -> Causes:
        """Whose training, tails, metrics and conformal step."""
        return Causes(self.training, self.tails, self.metrics, self.conformal)

    @property
    def seed_numbers(self) -> range:
        """The seeds."""
        return range(self.seeds)


def _as_names(names: Any, what: str) -> Sequence[str]:
    wrong = isinstance(names, str) or not all(isinstance(name, str) for name in names)
    if wrong or not len(names):
        raise InvalidInput(f"{what}={names!r} is not valid; it must be a list of names")
    listed: Sequence[str] = names
    return listed

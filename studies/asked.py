"""What the command line asks for, as configurations of studies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consurv._registry import resolve
from consurv.errors import InvalidInput
from studies.config import StudyConfig
from studies.named import known_names, takes
from studies.names import STUDIES
from studies.preset.causes import PAPER, TIME_SCALES
from studies.sources import quick_names
from studies.toml import read_config

__all__ = ["Asked"]

_QUICK_SEEDS = 2


@dataclass(frozen=True)
class Asked:
    """What the command line says about what to run; None leaves it to the file."""

    datasets: str | None = None
    models: str | None = None
    seeds: int | None = None
    percentiles: int | None = None
    time_limit: float | None = None
    config: Path | None = None
    quick: bool = False
    stratify: str | None = None
    preset: str | None = None
    training: str | None = None
    tails: str | None = None
    metrics: str | None = None
    conformal: str | None = None
    time_scale: str | None = None

    def configs(self, study: str) -> list[StudyConfig]:
        """Return the configuration of a study, or of all that know the models."""
        if study != "all":
            return [self._config(study, _names(self.models))]
        names = _names(self.models)
        if names is None:
            return [self._config(name, None) for name in STUDIES]
        known = {name: name for study in STUDIES for name in known_names(study)}
        for name in names:
            if not any(takes(study, name) for study in STUDIES):
                resolve(known, name, "model")
        own = {s: [name for name in names if takes(s, name)] for s in STUDIES}
        return [self._config(s, names) for s, names in own.items() if names]

    def _config(self, study: str, models: list[str] | None) -> StudyConfig:
        values: dict[str, Any] = {}
        if self.quick:
            values = {"datasets": quick_names(), "seeds": _QUICK_SEEDS}
        if self.preset is not None:
            values |= resolve({"paper": PAPER}, self.preset, "preset")
        if self.config is not None:
            values |= read_config(self.config, study)
        given = {
            "datasets": _names(self.datasets),
            "models": models,
            "seeds": self.seeds,
            "percentiles": self.percentiles,
            "time_limit": self.time_limit,
            "stratify": self.stratify,
            "training": self.training,
            "tails": self.tails,
            "metrics": self.metrics,
            "conformal": self.conformal,
        }
        values |= {key: value for key, value in given.items() if value is not None}
        if self.time_scale is not None:
            _check_time_scale(self.time_scale, values.get("training"))
            values["settings"] = self._with_time_scale(values.get("settings", {}))
        return StudyConfig(study, **values)

    def _with_time_scale(self, settings: dict[str, Any]) -> dict[str, Any]:
        own = {**settings.get("lognormal", {}), "time_scale": self.time_scale}
        return {**settings, "lognormal": own}


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [name for name in (part.strip() for part in text.split(",")) if name]


def _check_time_scale(name: str, training: str | None) -> None:
    resolve({scale: scale for scale in TIME_SCALES}, name, "time scale")
    if training != "paper":
        raise InvalidInput(
            f"--time-scale {name} is one of the authors' log-normal network; add "
            "--preset paper, or --training paper"
        )

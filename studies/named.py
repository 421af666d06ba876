"""Fits by name: a model of the registry with settings and the rows it trains on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from consurv._registry import resolve
from consurv.adapters import adapter_for
from consurv.errors import InvalidInput
from consurv.models.registry import make_model, model_name, model_names
from studies.names import model_label
from studies.preset.causes import Causes
from studies.preset.models import paper_model

__all__ = [
    "NamedFit",
    "check_settings",
    "full_name",
    "known_names",
    "named_fits",
    "takes",
]

_OURS = Causes()
_SUFFIX = "@held-out"
_PAPER = (
    "weibull-aft",
    "gradient-boosting",
    "deepsurv",
    "n-mtlr",
    "deephit",
    "coxtime",
    "cqrnn",
)
_OBJECTIVES: dict[str, dict[str, Any]] = {
    "lognormal-likelihood": {"loss": "likelihood"},
    "lognormal-crps": {"loss": "crps"},
    **{
        f"lognormal-{loss}-1e{power}": {"loss": loss, "weight": 10.0**power}
        for loss in ("x-cal", "sfm")
        for power in range(6)
    },
}


@dataclass(frozen=True)
class NamedFit:
    """What is trained: a model, its settings and whether rows are held out.

    Attributes
    ----------
    key : str
        The name in results: that of the model, of a loss ("lognormal-crps"), or of
        a model with "@held-out".
    model : str
        The name in the registry of models.
    settings : dict
        What differs from the model's defaults.
    stratify : str
        What its splits are stratified on.
    causes : Causes
        Whose training, tails and metrics.
    """

    key: str
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    stratify: str = "event"
    causes: Causes = _OURS

    @property
    def label(self) -> str:
        """How it is written in tables."""
        return model_label(self.key, self.key)

    def make(self, seed: int | None) -> Any:
        """Return the untrained model."""
        make = paper_model if self.causes.training == "paper" else make_model
        return make(self.model, seed, **self.settings)

    @property
    def takes_validation(self) -> bool:
        """Whether training makes use of a validation set."""
        model = self.make(None)
        return adapter_for(model).takes_validation(model)

    @property
    def holds_out(self) -> bool:
        """Whether a tenth of the training part is kept from training."""
        return self.key.endswith(_SUFFIX) or self.takes_validation


def named_fits(
    study: str,
    names: Sequence[str] | None,
    settings: Mapping[str, Mapping[str, Any]],
    causes: Causes = _OURS,
) -> list[NamedFit]:
    """Return the fits of a study.

    Parameters
    ----------
    study : str
    names : sequence of str or None
        Models in any form of their names; None means the paper's. The study main
        begins with the Kaplan–Meier dummy, named or not: its tables and figures
        measure the others by it.
    settings : mapping
        Settings of models by the full name of the model or of the fit.
    causes : Causes
        Whose training, tails and metrics.

    Raises
    ------
    InvalidInput
        If a name or a setting is unknown.

    Examples
    --------
    >>> [fit.key for fit in named_fits("main", ("DeepHit", "AFT"), {})]
    ['km', 'deephit', 'weibull-aft']
    >>> len(named_fits("objective", None, {}))
    14
    """
    if study == "objective":
        keys = _objective_keys(names)
    else:
        keys = _model_keys(names, with_km=study == "main")
    fits = [_make(key, settings, causes) for key in keys]
    if study == "ablation-conformal-set":  # both policies need rows to hold out
        alone = [fit for fit in fits if not fit.holds_out and fit.key != "km"]
        fits += [replace(fit, key=fit.key + _SUFFIX) for fit in alone]
    return fits


def known_names(study: str) -> list[str]:
    """Return the names of models that a study takes."""
    return ["lognormal", *_OBJECTIVES] if study == "objective" else model_names()


def full_name(study: str, name: str) -> str:
    """Return the full name of a model in a study.

    Examples
    --------
    >>> full_name("main", "GB"), full_name("objective", "lognormal-CRPS")
    ('gradient-boosting', 'lognormal-crps')
    """
    if study != "objective":
        return model_name(name)
    known = {key: key for key in known_names(study)}
    return resolve(known, name, "model of the study objective")


def takes(study: str, name: str) -> bool:
    """Say whether a study knows a model of that name."""
    try:
        full_name(study, name)
    except InvalidInput:
        return False
    return True


def _objective_keys(names: Sequence[str] | None) -> list[str]:
    found = [full_name("objective", name) for name in names or ("lognormal",)]
    keys = list(_OBJECTIVES) if "lognormal" in found else found
    return list(dict.fromkeys(keys))


def _model_keys(names: Sequence[str] | None, *, with_km: bool) -> list[str]:
    keys = _PAPER if names is None else [model_name(name) for name in names]
    return list(dict.fromkeys(["km", *keys] if with_km else keys))


def _make(
    key: str, settings: Mapping[str, Mapping[str, Any]], causes: Causes
) -> NamedFit:
    model = "lognormal" if key in _OBJECTIVES else key
    own = {**settings.get(model, {}), **_OBJECTIVES.get(key, {})}
    own |= settings.get(key, {})
    fit = NamedFit(key, model, own, causes=causes)
    fit.make(None)  # an unknown setting is an error before anything runs
    return fit


def check_settings(settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse settings for a model that does not exist."""
    known = [*model_names(), *_OBJECTIVES]
    for name in settings:
        if name not in known:
            raise InvalidInput(
                f"settings for an unknown model {name!r}; choose among "
                f"{', '.join(known)}"
            )
        if not isinstance(settings[name], Mapping):
            raise InvalidInput(
                f"the settings of {name} must be a table, not {settings[name]!r}"
            )

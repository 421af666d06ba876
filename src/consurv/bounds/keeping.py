"""A calibrated bound as plain values and objects that can be kept, and back."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from consurv.bounds.methods import Bound
from consurv.conformal.censoring.nuisance import Fitted
from consurv.conformal.keeping.kept import features_of, settings_of, told_model
from consurv.errors import InvalidInput
from consurv.keep import read_archive, write_archive
from consurv.weighting.sample import Sample

__all__ = ["KeptBound"]

_MODELS = ("estimator", "censoring_model", "event_model")
_FEATURES = ("n_features_in_", "feature_names_in_")


class KeptBound(ABC):
    """Saving and loading of a calibrated bound."""

    def __init__(self, estimator: Any, **settings: Any) -> None:
        raise NotImplementedError  # what derives from it has settings

    @abstractmethod
    def _calibrated(self) -> Sample: ...

    @abstractmethod
    def _check_settings(self) -> None: ...

    @abstractmethod
    def _hold(self, estimator: Any, models: Fitted | None, sample: Sample) -> None: ...

    @abstractmethod
    def _rest_on(self, bound: Bound) -> Self: ...

    def save(self, path: str | os.PathLike[str], *, trust: bool = False) -> None:
        """Write the calibrated bound to one file, which ``load`` reads.

        As ``ConformalSurvival.save``: data with a checksum, models in the forms of
        their libraries. Outcomes and curves of the calibration subjects are kept as
        numbers, so that bounds of any coverage can be asked for afterwards; their
        features are not.

        Parameters
        ----------
        path : path-like
            Such as ``"b.consurv"``; a file that is there is replaced.
        trust : bool, default=False
            Pickle what has no other form, such as a function. Who loads the file must
            trust it, too.

        Raises
        ------
        InvalidInput
            If something can only be pickled and ``trust`` is not given.

        Examples
        --------
        >>> import tempfile
        >>> from consurv import ConformalLowerBound
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(200, censoring=0.2, random_state=0)
        >>> model = ConformalLowerBound(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "b.consurv")
        ...     model.save(path)
        ...     os.path.getsize(path) > 1000
        True
        """
        self._calibrated()
        write_archive(path, self, _facts_of(self), trust=trust)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, trust: bool = False) -> Self:
        """Return the calibrated bound that ``save`` wrote.

        Its bounds are those of the one that was saved, bit for bit, with the same
        libraries on the same kind of machine (where draws are needed, those of another
        coverage if ``random_state`` is a number). Nothing in the file is run, unless
        it holds a pickle and you say that you trust it.

        Parameters
        ----------
        path : path-like
        trust : bool, default=False
            Read pickles, too: they can run any code of who made the file.

        Raises
        ------
        InvalidInput
            If the file is damaged, is something else, comes from a later version or
            holds a pickle that is not trusted.

        Examples
        --------
        >>> import os, tempfile
        >>> import numpy as np
        >>> from consurv import ConformalLowerBound
        >>> from consurv.models import CoxPH
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 1))
        >>> y = (np.ones(200), rng.exponential(np.exp(X[:, 0])))
        >>> model = ConformalLowerBound(CoxPH(), random_state=0).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "b.consurv")
        ...     model.save(path)
        ...     again = ConformalLowerBound.load(path)
        >>> bounds = [m.predict_lower_bound(X, 0.8) for m in (model, again)]
        >>> bool((bounds[0] == bounds[1]).all())
        True
        """
        _, model = read_archive(path, trust=trust)
        if not isinstance(model, cls):
            raise InvalidInput(
                f"{path} holds a {type(model).__name__}, not a {cls.__name__}; "
                "consurv.load reads calibrated models"
            )
        return model

    def to_kept(self) -> dict[str, Any]:
        """Return what the bound is made of, for a file."""
        return _state_of(self)

    @classmethod
    def from_kept(cls, state: Mapping[str, Any]) -> Self:
        """Return the bound that ``to_kept`` told of."""
        params, sample, bound = _read(state)
        model = cls(**params)
        model._check_settings()
        censoring, event = params["censoring_model"], params["event_model"]
        models = None if censoring is None else Fitted(censoring, event)
        model._hold(params["estimator"], models, sample)
        model.__dict__.update(state["seen"])
        return model._rest_on(bound)


def _state_of(model: Any) -> dict[str, Any]:
    """Return what a calibrated bound is made of: models, sample and what was found.

    Trained models stand for the untrained ones, too. The sample holds outcomes and
    curves of the calibration subjects, no features: bounds of another coverage are
    found from it.
    """
    return {
        "settings": settings_of(model, *_MODELS),
        "models": {name: getattr(model, f"{name}_") for name in _MODELS},
        "sample": model._sample,
        "bound": model.bound_,
        "seen": {k: getattr(model, k) for k in _FEATURES if hasattr(model, k)},
    }


def _read(state: Mapping[str, Any]) -> tuple[dict[str, Any], Sample, Bound]:
    """Return parameters, sample and bound of a state that is anybody's.

    Raises
    ------
    ValueError
        If it is no such state.
    """
    models, sample, bound = state["models"], state["sample"], state["bound"]
    if not isinstance(sample, Sample) or not isinstance(bound, Bound):
        raise ValueError("it has no sample or no bound")
    if set(models) != set(_MODELS) or not set(state["seen"]) <= set(_FEATURES):
        raise ValueError("it sets what no bound sets")
    return {**state["settings"], **models}, sample, bound


def _facts_of(model: Any) -> dict[str, Any]:
    """Return what a reader wants to know before loading."""
    censoring, weights = model.censoring_model_, model.weights_
    return {
        "model": told_model(model.estimator_),
        "bound": model.method,
        "coverage": float(model.bound_.coverage),
        "censoring_model": None if censoring is None else told_model(censoring),
        "n_conformal": int(model.n_conformal_),
        "follow_up": float(model.follow_up_),
        "largest_weight": float(weights.largest),
        "n_effective": float(weights.effective_sample_size),
        **features_of(model),
    }

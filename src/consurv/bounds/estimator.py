"""ConformalLowerBound: at least how long, with 90 %."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from consurv._checks import Float
from consurv._features import clear_refusals, in_order
from consurv._params import (
    AtLeast,
    Between,
    Constraint,
    OneOf,
    check_params,
    make_rng,
)
from consurv._registry import resolve
from consurv._warnings import warn
from consurv._weights import as_weights
from consurv.adapters import adapter_for
from consurv.adapters.adapter import n_rows
from consurv.bounds.collecting import (
    check_limit,
    from_blocks,
    from_rows,
    read_curves,
)
from consurv.bounds.covariate_shift import CoveredMass, warn_of_nothing
from consurv.bounds.forest import NeighbourForest
from consurv.bounds.keeping import KeptBound
from consurv.bounds.methods import METHODS, Bound, Method, Options
from consurv.bounds.screening import Screening, screened
from consurv.conformal.censoring.nuisance import Fitted, Nuisance
from consurv.conformal.parts.blocks import Data
from consurv.conformal.reading.inputs import (
    as_table,
    check_data,
    check_enough,
    check_validation,
)
from consurv.conformal.reading.raw_model import RawModel, rows_of
from consurv.conformal.sets.conformal_sets import CONFORMAL_SETS
from consurv.conformal.sets.trainer import Trainer
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput, NotConformalizedError
from consurv.outcome import Outcome
from consurv.weighting.sample import Sample
from consurv.weighting.search import check_information
from consurv.weighting.weights import Weights, weigh

__all__ = ["ConformalLowerBound"]

_COVERAGE = Between(0, 1)


class ConformalLowerBound(KeptBound, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Times that a subject survives with a wanted probability, under censoring.

    A lower bound L(x) with P(T ≥ L(X)) ≥ coverage, on average over subjects, from the
    quantiles of any survival model and a model of who is censored when. Calibration
    subjects tell how far the model's quantiles can be believed; the methods differ in
    how those count whose event nobody saw:

    - ``"kaplan-meier"``, the default: a weighted Kaplan–Meier curve of the scores;
      right if either model is, or the censoring model where bounds are capped
      (asymptotic).
    - ``"aipcw"``: inverse weights, augmented by the event model; right if either model
      is (asymptotic, doubly robust).
    - ``"ipcw"``: inverse weights alone; right if the censoring model is.
    - ``"dr-cosarc"``: censoring times of events are drawn, then ``"adaptive"``; never
      above the model's own quantile (asymptotic, doubly robust).
    - ``"focused"``, ``"fused"``: events alone, weighted, or those and some others;
      cautious.
    - ``"fixed"``, ``"adaptive"``: a cut-off for all, or one for each subject; where the
      censoring time of everybody is known (``conformalize(..., censoring_time=C)``).

    Formulas and guarantees are those of the classes in ``consurv.bounds.methods``.
    Where nobody is censored all of them are plain split conformal, finite-sample:
    P(T ≥ L) lies between the coverage and the coverage + 1/(n + 1).

    The curves of the calibration subjects are kept: bounds of any coverage can be asked
    for afterwards.

    Parameters
    ----------
    estimator : object
        A survival model in any form that ``ConformalSurvival`` takes.
    method : str
        See above.
    censoring_model : object, optional
        A survival model for (time, not event), in any of those forms, too; by default a
        ``NeighbourForest``, which reads numbers alone. A fitted one is used as it is.
        ``fit`` trains a copy on the rows that train the estimator, out of fold under
        ``"cross"``; ``conformalize`` with a model that came fitted cross-fits it on the
        calibration rows.
    event_model : object, optional
        Another model of the event, which ``"aipcw"`` follows beyond a censoring; by
        default the estimator itself. Trained as the censoring model is.
    coverage : float
        The probability that is wanted if ``predict_lower_bound`` is not asked for
        another.
    clip : float, optional
        Clip 1/G at this quantile of its values among events (0.9, say); None clips
        nothing.
    stabilise : bool
        Divide the weights of ``"ipcw"`` by their mean (Hájek). Those of all methods but
        it and ``"aipcw"`` are relative anyhow.
    cutoff : float, optional
        c₀ of ``"fixed"``; by default the time until which half of the subjects are
        seen.
    least_seen : float, "auto" or None
        Where the censoring model leaves less than this share of subjects under
        observation, nothing can be learnt: bounds of ``"kaplan-meier"``, ``"aipcw"``,
        ``"ipcw"``, ``"adaptive"`` and ``"dr-cosarc"`` end there. ``"auto"`` is 1/log n.
        None lets those of the first three go on (weights are then as large as 1/G is
        small).
    conformal_set : {"half", "cross", "holdout", "validation"}
        Which rows ``fit`` calibrates by, as in ``ConformalSurvival``. The guarantees
        are for rows that no model saw, which ``"cross"`` has no theorem for.
    validation_fraction : float
        Share split off where a validation set is needed and none is given.
    n_folds : int
        Folds of ``"cross"``, and of cross-fitting in ``conformalize``.
    random_state : int, optional
        Seed of splits and draws.
    n_jobs : int, optional
        Folds to train at the same time.
    verbose : bool
        Show progress over the folds.

    Attributes
    ----------
    estimator_ : object
        The trained model.
    censoring_model_ : object or None
        The trained censoring model; None where nobody is censored.
    event_model_ : object or None
    bound_ : Bound
        What was found for ``coverage``.
    weights_ : Weights
        The largest weight and the effective sample size that it rests on.
    n_conformal_ : int
    follow_up_ : float
        The last time that was observed among the calibration subjects.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where X has column names.

    Examples
    --------
    >>> from consurv import Outcome
    >>> from consurv.models import CoxPH
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> T = rng.exponential(10 * np.exp(X[:, 0]))
    >>> C = rng.exponential(20 * np.exp(X[:, 1] / 2))
    >>> y = Outcome(time=np.minimum(T, C), event=T <= C)
    >>> model = ConformalLowerBound(CoxPH(), random_state=0).fit(X[:400], y[:400])
    >>> np.mean(T[400:] >= model.predict_lower_bound(X[400:])).round(2)
    np.float64(0.88)
    >>> model.weights_.n, round(model.weights_.effective_sample_size)
    (191, 189)
    """

    _rules: ClassVar[Mapping[str, Constraint | tuple[Constraint, ...]]] = {
        "coverage": _COVERAGE,
        "clip": (OneOf(None), _COVERAGE),
        "stabilise": OneOf(True, False),
        "cutoff": (OneOf(None), Between(0, np.inf)),
        "least_seen": (OneOf("auto", None), _COVERAGE),
        "conformal_set": OneOf("half", "cross", "holdout", "validation"),
        "validation_fraction": Between(0, 1),
        "n_folds": AtLeast(2),
        "n_jobs": (OneOf(None, -1), AtLeast(1)),
        "verbose": OneOf(True, False),
    }

    def __init__(
        self,
        estimator: Any,
        *,
        method: str = "kaplan-meier",
        censoring_model: Any = None,
        event_model: Any = None,
        coverage: float = 0.9,
        clip: float | None = None,
        stabilise: bool = False,
        cutoff: float | None = None,
        least_seen: float | str | None = "auto",
        conformal_set: str = "half",
        validation_fraction: float = 0.1,
        n_folds: int = 5,
        random_state: int | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.censoring_model = censoring_model
        self.event_model = event_model
        self.coverage = coverage
        self.clip = clip
        self.stabilise = stabilise
        self.cutoff = cutoff
        self.least_seen = least_seen
        self.conformal_set = conformal_set
        self.validation_fraction = validation_fraction
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        X_val: Any = None,
        y_val: Any = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Train the models and calibrate by the rows that ``conformal_set`` names.

        A frozen estimator is not trained: all of *X* calibrates it.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
        y : Outcome or anything that ``Outcome.of`` takes
        X_val, y_val : optional
            A validation set of your own, for models that stop early by one.
        sample_weight : array-like of shape (n,), optional
            As in ``conformalize``, for the rows that calibrate; models are trained
            without weights, on all rows whose weight is not 0.

        Returns
        -------
        self
        """
        self._check_settings()
        data = self._check_data(X, y, sample_weight)
        validation = check_validation(X_val, y_val, like=data[0])
        check_enough(data[1])
        adapter = adapter_for(self.estimator)
        if not adapter.trains(self.estimator):
            return self.conformalize(X, y, sample_weight=sample_weight)
        if data[1].n_events < len(data[1]):
            self._check_limit_known(None)
        nuisance = self._nuisance(data[1])
        trainer = Trainer(
            adapter,
            self.estimator,
            read_curves,
            nuisance,
            self.validation_fraction,
            self.n_folds,
            make_rng(self.random_state),
            self.n_jobs,
            self.verbose,
        )
        collect = CONFORMAL_SETS[self.conformal_set].collect
        assert collect is not None
        trained = collect(trainer, data, validation)
        models = None
        if nuisance is not None:
            models = nuisance.fitted(trained.training, trained.validation).models
        sample = from_blocks(trained.blocks, models)
        return self._set_state(trained.estimator, models, data[0], sample)

    def conformalize(
        self,
        X: Any,
        y: Any,
        *,
        censoring_time: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Calibrate a model that is already fitted by outcomes of your own.

        After ``fit`` it is the trained models that are calibrated anew.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
        y : Outcome or anything that ``Outcome.of`` takes
        censoring_time : array-like of shape (n,), optional
            C of everybody, those with an event too, where it is known (the end of a
            study, say); ``"fixed"`` and ``"adaptive"`` need it. inf is never.
        sample_weight : array-like of shape (n,), optional
            How much each subject counts beside the others and a new one: for new
            subjects from elsewhere w(x), their density over that of these subjects at
            x, times any number; 0 leaves one out. With ``"kaplan-meier"``, ``"aipcw"``
            and ``"ipcw"``.

        Returns
        -------
        self

        Examples
        --------
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> seen = make_weibull(400, censoring=0.2, random_state=0)
        >>> fresh = make_weibull(400, censoring=0.2, random_state=1)
        >>> trained = CoxPH().fit(seen.X, seen.y)
        >>> model = ConformalLowerBound(trained, random_state=0)
        >>> model.conformalize(fresh.X, fresh.y).n_conformal_
        400
        """
        self._check_settings()
        data = self._check_data(X, y, sample_weight)
        check_enough(data[1])
        everybody = Outcome.of(y).weighted(sample_weight)
        limit = check_limit(censoring_time, everybody)
        if limit is not None and everybody.counted is not None:
            limit = limit[everybody.counted]
        if data[1].n_events < len(data[1]):
            self._check_limit_known(limit)
        estimator = getattr(self, "estimator_", self.estimator)
        raw = RawModel(estimator)
        if not raw.adapter.is_fitted(estimator):
            raise NotConformalizedError(
                f"{type(estimator).__name__} is not fitted: call fit(X, y) to train "
                "and calibrate it, or give conformalize a fitted model"
            )
        nuisance = self._nuisance(data[1])
        rng = make_rng(self.random_state)
        sample, models = from_rows(raw, data, nuisance, self.n_folds, rng)
        sample = replace(sample, limit=limit)
        return self._set_state(estimator, models, data[0], sample)

    def bound_at(self, coverage: float) -> Bound:
        """Return the calibrated bound for a coverage, with the weights it rests on."""
        check_params({"coverage": coverage}, {"coverage": _COVERAGE})
        sample, method = self._calibrated(), self._method()
        size = weigh(sample.counts).effective_sample_size
        check_information(coverage, size, len(sample))
        if not sample.is_censored:
            return method.plain(sample, coverage)
        return method.find(sample, coverage, self._options())

    def _options(self) -> Options:
        seed = int(make_rng(self.random_state).integers(2**32))
        least = self._least_seen()
        return Options(self.clip, self.stabilise, self.cutoff, seed, least)

    def predict_lower_bound(
        self,
        X: Any,
        coverage: float | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Float:
        """Return the times that subjects survive with the wanted probability.

        Bounds beyond the follow-up of the calibration subjects are what the model
        extrapolates; one `CalibrationWarning` says how many there are.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
        coverage : float, optional
            In (0, 1); by default the estimator's.
        sample_weight : array-like of shape (n,), optional
            w(x) of these subjects, on the scale of the weights that calibrated: each
            bound is then found with the subject's own weight among them, as one that
            is not covered. One that weighs so much that nothing reaches the coverage
            gets 0, and one `CalibrationWarning` tells how many do. By default a new
            subject weighs as much as the calibrating ones on average.

        Returns
        -------
        ndarray of shape (n,)

        References
        ----------
        Tibshirani, Barber, Candès and Ramdas. Conformal prediction under covariate
        shift. NeurIPS 2019 (for *sample_weight*).

        Examples
        --------
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(400, censoring=0.2, random_state=0)
        >>> model = ConformalLowerBound(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> bounds = model.predict_lower_bound(data.X, coverage=0.8)
        >>> np.mean(data.true_time >= bounds).round(2)
        np.float64(0.82)
        """
        if coverage is None or coverage == getattr(self, "_found_for", None):
            self._calibrated()
            bound = self.bound_
        else:
            bound = self.bound_at(coverage)
        X = self._check_rows(X)
        levels = self._levels_of(bound, sample_weight, n_rows(X))
        found = []
        for rows, curves in RawModel(self.estimator_).chunks(X):
            own = None if levels is None else levels[rows]
            for part, censoring in self._censoring_of(bound, rows_of(X, rows)):
                found.append(
                    bound.of(curves[part], censoring)
                    if own is None
                    else bound.at(curves[part], censoring, own[part])  # type: ignore[attr-defined]
                )
        times = np.concatenate(found)
        self._warn_of_end(times)
        return times

    def _levels_of(
        self, bound: Bound, sample_weight: ArrayLike | None, n: int
    ) -> Float | None:
        """Return a level for each of n new subjects; None: all have the bound's."""
        if sample_weight is None:
            return None
        self._check_weights()
        weight = as_weights(sample_weight, n, of="X")
        sample = self._calibrated()
        mass = CoveredMass.of(self._method().mass(sample, self._options()), sample)
        new = np.ones(n) if weight is None else weight
        levels = mass.levels_for(bound.coverage, new)
        warn_of_nothing(levels)
        return levels

    def _check_weights(self) -> None:
        if not self._method().takes_weights:
            known = ", ".join(repr(n) for n, m in METHODS.items() if m.takes_weights)
            raise InvalidInput(
                f"method={self.method!r} takes no sample_weight; choose one of: {known}"
            )

    def _check_data(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Data:
        data = check_data(X, y, sample_weight)
        if data[1].weight is not None:
            self._check_weights()
        return data

    def screen(
        self, X: Any, time: float, survival: float = 0.9, fdr: float = 0.1
    ) -> Screening:
        """Flag subjects who survive *time*, with few false discoveries among them.

        A conformal p-value against T ≤ time for each subject, adjusted for their number
        (Benjamini and Hochberg); one less the adjusted value is a lower bound of the
        survival at *time*. Flagged are those whose bound is at least *survival* and
        whose adjusted value is at most *fdr*: on average, at most the smaller of fdr
        and 1 − survival of the flagged do not survive *time*. Asymptotic, if the
        censoring model is right. Subjects such as are rarely seen until *time*, by
        ``least_seen``, are not flagged.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
        time : float
            > 0.
        survival, fdr : float
            In (0, 1).

        Returns
        -------
        Screening

        References
        ----------
        Sesia and Svetnik. Conformal survival bands for risk screening under
        right-censoring. 2025.

        Jin and Candès. Selection by prediction with conformal p-values. JMLR 2023.

        Examples
        --------
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(400, censoring=0.2, random_state=0)
        >>> model = ConformalLowerBound(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> found = model.screen(data.X, time=3.0, survival=0.9)
        >>> chosen = found.selected
        >>> int(chosen.sum()), np.mean(data.true_time[chosen] > 3.0).round(2)
        (284, np.float64(0.92))
        """
        check_params(
            {"time": time, "survival": survival, "fdr": fdr},
            {"time": Between(0, np.inf), "survival": _COVERAGE, "fdr": _COVERAGE},
        )
        sample, X = self._calibrated(), self._check_rows(X)
        if sample.outcome.weight is not None:
            raise InvalidInput(
                "screen takes no weights, and the calibration subjects have some; "
                "calibrate without sample_weight"
            )
        if time > self.follow_up_:
            raise InvalidInput(
                f"time={time:g} lies beyond the follow-up of the calibration subjects, "
                f"{self.follow_up_:g}: nobody was seen for so long; ask for an earlier "
                "one"
            )
        raw = RawModel(self.estimator_)
        curves = SurvivalCurves.concatenate([part for _, part in raw.chunks(X)])
        seen, least = None, self._least_seen()
        if self.censoring_model_ is not None and least is not None:
            chunks = RawModel(self.censoring_model_).chunks(X)
            seen = np.concatenate(
                [part.survival_at([time])[:, 0] >= least for _, part in chunks]
            )
        return screened(sample, curves, float(time), survival, fdr, seen)

    def _least_seen(self) -> float | None:
        if self.least_seen == "auto":
            return float(1 / np.log(max(self.n_conformal_, 3)))
        return None if self.least_seen is None else float(self.least_seen)

    def _check_settings(self) -> None:
        check_params(self.get_params(deep=False), self._rules)
        self._method()

    def _method(self) -> Method:
        return resolve(METHODS, self.method, "method")

    def _check_limit_known(self, limit: Float | None) -> None:
        if self._method().needs_limit and limit is None:
            raise InvalidInput(
                f"method={self.method!r} needs the censoring time of everybody, events "
                "too: give conformalize(X, y, censoring_time=...) with a fitted model, "
                "or choose 'kaplan-meier' or 'dr-cosarc', which do without"
            )

    def _nuisance(self, outcome: Any) -> Nuisance | None:
        """Return the models of censoring, or None where nobody is censored."""
        if outcome.n_events == len(outcome):
            return None
        earlier = getattr(self, "_models", None)
        if earlier is not None and earlier.censoring is not None:
            return Nuisance(*earlier)
        model = self.censoring_model
        if model is None:
            seed = int(make_rng(self.random_state).integers(2**31))
            model = NeighbourForest(random_state=seed)
        return Nuisance(model, self.event_model)

    def _censoring_of(
        self, bound: Bound, X: Any
    ) -> Iterable[tuple[slice, SurvivalCurves | None]]:
        """Yield slices of rows with their curves of censoring, which may be long."""
        if not bound.needs_censoring or self.censoring_model_ is None:
            return [(slice(None), None)]
        return RawModel(self.censoring_model_).chunks(X)

    def _warn_of_end(self, times: Float) -> None:
        late = int(np.count_nonzero(times > self.follow_up_))
        if late:
            warn(
                f"{late} of {len(times)} bounds lie beyond the follow-up of the "
                f"calibration subjects, {self.follow_up_:g}: nobody was seen for so "
                "long, and they are what the model extrapolates"
            )

    def _check_rows(self, X: Any) -> Any:
        X = in_order(as_table(X), getattr(self, "feature_names_in_", None))
        with clear_refusals(X):
            validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def _set_state(
        self, estimator: Any, models: Fitted | None, X: Any, sample: Sample
    ) -> Self:
        if not sample.outcome.n_events:
            raise InvalidInput(
                "no event was observed among the calibration subjects: they tell "
                "nothing of how long anybody survives; calibrate with more, or longer"
            )
        with clear_refusals(X):
            validate_data(self, X, skip_check_array=True)
        self._hold(estimator, models, sample)
        return self._rest_on(self.bound_at(self.coverage))

    def _hold(self, estimator: Any, models: Fitted | None, sample: Sample) -> None:
        self.estimator_ = estimator
        self._models = models
        self.censoring_model_ = None if models is None else models.censoring
        self.event_model_ = None if models is None else models.event
        self.n_conformal_ = len(sample)
        self.follow_up_ = float(sample.outcome.time.max())
        self._sample = sample

    def _rest_on(self, bound: Bound) -> Self:
        self.bound_ = bound
        self._found_for = bound.coverage
        self.weights_: Weights = bound.weights
        return self

    def _calibrated(self) -> Sample:
        if not hasattr(self, "_sample"):
            raise NotConformalizedError(
                "this ConformalLowerBound is not calibrated yet: call fit(X, y), or "
                "conformalize(X, y) with a model that is already fitted"
            )
        return self._sample

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "bound_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # A model unknown to scikit-learn, perhaps inside its wrappers, has none.
        with suppress(AttributeError):
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

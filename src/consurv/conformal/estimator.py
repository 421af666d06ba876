"""ConformalSurvival: any survival model in, calibrated curves out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from consurv._features import clear_refusals
from consurv._frames import frame_of
from consurv._params import (
    AtLeast,
    Between,
    Constraint,
    InstanceOf,
    OneOf,
    check_params,
)
from consurv.adapters import adapter_for
from consurv.conformal.adjustments import Adjustment
from consurv.conformal.censoring.rules import CensoringRule
from consurv.conformal.groups.given import (
    conformal_groups,
    group_sets,
)
from consurv.conformal.groups.making import POOLINGS
from consurv.conformal.keeping.kept import facts_of, fill, state_of
from consurv.conformal.predictions import CalibratedPredictions
from consurv.conformal.reading.columns import given_data, given_validation
from consurv.conformal.reading.curve_rows import CurveRows
from consurv.conformal.reading.elsewhere import given_subjects
from consurv.conformal.reading.inputs import (
    as_table,
    check_enough,
    check_validation,
)
from consurv.conformal.reading.raw_model import RawModel
from consurv.conformal.sets.conformal_sets import set_names
from consurv.conformal.settings import Settings
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.curves.rearrange import REARRANGEMENTS
from consurv.errors import InvalidInput, NotConformalizedError
from consurv.keep import write_archive

__all__ = ["ConformalSurvival"]


class ConformalSurvival(MetaEstimatorMixin, CalibratedPredictions):  # type: ignore[misc]
    """Calibrate the curves of any survival model, by subjects that it did not see.

    What the model says of a conformal set is compared with what happened, and the
    curves of new subjects are adjusted accordingly. There are several kinds of
    adjustment:

    - ``"recalibrated"``, the default: times, contrasts between subjects and widths of
      curves are mapped, then hazards multiplied by ratios that depend on risk, by
      likelihood and only so far as the events tell. It aims at curves that are right
      at every risk, and leaves a model alone that is right; there is no theorem.
    - ``"time"``, the paper's (CSD): percentile times are shifted, level by level, by a
      conformal quantile of their errors. Calibrated on average over subjects, with a
      guarantee, and the order of subjects by median stays that of the model (where no
      row had to be rearranged). One shift for all can do harm at the ends of the risk
      scale.
    - ``"log-time"``: percentile times are multiplied by conformal quantiles of T/q. The
      same guarantee; it mends what is wrong in proportion.
    - ``"level"`` (CiPOT): the raw curve is read at ρ* where ρ is wanted, so a subject
      with a wide curve moves further than one with a narrow curve. The same guarantee,
      no row ever crosses, but the order of subjects may change.

    The guarantee of the last three holds for a conformal set that the model never saw:
    ``"holdout"``, ``"half"``, ``"validation"`` where the model does not stop by it, and
    ``conformalize`` with rows of your own. ``"cross"``, the default, and
    ``"out-of-bag"`` show the model's errors on rows that it did not see, but those of
    models of fewer rows, for which there is no such theorem. ``"train"`` and
    ``"train+validation"`` believe a model that knows its rows by heart.

    ``ConformalSurvival(model, conformal_set="paper")`` is what version 0.1.0 did
    without options.

    Parameters
    ----------
    estimator : object
        A survival model: one of ours (``FromRisk`` and ``FromTorch`` bring models that
        give no curves), of scikit-survival, lifelines, CatBoost or skpro, a Pipeline
        around one, anything with ``predict_survival_function``, or, for
        ``conformalize``, a fitted model (of XGBoost and pycox, too) or a function
        X -> (times, survival).
    percentiles : int or array-like of shape (k,)
        The number k of levels i/(k+1), or the levels themselves, in (0, 1).
    adjustment : {"auto", "recalibrated", "time", "log-time", "level"} or your own
        What is done to the curves, see above; ``register_adjustment`` makes a kind of
        your own known by its name. ``"auto"`` is ``"recalibrated"``, and ``"time"`` if
        you choose ``censoring``, ``n_samples``, ``kaplan_meier`` or ``rearrange``,
        which have no meaning there, or ``conformal_set="paper"``.
    censoring : str or CensoringRule
        What a censored subject contributes to shifts and factors: ``"auto"``,
        ``"kaplan-meier"`` (the paper's), ``"self-consistent"``, ``"local"``,
        ``"margin"``, ``"pseudo-observation"`` or ``"uncensored"``, see
        ``conformal_shifts``; or
        ``FromEstimator(model)``. For levels there are ``"self-consistent"``, which the
        default stands for, and ``"uniform"`` (the paper's), see ``conformal_levels``.
    n_samples : int, optional
        Draws per censored subject for ``"kaplan-meier"``; None is exact.
    kaplan_meier : {"train", "conformal"} or KaplanMeier
        Whose outcomes the curve for censored subjects comes from.
    conformal_set : str
        Which subjects set the adjustment. ``"auto"``: ``"cross"`` up to 20,000 rows,
        ``"holdout"`` above (``"validation"`` if you give 1,000 validation rows or
        more), and ``"out-of-bag"`` for forests of at least 100 trees that have it.

        - ``"cross"``: all rows, each predicted by a model of the other folds; the final
          model is trained on all of them. That is ``n_folds`` + 1 fits.
        - ``"holdout"``: a random fifth, 10,000 rows at most; one fit, to the rest.
        - ``"half"``: a random half; one fit, to the other.
        - ``"out-of-bag"``: all rows, each predicted by the trees of a forest that did
          not draw it; one fit.
        - ``"validation"``: the validation set, given or split off; one fit.
        - ``"train"``, ``"train+validation"``: the rows of the one fit themselves.
        - ``"paper"``, the default of 0.1.0, with ``adjustment="time"`` unless you name
          another: ``"train"`` for models that use no validation set, otherwise
          ``"validation"`` once it holds 1,000 subjects and ``"train+validation"``
          below.
    validation_fraction : float
        Share split off where a validation set is needed and none is given.
    n_folds : int
        Folds of ``"cross"``; fewer where there are fewer subjects or events.
    rearrange : {"exact", "bootstrap", "ceil", "floor"}
        How crossing percentile times are made monotone.
    random_state : int, optional
        Seed of splits and draws.
    n_jobs : int, optional
        Folds to train at the same time, as in joblib; the result is the same (if the
        model's libraries do not round differently with fewer threads).
    verbose : int or bool
        Above 0, show a progress bar over the folds and over predictions of many rows,
        or log lines where rich is not installed.
    time_unit : str, optional
        What times are counted in, such as ``"months"``: it stands on the axes of
        displays and in reports, and is kept with the model.
    group_pooling : {"partial", "none"}
        With ``groups=``, whose subjects set the adjustment of a group. ``"partial"``:
        its own, and those of other groups with a weight that falls from 1 (the pooled
        adjustment) towards 0 the more clearly groups differ. ``"none"``: its own alone
        (Mondrian), for which the guarantee of ``"time"``, ``"log-time"`` and
        ``"level"`` holds within every group.
    unseen_group : {"error", "pooled"}
        What is done with new subjects of a group that no conformal subject belongs to:
        refuse them, or give them the adjustment of all groups together.

    Attributes
    ----------
    estimator_ : object
        The trained model.
    fit_seconds_ : tuple of float
        What each training took, that of the model itself first, then those of the
        folds; only after ``fit``.
    levels_ : ndarray of shape (P,)
    recalibration_ : Recalibration
        Only with ``adjustment="recalibrated"``, the default.
    shifts_ : ndarray of shape (P,)
        Only with ``adjustment="time"``.
    adjusted_levels_ : ndarray of shape (P,)
        Only with ``adjustment="level"``: where the raw curves are read.
    kaplan_meier_ : KaplanMeier
    n_conformal_ : int
        Subjects in the conformal set, whatever they weigh.
    conformal_set_ : str
        The policy in effect; ``"given"`` after ``conformalize``.
    adjustment_ : Adjustment
        All that was found, with what it rests on, level by level.
    groups_ : Groups
        Only with ``groups=``: the adjustment of each group, and how much those of
        others count for it. ``adjustment_`` and its numbers are the pooled ones.
    imputer_ : object
        The fitted model that censored subjects follow; only with ``FromEstimator``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where X has column names.

    References
    ----------
    Qi, Yu and Greiner. Conformalized Survival Distributions: A Generic Post-Process to
    Increase Calibration. ICML 2024.

    Qi, Yu and Greiner. Toward Conditional Distribution Calibration in Survival
    Prediction. NeurIPS 2024 (``adjustment="level"``).

    Examples
    --------
    A model fitted elsewhere, here a function that is twice too optimistic:

    >>> from consurv import Outcome
    >>> rng = np.random.default_rng(0)
    >>> times = np.linspace(0.1, 60, 300)
    >>> def model(X):
    ...     return times, np.exp(-times / (20 * np.exp(X[:, :1])))
    >>> X = rng.normal(scale=0.3, size=(500, 1))
    >>> y = Outcome(time=rng.exponential(10 * np.exp(X[:, 0])), event=np.ones(500))
    >>> calibrated = ConformalSurvival(model).conformalize(X[:400], y[:400])
    >>> calibrated.predict_quantile(X[400:], [0.5]).mean().round(1)
    np.float64(6.8)
    """

    _rules: ClassVar[Mapping[str, Constraint | tuple[Constraint, ...]]] = {
        "percentiles": (AtLeast(1), InstanceOf(list, tuple, np.ndarray)),
        "adjustment": InstanceOf(str),
        "n_samples": (OneOf(None), AtLeast(1)),
        "kaplan_meier": (OneOf("train", "conformal"), InstanceOf(KaplanMeier)),
        "conformal_set": OneOf(*set_names()),
        "validation_fraction": Between(0, 1),
        "n_folds": AtLeast(2),
        "rearrange": OneOf(*REARRANGEMENTS),
        "n_jobs": (OneOf(None, -1), AtLeast(1)),
        "verbose": (OneOf(True, False), AtLeast(0)),
        "time_unit": (OneOf(None), InstanceOf(str)),
        "group_pooling": OneOf(*POOLINGS),
        "unseen_group": OneOf("error", "pooled"),
    }

    def __init__(
        self,
        estimator: Any,
        *,
        percentiles: int | ArrayLike = 19,
        adjustment: str = "auto",
        censoring: str | CensoringRule = "auto",
        n_samples: int | None = None,
        kaplan_meier: Literal["train", "conformal"] | KaplanMeier = "train",
        conformal_set: str = "auto",
        validation_fraction: float = 0.1,
        n_folds: int = 5,
        rearrange: str = "exact",
        random_state: int | None = None,
        n_jobs: int | None = None,
        verbose: int | bool = False,
        time_unit: str | None = None,
        group_pooling: Literal["partial", "none"] = "partial",
        unseen_group: Literal["error", "pooled"] = "error",
    ) -> None:
        self.estimator = estimator
        self.percentiles = percentiles
        self.adjustment = adjustment
        self.censoring = censoring
        self.n_samples = n_samples
        self.kaplan_meier = kaplan_meier
        self.conformal_set = conformal_set
        self.validation_fraction = validation_fraction
        self.n_folds = n_folds
        self.rearrange = rearrange
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.time_unit = time_unit
        self.group_pooling = group_pooling
        self.unseen_group = unseen_group

    def fit(
        self,
        X: Any,
        y: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        *,
        time: Any = None,
        event: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        groups_val: Any = None,
    ) -> Self:
        """Train the model and conformalize it by the policy ``conformal_set``.

        A frozen estimator is not trained: all of *X* is its conformal set.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m)
        y : Outcome or anything that ``Outcome.of`` takes
        X_val, y_val : optional
            A validation set of your own, handed to models that stop early by one.
            No model trains on it, so that most policies count its rows among the
            conformal ones; where the model stops by them, that is a weak reuse.
        time, event : names of columns, optional
            Where the outcomes stand in the table *X* itself (and in *X_val*), in place
            of *y*; all other columns are features. With scikit-learn's metadata
            routing they are asked for by ``set_fit_request``.
        sample_weight : array-like of shape (n,), optional
            How many subjects each row stands for in the adjustment, or the name of
            such a column beside *time* and *event*. The model itself is trained without
            weights, on all rows whose weight is not 0; one that takes weights is to be
            fitted by hand, and conformalized. Rows of *y_val* weigh 1 each, unless it
            is an ``Outcome`` with weights.
        groups : name of a column or array-like of shape (n,), optional
            Each group gets an adjustment of its own, see ``group_pooling``. A column of
            *X* stays a feature, and predictions find it by its name, as they find a
            Series by its own, though it is no feature; labels in an array are to be
            given with every prediction.
        groups_val : array-like of shape (n,), optional
            The labels of *X_val*, where those of *X* are an array.

        Returns
        -------
        self

        Examples
        --------
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(300, censoring=0.2, random_state=0)
        >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> model.n_conformal_, model.conformal_set_
        (300, 'cross')

        From one table that holds the outcomes, too:

        >>> table = data.X.assign(months=data.y["time"], died=data.y["event"])
        >>> again = ConformalSurvival(CoxPH(), random_state=0)
        >>> _ = again.fit(table, time="months", event="died")
        >>> bool((again.predict(data.X) == model.predict(data.X)).all())
        True
        """
        settings = self._settings()
        adapter = adapter_for(self.estimator)
        if adapter.trains(self.estimator) and frame_of(X) is not None:
            raise InvalidInput(
                f"fit trains on rows in memory, and X is a {type(X).__name__}; train "
                "the model on a sample, or by its own library, then call conformalize"
            )
        if not adapter.trains(self.estimator):
            if X_val is not None or y_val is not None:
                raise InvalidInput(
                    "the estimator is frozen and needs no validation set; give its "
                    "conformal set as X and y"
                )
            return self.conformalize(
                X,
                y,
                time=time,
                event=event,
                sample_weight=sample_weight,
                groups=groups,
            )
        data = given_data(X, y, time, event, sample_weight=sample_weight)
        given = given_validation(X_val, y_val, time, event, data[0], sample_weight)
        validation = check_validation(*given, like=data[0])
        check_enough(data[1])
        data, validation, sets = group_sets(
            (data, X, y, groups),
            (validation, X_val, y_val, groups_val),
            self.group_pooling,
            sample_weight,
        )
        settings.group_by(sets)
        trained, policy, seconds = settings.train(adapter, data, validation)
        settings.rule = settings.rule_fitted(trained.training, trained.validation)
        found = settings.make(trained.blocks, trained.training[1], policy)
        self._set_state(trained.estimator, data[0], found, settings.imputer)
        self.fit_seconds_ = seconds
        return self

    def conformalize(
        self,
        X: Any,
        y: Any = None,
        *,
        time: Any = None,
        event: Any = None,
        resolution: float | None = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> Self:
        """Adjust a model that is already fitted by outcomes of your own.

        After ``fit`` it is the trained model that is conformalized anew. The guarantee
        holds if the model never saw these subjects.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, m), or a table that is not in memory
            Names of Parquet files, a pyarrow Dataset, a Dask or Spark DataFrame: see
            ``consurv.distributed``. Then *time* and *event* say where the outcomes
            are.
        y : Outcome or anything that ``Outcome.of`` takes
        time, event : names of columns, optional
            Where the outcomes stand in the table *X* itself, in place of *y*. Features
            are the columns that the model was trained on or, if it does not say, all
            others.
        sample_weight : array-like of shape (n,), optional
            How many subjects each row stands for: as if it were there so often, so
            that k = ⌈ρ(W + 1)⌉ with W the sum. Weights that only say how much rows
            count beside each other (survey weights, inverse probabilities) are first
            to be scaled to what they are worth, such as n/Σw. 0 leaves a row out. Or
            the name of such a column beside *time* and *event*.
        resolution : float, optional
            Move observed times up to multiples of it, such as 1 for whole days. Of a
            table that is not in memory some 100 bytes are held here for each different
            time, so that a resolution is wanted from some 10⁵ of them on.
        groups : name of a column or array-like of shape (n,), optional
            As in ``fit``; a column that the model was not trained on is no feature. Of
            a table that is not in memory it is a column.

        Returns
        -------
        self

        Raises
        ------
        NotConformalizedError
            If the estimator is not fitted.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"dose": np.ones(30), "months": np.arange(1, 31)})
        >>> table["died"] = 1
        >>> def model(X):
        ...     return [20.0], [[0.0]] * len(X)
        >>> post = ConformalSurvival(model)
        >>> post.conformalize(table, time="months", event="died").n_features_in_
        1

        Two sites, of which the second has times that are twice as long:

        >>> site = np.repeat(["a", "b"], 200)
        >>> times = np.tile(np.linspace(0.1, 40, 200), 2) * np.repeat([1, 2], 200)
        >>> X, y = np.zeros((400, 1)), (np.ones(400), times)
        >>> post = ConformalSurvival(model, adjustment="log-time")
        >>> post.conformalize(X, y, groups=site).groups_
        Groups('a': 200 subjects, others weigh ...; 'b': 200 subjects, others weigh ...)
        >>> post.predict_quantile(X[:2], [0.5], groups=["a", "b"]).round()
        array([[20.],
               [40.]])
        """
        positive = {"resolution": (OneOf(None), Between(0, np.inf))}
        check_params({"resolution": resolution}, positive)
        settings = self._settings()
        estimator = getattr(self, "estimator_", self.estimator)
        raw = RawModel(estimator, verbose=bool(self.verbose))
        names = self._trained_names(raw)
        X, mark, sets = conformal_groups(
            X, y, groups, names, self.group_pooling, sample_weight
        )
        settings.group_by(sets)
        column = None if sets is None else sets.column
        subjects = given_subjects(
            X, y, time, event, names, resolution, sample_weight, mark, column
        )
        if not raw.adapter.is_fitted(estimator):
            raise NotConformalizedError(
                f"{type(estimator).__name__} is not fitted: call fit(X, y) to train "
                "and conformalize it, or give conformalize a fitted model"
            )
        raw.adapter.warn_of_fit(estimator)
        settings.rule = settings.rule_fitted(
            None, None, getattr(self, "imputer_", None)
        )
        read = settings.reader(raw)
        with subjects.blocks(
            read, settings.levels, verbose=bool(self.verbose)
        ) as blocks:
            found = settings.make(blocks, None, "given")
        return self._set_state(estimator, subjects.features, found, settings.imputer)

    @classmethod
    def from_curves(
        cls,
        curves: SurvivalCurves,
        y: Any,
        *,
        sample_weight: ArrayLike | None = None,
        groups: Any = None,
        **settings: Any,
    ) -> Self:
        """Return an adjustment for a model of which only curves are at hand.

        Parameters
        ----------
        curves : SurvivalCurves
            What the model said of subjects whom it never saw.
        y : Outcome or anything that ``Outcome.of`` takes
            What happened to them, in the same order.
        sample_weight : array-like of shape (n,), optional
            How many subjects each stands for, as in ``conformalize``.
        groups : array-like of shape (n,), optional
            Their groups, as in ``fit``.
        **settings
            Those of ``ConformalSurvival``.

        Returns
        -------
        ConformalSurvival
            ``calibrate`` takes the model's curves of new subjects.

        Examples
        --------
        >>> from consurv import Outcome
        >>> times = np.linspace(1, 100, 100)
        >>> said = SurvivalCurves(times, [np.exp(-times / 20)] * 200)
        >>> happened = np.random.default_rng(0).exponential(10, 200)
        >>> y = Outcome(time=happened, event=np.ones(200))
        >>> model = ConformalSurvival.from_curves(said, y, adjustment="log-time")
        >>> said[:1].median().round(), model.calibrate(said[:1]).median().round()
        (array([14.]), array([8.]))
        """
        if not isinstance(curves, SurvivalCurves):
            raise InvalidInput(
                f"curves is a {type(curves).__name__}; give SurvivalCurves(times, "
                "survival), or what read_curves reads from a file"
            )
        rows = CurveRows(curves)
        model = cls(rows, **settings)
        return model.conformalize(
            rows.numbers(0), y, sample_weight=sample_weight, groups=groups
        )

    def restore(
        self, adjustment: Adjustment, X: Any = None, *, conformal_set: str = "restored"
    ) -> Self:
        """Take over a saved adjustment for a model that is already fitted.

        Parameters
        ----------
        adjustment : Adjustment
            As ``load_adjustment`` reads it.
        X : optional
            Some rows of features, to check the features of later predictions against.
        conformal_set : str
            What ``conformal_set_`` is to say.

        Returns
        -------
        self

        Examples
        --------
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(300, censoring=0.2, random_state=0)
        >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> again = ConformalSurvival(model.estimator_).restore(model.adjustment_)
        >>> bool((again.predict(data.X) == model.predict(data.X)).all())
        True
        """
        if not isinstance(adjustment, Adjustment):
            raise InvalidInput(
                f"adjustment is a {type(adjustment).__name__}, not an Adjustment; give "
                "model.adjustment_ or what load_adjustment reads"
            )
        X = None if X is None else as_table(X)
        estimator = getattr(self, "estimator_", self.estimator)
        if not adapter_for(estimator).is_fitted(estimator):
            raise NotConformalizedError(
                f"{type(estimator).__name__} is not fitted: an adjustment belongs to "
                "the fitted model that it was made for"
            )
        self.set_params(adjustment=adjustment.kind, rearrange=adjustment.rearrange)
        restored = replace(adjustment, conformal_set=conformal_set)
        return self._set_state(estimator, X, restored)

    def save(self, path: str | os.PathLike[str], *, trust: bool = False) -> None:
        """Write the calibrated model to one file, which ``consurv.load`` reads.

        The file is data with a checksum: our models as their numbers, those of
        scikit-learn and scikit-survival by skops, lifelines as its numbers, boosters
        in their own formats, layers of torch with their weights by safetensors.

        Parameters
        ----------
        path : path-like
            Such as ``"m.consurv"``; a file that is there is replaced.
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
        >>> from consurv import load
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(300, censoring=0.2, random_state=0)
        >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "m.consurv")
        ...     model.save(path)
        ...     again = load(path)
        >>> bool((again.predict(data.X) == model.predict(data.X)).all())
        True
        """
        self._check_conformalized()
        write_archive(path, self, facts_of(self), trust=trust)

    def to_kept(self) -> dict[str, Any]:
        """Return what the model is made of, for a file."""
        return state_of(self)

    @classmethod
    def from_kept(cls, state: Mapping[str, Any]) -> Self:
        """Return the model that ``to_kept`` told of."""
        model: Self = fill(cls, state)
        return model

    def _settings(self) -> Settings:
        check_params(self.get_params(deep=False), self._rules)
        return Settings(self)

    def _trained_names(self, raw: RawModel) -> list[Any] | None:
        """Return the columns that the model was trained on, if it says."""
        if hasattr(self, "estimator_"):
            names = getattr(self, "feature_names_in_", None)
            return None if names is None else list(names)
        if not raw.adapter.is_fitted(raw.estimator):
            return None
        return raw.adapter.feature_names(raw.estimator)

    def _set_state(
        self, estimator: Any, X: Any, adjustment: Adjustment, imputer: Any = None
    ) -> Self:
        if X is not None:
            with clear_refusals(X):
                validate_data(self, X, skip_check_array=True)
        for name in self.__dict__.pop("_shown", ()):  # an earlier fit's
            self.__dict__.pop(name, None)
        shown = adjustment.attributes()
        if adjustment.groups is not None:
            shown["groups_"] = adjustment.groups
        if imputer is not None:
            shown["imputer_"] = imputer
        self.__dict__.update(shown)
        self._shown = tuple(shown)
        self.estimator_ = estimator
        self.levels_ = adjustment.levels
        self.kaplan_meier_ = adjustment.kaplan_meier
        self.n_conformal_ = adjustment.n_conformal
        self.conformal_set_ = adjustment.conformal_set
        self._adjustment = adjustment
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_adjustment")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # A model unknown to scikit-learn, perhaps inside its wrappers, has none.
        with suppress(AttributeError):
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

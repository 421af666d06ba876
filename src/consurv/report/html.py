"""The report: one HTML file that needs nothing else."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import check_same_length
from consurv._files import write_atomically
from consurv._labels import Labels
from consurv.adapters.adapter import n_rows
from consurv.conformal.estimator import ConformalSurvival
from consurv.conformal.groups.given import new_rows
from consurv.conformal.reading.inputs import as_table
from consurv.conformal.reading.raw_model import rows_of
from consurv.curves.curves import SurvivalCurves
from consurv.errors import CalibrationWarning, InvalidInput, MissingDependency
from consurv.metrics import group_calibration, risk_calibration
from consurv.outcome import Outcome
from consurv.report.bootstrap import Comparison, compare
from consurv.report.cautions import Caution, cautions
from consurv.report.censoring import about_censoring
from consurv.report.facts import (
    about_data,
    about_model,
    about_rows,
    model_title,
    versions,
)
from consurv.report.figures import draw_figures
from consurv.report.metric_rows import metric_rows
from consurv.report.predictions import predict_both
from consurv.report.risk_groups import risk_groups
from consurv.report.verdict import Both, Verdict, verdict

__all__ = ["Report", "check_libraries", "report_on", "write_report"]


_TONES = {
    "calibrated already": "good",
    "calibrated now": "good",
    "unchanged": "bad",
    "worse": "bad",
}


def write_report(
    model: ConformalSurvival,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    y_train: Any = None,
    title: str | None = None,
    n_bootstrap: int = 200,
    random_state: int | None = 0,
    groups: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Path:
    """Write a report on a conformalized model, before and after, as one HTML file.

    It says what was done, what the outcomes hold, what the five metrics of the paper
    and calibration by risk are with bootstrap intervals, shows plots, gives a verdict
    in plain words and lists what to be wary of. The file needs no network, and it
    appears only when it is whole.

    Parameters
    ----------
    model : ConformalSurvival
        Fitted, or conformalized. Its ``time_unit`` stands on the axes.
    X : array-like or DataFrame of shape (n, m)
        Subjects that neither the model nor the conformal set has seen.
    y : structured array, DataFrame, pair (event, time) or Outcome
        Their outcomes, with at least one event.
    path : path
        Where to write; an older file is replaced.
    y_train : outcomes in any form or KaplanMeier, optional
        The training outcomes, for the weights of the Brier score and the
        pseudo-observations of MAE-PO; by default the model's ``kaplan_meier_``.
    title : str, optional
        By default the name of the model.
    n_bootstrap : int
        Replicates for the intervals, at least 20; see
        :func:`~consurv.report.bootstrap.compare`.
    random_state : int, optional
        Seed of the replicates; with the same one the file is the same.
    groups : array-like of shape (n,) or name of a column of *X*, optional
        A table then tells how each group fares, and the verdict names one that became
        clearly worse. By default the column that the model was conformalized by.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, in all numbers; 0 leaves one out. The report
        tells the effective sample size.

    Returns
    -------
    Path
        Where the report is.

    Raises
    ------
    MissingDependency
        If jinja2 or matplotlib is not installed.
    InvalidInput
        If the model is none of ours, the folder does not exist, or a metric cannot be
        computed.

    Examples
    --------
    >>> import tempfile
    >>> rng = np.random.default_rng(0)
    >>> t = np.linspace(0.5, 60, 100)
    >>> def model(X):
    ...     return t, np.exp(-t / 20) ** np.ones((len(X), 1))
    >>> X, y = np.zeros((300, 1)), Outcome(rng.exponential(10, 300), np.ones(300))
    >>> fitted = ConformalSurvival(model).conformalize(X[:200], y[:200])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(
    ...         fitted, X[200:], y[200:], f"{folder}/report.html", n_bootstrap=20
    ...     )
    ...     "The raw curves were off; they are calibrated now" in path.read_text()
    True
    """
    return report_on(
        model,
        X,
        y,
        path,
        y_train=y_train,
        title=title,
        n_bootstrap=n_bootstrap,
        random_state=random_state,
        groups=groups,
        sample_weight=sample_weight,
    ).path


@dataclass(frozen=True)
class Report:
    """A report that was written: where it is and what it says.

    Attributes
    ----------
    path : Path
    verdict : Verdict
    comparison : Comparison
    """

    path: Path
    verdict: Verdict
    comparison: Comparison


def report_on(
    model: ConformalSurvival,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    y_train: Any,
    title: str | None,
    n_bootstrap: int,
    random_state: int | None,
    groups: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Report:
    """Do what :func:`write_report` does, and return what the report says too."""
    target = Path(path)
    _check_target(target)
    check_libraries()
    everybody = Outcome.of(y).weighted(sample_weight)
    X, labels = _rows(model, X, everybody, groups)
    outcome = everybody.counting
    predictions = predict_both(model, X, outcome, _known(model, labels))
    raw, calibrated = predictions.raw, predictions.calibrated
    with warnings.catch_warnings(record=True) as caught:
        # The report says them instead.
        warnings.simplefilter("always", CalibrationWarning)
        comparison = compare(
            outcome,
            raw,
            calibrated,
            y_train=model.kaplan_meier_ if y_train is None else y_train,
            tau=_tau(outcome, raw, calibrated),
            n_bootstrap=n_bootstrap,
            random_state=random_state,
        )
        figures = draw_figures(
            outcome, raw, calibrated, comparison, model.adjustment_, model.time_unit
        )
        by_group = _by_group(outcome, raw, calibrated, labels)
        overall = (
            risk_calibration(outcome, raw, n_groups=1),
            risk_calibration(outcome, calibrated, n_groups=1),
        )
    numbers = _numbers(comparison, outcome, by_group, overall)
    text = _template().render(
        title=title or model_title(model.estimator_),
        cautions=[
            *cautions(model, outcome, predictions),
            *about_censoring(as_table(X), outcome, raw),
            *_from_metrics(caught),
        ],
        figures=figures,
        training=_whose(model, y_train),
        **numbers,
        about_model=about_model(model),
        about_data=about_data(outcome, model.time_unit),
        time_unit=model.time_unit,
        about_rows=about_rows(predictions),
        versions=versions(),
    )
    write_atomically(target, text)
    return Report(target, numbers["verdict"], comparison)


def _rows(
    model: ConformalSurvival, X: Any, y: Outcome, groups: Any
) -> tuple[Any, Labels | None]:
    """Return features and, if there are any, groups of those who count."""
    if not isinstance(model, ConformalSurvival):
        return X, None  # which is refused
    names = getattr(model, "feature_names_in_", None)
    X, labels = new_rows(X, groups, model.adjustment_.groups, names)
    if y.counted is None:
        return X, labels
    X = as_table(X)
    check_same_length(X=n_rows(X), y=len(y))
    kept = np.flatnonzero(y.counted)
    return rows_of(X, kept), None if labels is None else labels[kept]


def _known(model: ConformalSurvival, labels: Labels | None) -> Labels | None:
    """Return the groups that the model predicts by, if it does."""
    return None if labels is None or model.adjustment_.groups is None else labels


def _by_group(
    y: Outcome, raw: SurvivalCurves, calibrated: SurvivalCurves, labels: Labels | None
) -> Both | None:
    if labels is None:
        return None
    before, after = (
        group_calibration(y, curves, groups=labels) for curves in (raw, calibrated)
    )
    return before, after


def _numbers(
    comparison: Comparison, y: Outcome, by_group: Both | None, overall: Both
) -> dict[str, Any]:
    """Return the metrics and the verdict on them."""
    tests = comparison.raw.d_calibration, comparison.calibrated.d_calibration
    by_risk = comparison.raw.risk_calibration, comparison.calibrated.risk_calibration
    found = verdict(
        *tests,
        d_cal_change=comparison.estimates["d_calibration"][2],
        c_index_change=comparison.estimates["c_index"][2],
        n_events=y.n_events,
        by_risk=by_risk,
        by_group=by_group,
        overall=overall,
        risk_cal_change=comparison.estimates["risk_calibration"][2],
    )
    return {
        "n": len(y),
        "comparison": comparison,
        "metrics": metric_rows(comparison),
        "tests": tests,
        "by_risk": by_risk,
        "risk_groups": risk_groups(*by_risk),
        "by_group": by_group,
        "groups": [] if by_group is None else risk_groups(*by_group),
        "verdict": found,
        "tone": _TONES.get(found.kind, "warn"),
    }


def _tau(y: Outcome, *both: SurvivalCurves) -> float | None:
    """Return a bound of times for MAE-PO where medians are infinite."""
    endless = any(np.isinf(curves.median()).any() for curves in both)
    return float(y.time.max()) if endless else None


def _whose(model: ConformalSurvival, y_train: Any) -> str:
    """Say whose outcomes stand in for times that were not observed."""
    if y_train is not None:
        return "the given training outcomes"
    fitted = model.conformal_set_ not in ("given", "restored")
    from_training = fitted and model.kaplan_meier == "train"
    return f"the outcomes of the {'training' if from_training else 'conformal'} set"


def _from_metrics(caught: list[warnings.WarningMessage]) -> list[Caution]:
    """Return what metrics and plots had to say, each once."""
    texts = [str(w.message) for w in caught if w.category is CalibrationWarning]
    return [
        Caution("From the metrics", text[:1].upper() + text[1:] + ".")
        for text in dict.fromkeys(texts)
    ]


def check_libraries() -> None:
    """Say which library is missing for a report, before work begins."""
    for library in ("jinja2", "matplotlib"):
        try:
            import_module(library)
        except ImportError as error:
            raise MissingDependency(library, "report") from error


def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    folder = resources.files("consurv.report") / "templates"
    source = (folder / "report.html.j2").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.from_string(source)


def _check_target(path: Path) -> None:
    """Refuse a path that cannot be written, before work begins."""
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise InvalidInput(f"the folder {path.parent} does not exist; create it first")

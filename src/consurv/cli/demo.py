"""``consurv demo``: raw against calibrated curves on real data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from sklearn.pipeline import make_pipeline

from consurv._checks import Float, Index
from consurv.cli.comparison import Comparison, print_comparisons
from consurv.cli.console import Steps, notes, print_note, stdout
from consurv.cli.report import print_place
from consurv.cli.scores import Scores, ScoresInParts
from consurv.cli.writing import check_place, is_report
from consurv.conformal import ConformalSurvival
from consurv.conformal.sets.conformal_sets import set_names
from consurv.curves import SurvivalCurves
from consurv.datasets import Dataset, TableEncoder, dataset_names, load_dataset
from consurv.errors import MissingDependency
from consurv.models import make_model, model_name, model_names
from consurv.outcome import Outcome
from consurv.report import write_report
from consurv.splits import split

__all__ = ["demo"]

_TEST_FRACTION = 0.3


def demo(
    dataset: Annotated[
        str, typer.Option(help=f"One of: {', '.join(dataset_names())}.")
    ] = "GBSG",
    model: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One of: {', '.join(model_names())}; may be given repeatedly. By "
            "default a Cox model and boosted trees that were trained too long."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first split.")] = 0,
    repeats: Annotated[
        int, typer.Option(min=1, max=100, help="Number of random splits.")
    ] = 5,
    conformal_set: Annotated[
        str,
        typer.Option(
            help=f"Subjects that set the adjustment: {', '.join(set_names())}."
        ),
    ] = "auto",
    report: Annotated[
        Path,
        typer.Option(
            help="Report on the last model and the first split; an older report is "
            "replaced."
        ),
    ] = Path("consurv-demo.html"),
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no report.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is no report.")
    ] = False,
) -> None:
    """Train models on real data; compare raw and calibrated curves."""
    if not no_report:
        check_place(report, inputs=[], force=force or is_report(report))
    makers = {model_name(m): _maker(m) for m in model or ()} or _DEFAULT_MODELS
    comparisons = [Comparison(name) for name in makers]
    with notes(), Steps() as steps:
        with steps.step(f"Loading {dataset}"):
            data = load_dataset(dataset)
        for comparison, make in zip(comparisons, makers.values(), strict=True):
            runs = []
            with steps.step(comparison.name, total=repeats) as advance:
                for repeat in range(seed, seed + repeats):
                    run = _run(comparison, data, make(repeat), conformal_set, repeat)
                    runs.append(run)
                    advance(1)
        with steps.step("Reporting"):
            title = f"{comparisons[-1].name} on {data.name}"
            written = not no_report and _write_report(runs[0], data, report, title)
    stdout().print(
        f"\n[bold]{data.name}[/]: {len(data):,} subjects, {data.censored:.1%} censored."
        f" {1 - _TEST_FRACTION:.0%} train and conformalize, {_TEST_FRACTION:.0%} test;"
        f" mean of {repeats} random splits.\n"
    )
    print_comparisons(comparisons)
    if makers is _DEFAULT_MODELS:
        stdout().print(_ABOUT_THE_MODELS)
    if written:
        print_place(report)


@dataclass(frozen=True)
class _Run:
    """A model trained on one split, and the rows of the split."""

    model: ConformalSurvival
    train: Index
    test: Index


def _run(
    comparison: Comparison, data: Dataset, model: Any, conformal_set: str, seed: int
) -> _Run:
    """Train on one split and add its scores to the comparison."""
    y = data.outcome
    train, test = split(y, _TEST_FRACTION, seed)
    calibrated = ConformalSurvival(
        make_pipeline(TableEncoder(), model),
        conformal_set=conformal_set,
        random_state=seed,
    ).fit(data.X.iloc[train], y[train])
    raw, adjusted = calibrated.predict_both(data.X.iloc[test])
    risk = -raw.median()  # both are compared in the same groups
    before, after = (_scores(y[test], curves, risk) for curves in (raw, adjusted))
    comparison.add(before, after, adjusted.n_rearranged)
    return _Run(calibrated, train, test)


def _write_report(run: _Run, data: Dataset, path: Path, title: str) -> bool:
    """Write a report if that can be done; the demo does without it."""
    X, y = data.X.iloc[run.test], data.outcome
    try:
        write_report(run.model, X, y[run.test], path, y_train=y[run.train], title=title)
    except MissingDependency as error:
        print_note(f"no report is written: {error}")
        return False
    return True


def _scores(y: Outcome, curves: SurvivalCurves, risk: Float) -> Scores:
    parts = ScoresInParts(y)
    parts.add(curves, y)
    return parts.scores(risk)


def _maker(name: str) -> Callable[[int], Any]:
    return lambda seed: make_model(name, seed)


def _overtrained_trees(seed: int) -> Any:
    """Return boosting that learns its training rows by heart: sure and wrong."""
    try:
        from sksurv.ensemble import GradientBoostingSurvivalAnalysis
    except ImportError as error:
        raise MissingDependency("scikit-survival", "models") from error
    return GradientBoostingSurvivalAnalysis(
        learning_rate=0.3,
        max_depth=6,
        max_features="sqrt",
        random_state=seed,
    )


# Said to every user, because two chosen models are no evidence of a typical benefit.
_ABOUT_THE_MODELS = (
    "The trees were chosen to show a repair, among about 15 models tried on such "
    "splits; they do not stand for what a model gains on average."
)

_DEFAULT_MODELS: dict[str, Callable[[int], Any]] = {
    "coxph": _maker("coxph"),
    "overtrained boosted trees": _overtrained_trees,
}

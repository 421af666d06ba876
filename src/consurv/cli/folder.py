"""``consurv calibrate`` and ``predict`` into a folder, which a second start fills."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from consurv._versions import __version__
from consurv.cli.columns import Columns
from consurv.cli.console import Steps, notes
from consurv.cli.reading import read_training
from consurv.cli.streaming import Parts, stream, told
from consurv.cli.training import conformal_model, train_model
from consurv.conformal import ConformalSurvival, load
from consurv.errors import InvalidInput, MissingDependency
from consurv.keep import check_libraries

__all__ = ["Run", "check_no_table", "fill_folder", "predict_folder"]

# The model is kept beside the parts, so that a second start need not train again.
MODEL = "model.consurv"


@dataclass(frozen=True)
class Run:
    """What a calibrated model is made from."""

    train: Path
    model: str
    how: dict[str, Any]
    columns: Columns

    def facts(self) -> dict[str, Any]:
        """Return what two runs must have in common to be the same."""
        names = {"model": self.model, "columns": asdict(self.columns)}
        return {**_file(self.train), **names, "settings": self.how}

    def trained(self, steps: Steps) -> ConformalSurvival:
        """Return the model, trained and conformalized."""
        estimator = conformal_model(self.model, **self.how)
        with steps.step("Reading"):
            X, y, groups = read_training(self.train, self.columns)
        with steps.follow("Training, conformalizing"):
            train_model(estimator, X, y, self.model, groups)
        return estimator


def fill_folder(
    run: Run, parts: Parts, save: Path | None, force: bool, quiet: bool
) -> None:
    """Train once, predict file after file; what is there already stays."""
    conformal_model(run.model, **run.how)  # refuses settings before anything is written
    with notes(), Steps(quiet) as steps:
        facts = run.facts()
        parts.begin(facts, force)
        kept = parts.out / MODEL
        if force:
            kept.unlink(missing_ok=True)
        if kept.exists():
            model = load(kept, trust=False)
        else:
            model = run.trained(steps)
            if _can_keep():
                model.save(kept)
        if save is not None:
            model.save(save)
        n = stream(model, parts, steps)
    if not quiet:
        told(parts, n)


def predict_folder(
    model: Path, parts: Parts, *, trust: bool, force: bool, quiet: bool
) -> None:
    """Predict file after file by a model that was saved."""
    with notes(), Steps(quiet) as steps:
        loaded = load(model, trust=trust)
        if not hasattr(loaded, "feature_names_in_"):
            raise InvalidInput(
                f"the model in {model} does not know the names of its features, by "
                "which the columns of a folder of files are taken"
            )
        parts.begin(_file(model), force)
        n = stream(loaded, parts, steps)
    if not quiet:
        told(parts, n)


def check_no_table(percentiles_out: Path | None) -> None:
    """Refuse a file beside a folder that holds the same."""
    if percentiles_out is not None:
        raise InvalidInput(
            "--out is a folder, whose parts hold the percentile times; leave "
            "--percentiles-out away"
        )


def _file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InvalidInput(f"{path} does not exist")
    facts = path.stat()
    return {
        "consurv": __version__,
        "file": str(path.resolve()),
        "size": facts.st_size,
        "changed": facts.st_mtime_ns,
    }


def _can_keep() -> bool:
    try:
        check_libraries()
    except MissingDependency:
        return False
    return True

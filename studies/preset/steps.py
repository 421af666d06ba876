"""The steps from our defaults to the preset, each in a results folder of its own."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studies.config import StudyConfig
from studies.preset.causes import PAPER
from studies.records import read_records
from studies.results import Results
from studies.runner import Observer, run

__all__ = ["STEPS", "Step", "in_common", "load_step", "run_steps"]

_STUDY = "main"


@dataclass(frozen=True)
class Step:
    """One way to run the study main.

    Attributes
    ----------
    name : str
        Of its folder.
    label : str
        In tables.
    changes : dict
        What is not our default.
    models : tuple of str or None
        The models that it concerns; of the others the default's records hold.
    fits : str or None
        The step whose stored fits are the same.
    """

    name: str
    label: str
    changes: dict[str, Any] = field(default_factory=dict)
    models: tuple[str, ...] | None = None
    fits: str | None = None


STEPS = (
    Step("default", "our training, tails, splits and metrics"),
    Step("training", "their training", {"training": "paper"}),
    Step("tails", "their tails", {"tails": "line"}, ("weibull-aft",), "default"),
    Step("splits", "splits balanced in time (0.1.0)", {"stratify": "event+time"}),
    Step("rows", "their rows", {"stratify": "paper"}),
    Step("conformal", "their conformal step", {"conformal": "paper"}, None, "default"),
    Step("metrics", "their metrics", {"metrics": "paper"}, None, "default"),
    Step("paper", "preset paper: all of theirs", dict(PAPER)),
)


def run_steps(
    folder: Path,
    *,
    datasets: Sequence[str] | None = None,
    seeds: int = 10,
    jobs: int = 1,
    names: Sequence[str] | None = None,
    observer: Observer | None = None,
) -> None:
    """Run the steps; what is stored is left alone.

    Parameters
    ----------
    folder : Path
        Gets a results folder for each step.
    datasets : sequence of str, optional
        By default the public ones that are here.
    seeds, jobs : int
    names : sequence of str, optional
        The steps to run; by default all.
    observer : Observer, optional
    """
    for step in STEPS:
        if names is not None and step.name not in names:
            continue
        config = StudyConfig(
            _STUDY, datasets, step.models, **{**step.changes, "seeds": seeds}
        )
        own = folder / step.name
        if step.fits and (folder / step.fits / "fits").is_dir():
            fits = folder / step.fits / "fits"
            (own / "records").mkdir(parents=True, exist_ok=True)
            shutil.copytree(fits, own / "fits", dirs_exist_ok=True)
        run(config, own, jobs=jobs, observer=observer)


def load_step(folder: Path, step: Step) -> Results:
    """Return the records of a step, those of models it does not concern included.

    Parameters
    ----------
    folder : Path
        The folder of all steps.
    step : Step
    """
    records = read_records(folder / step.name).records
    if step.models is not None:
        concerned = {*step.models}
        others = read_records(folder / STEPS[0].name).records
        records = [r for r in records if r["model"] in concerned]
        records += [r for r in others if r["model"] not in concerned]
    return Results(records)


def in_common(results: Sequence[Results]) -> list[Results]:
    """Return the same with those cells and seeds alone that all of them have.

    Two runs of a cell differ less by their causes than by the splits of their seeds.
    """
    shared = set.intersection(*({_cell(r) for r in part.records} for part in results))
    return [Results(r for r in part.records if _cell(r) in shared) for part in results]


def _cell(record: Mapping[str, Any]) -> tuple[str, str, int]:
    return record["dataset"], record["model"], record["seed"]

"""What verbs on the user's own tables share: options, the model and its training."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from sklearn.pipeline import make_pipeline

from consurv.conformal import ConformalSurvival
from consurv.conformal.adjustments import ADJUSTMENTS, AUTO, choose_kind
from consurv.conformal.sets.conformal_sets import set_names
from consurv.datasets import TableEncoder
from consurv.errors import ConsurvError, InvalidInput
from consurv.models import make_model, model_names
from consurv.outcome import Outcome

__all__ = [
    "AdjustmentOption",
    "CensoringOption",
    "ConformalSetOption",
    "DropOption",
    "EventOption",
    "ForceOption",
    "GroupsOption",
    "IdOption",
    "ModelOption",
    "PercentilesOption",
    "QuietOption",
    "SeedOption",
    "TimeOption",
    "TimeUnitOption",
    "TrainArgument",
    "UnseenGroupOption",
    "WeightOption",
    "checked_unseen",
    "conformal_model",
    "train_model",
]

TrainArgument = Annotated[
    Path, typer.Argument(help="Subjects with outcomes: .csv, .csv.gz or .parquet.")
]
TimeOption = Annotated[str, typer.Option(help="Column with the observed times, > 0.")]
EventOption = Annotated[str, typer.Option(help="Column with 1 = event, 0 = censored.")]
TimeUnitOption = Annotated[
    str | None,
    typer.Option(help="What times are counted in, such as months: for axes."),
]
ModelOption = Annotated[str, typer.Option(help=f"One of: {', '.join(model_names())}.")]
PercentilesOption = Annotated[
    int, typer.Option(min=1, max=999, help="Number of percentile levels.")
]
ConformalSetOption = Annotated[
    str,
    typer.Option(help=f"Subjects that set the adjustment: {', '.join(set_names())}."),
]
AdjustmentOption = Annotated[
    str,
    typer.Option(
        help="What is adjusted: "
        + "; ".join(f"{name}, {kind.method}" for name, kind in ADJUSTMENTS.items())
        + ". auto is recalibrated, or time if --censoring is given."
    ),
]
CensoringOption = Annotated[
    str,
    typer.Option(
        help="What censored subjects contribute: auto, kaplan-meier (the paper's), "
        "local, self-consistent, margin, pseudo-observation or uncensored. With "
        "--adjustment level: auto, which is self-consistent there, or uniform."
    ),
]
GroupsOption = Annotated[
    str | None,
    typer.Option(
        "--groups",
        "--group",
        help="Column of groups, such as sites: each gets an adjustment of its own, as "
        "far as the data tell it from that of all. It stays a feature, unless --drop "
        "names it, too.",
    ),
]
WeightOption = Annotated[
    str | None,
    typer.Option(
        help="Column that says how many subjects each row stands for in the adjustment "
        "and in scores, 0 for none. It is no feature; the model is trained without."
    ),
]
UnseenGroupOption = Annotated[
    str,
    typer.Option(
        help="New subjects of a group that training lacks: error, or pooled, which "
        "gives them the adjustment of all."
    ),
]
IdOption = Annotated[
    str | None,
    typer.Option(
        "--id",
        help="Column that names the subjects; not a feature. It goes into "
        "the results unchanged.",
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option(help="Column that is not a feature; may be given repeatedly."),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of splits and models.")]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite results that exist.")
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no summary.")
]


def conformal_model(
    name: str,
    *,
    percentiles: int,
    adjustment: str,
    conformal_set: str,
    censoring: str,
    seed: int,
    time_unit: str | None = None,
    unseen_group: str = "error",
) -> ConformalSurvival:
    """Return an untrained model for tables, by its name."""
    _check_together(adjustment, censoring)
    return ConformalSurvival(
        make_pipeline(TableEncoder(), make_model(name, seed)),
        percentiles=percentiles,
        adjustment=adjustment,
        conformal_set=conformal_set,
        censoring=censoring,
        random_state=seed,
        time_unit=time_unit,
        unseen_group=checked_unseen(unseen_group),
    )


def checked_unseen(unseen_group: str) -> Literal["error", "pooled"]:
    """Return what is to become of new groups, or refuse."""
    if unseen_group not in ("error", "pooled"):
        raise InvalidInput(
            f"--unseen-group {unseen_group} is unknown; choose error or pooled"
        )
    return "pooled" if unseen_group == "pooled" else "error"


def train_model(
    estimator: ConformalSurvival,
    X: Any,
    y: Outcome,
    name: str,
    groups: Any = None,
) -> None:
    """Train and conformalize on the training table; say it plainly if that fails."""
    try:
        estimator.fit(X, y, groups=groups)
    except ConsurvError:
        raise
    except (ValueError, ArithmeticError) as error:  # as foreign models fail
        first_line = next(iter(str(error).strip().splitlines()), "")
        raise ConsurvError(
            f"{name} could not be trained on this table; another --model may do. It "
            f"said: {type(error).__name__}: {first_line}"
        ) from error


def _check_together(adjustment: str, censoring: str) -> None:
    """Refuse a rule of the other kind before tables are read.

    Names that neither kind knows are left to the model, which lists all.
    """
    rules = {name: kind.rule_names for name, kind in ADJUSTMENTS.items()}
    if adjustment.lower() == AUTO:
        adjustment = choose_kind(AUTO, {"censoring": censoring.lower()}).kind
    own = rules.get(adjustment.lower(), ())
    other = [name for name, names in rules.items() if censoring.lower() in names]
    if own and censoring.lower() not in own and other:
        raise InvalidInput(
            f"--censoring {censoring} goes with --adjustment {other[0]}; with "
            f"--adjustment {adjustment} choose one of: {', '.join(own)}"
        )

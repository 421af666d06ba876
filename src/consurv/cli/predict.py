"""``consurv predict``: calibrated curves from a model that was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from consurv.cli.console import Steps, notes, stdout
from consurv.cli.folder import check_no_table, predict_folder
from consurv.cli.outputs import check_outputs, warn_of_formulas, write_predictions
from consurv.cli.predicting import N_TIMES, Predictor, wanted_columns
from consurv.cli.reading import labels_of
from consurv.cli.streaming import Parts, is_folder
from consurv.cli.training import ForceOption, IdOption, QuietOption
from consurv.cli.writing import beside
from consurv.conformal import ConformalSurvival, load
from consurv.datasets import read_table
from consurv.datasets.table import pick_columns

__all__ = ["ModelFile", "TrustOption", "predict"]

ModelFile = Annotated[
    Path, typer.Argument(help="A model that was saved, such as m.consurv.")
]
TrustOption = Annotated[
    bool,
    typer.Option("--trust", help="Read pickles in it, which can run any code."),
]


def predict(
    model: ModelFile,
    new: Annotated[
        Path,
        typer.Argument(
            help="Subjects to predict, with the model's features; with a folder as "
            "--out a pattern such as 'new/*.parquet', too."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help=f"Curves: survival of each subject at {N_TIMES} times up to the end "
            "of follow-up. .csv or .parquet. Or a folder: a part with percentile times "
            "for each Parquet file."
        ),
    ],
    percentiles_out: Annotated[
        Path | None,
        typer.Option(help="Percentile times; by default NAME.percentiles.SUFFIX."),
    ] = None,
    id_column: IdOption = None,
    trust: TrustOption = False,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write calibrated curves of new subjects by a saved model."""
    if is_folder(out):
        check_no_table(percentiles_out)
        parts = Parts.of(new, out, id_column)
        predict_folder(model, parts, trust=trust, force=force, quiet=quiet)
        return
    outputs = (out, percentiles_out or beside(out, "percentiles"))
    check_outputs(outputs, inputs=[model, new], force=force)
    with notes(), Steps(quiet) as steps:
        with steps.step("Reading"):
            estimator = load(model, trust=trust)
            frame = read_table(new, text=id_column)
            labels = labels_of(frame, id_column, new.name)
            warn_of_formulas(labels, outputs)
            X = _features(estimator, frame, new.name)
            if id_column in X:  # a feature, too, which is no text
                X = _features(estimator, read_table(new), new.name)
        predictor = Predictor(estimator, X, labels)
        with steps.step("Predicting, writing", total=len(X)) as advance:
            for n_done in write_predictions(predictor, outputs):
                advance(n_done)
    if not quiet:
        for path in outputs:
            stdout().print(Text(str(path)), soft_wrap=True)


def _features(model: ConformalSurvival, frame: Any, source: str) -> Any:
    """Return the columns that the model knows; without names, all of them."""
    names = wanted_columns(model)
    return frame if names is None else pick_columns(frame, names, source)

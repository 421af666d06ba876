"""The command line: one line of error or results, and no file of anybody's replaced."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from consurv.cli.app import app
from consurv.errors import ConsurvError
from tests.fuzz.oracle import Fate, judge
from tests.fuzz.registry import Draw, target
from tests.fuzz.targets.estimator import FRAME, Y
from tests.fuzz.targets.tables import csv_files

TRAIN = FRAME.assign(time=Y.time, event=Y.event.astype(int))
WORDS = ["", "time", "event", "age", "Time", "../x", "-1", "\u00e9", "a,b", "=1"]


class Refused(ConsurvError):  # noqa: N818  (reads as a sentence)
    """The command ended with one line of error."""


def run(*arguments: str) -> Result:
    """Run the command; what is no error in one line is raised."""
    result = CliRunner().invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code == 1:
        raise RuntimeError(f"not foreseen: {result.stderr[-300:]}")
    if result.exit_code:
        raise Refused(result.stderr.strip().partition("error: ")[2])
    return result


@target
def command(draw: Draw) -> None:
    """Hostile tables and options; what stood at --out before must still stand there."""
    said, content, _ = draw(csv_files())
    kind = draw(st.sampled_from(["train", "new", "option", "out"]))
    with TemporaryDirectory() as place:
        folder = Path(place)
        TRAIN.to_csv(folder / "train.csv", index=False)
        TRAIN.drop(columns=["time", "event"]).to_csv(folder / "new.csv", index=False)
        options = {"--time": "time", "--event": "event", "--id": None}
        out, fate = folder / "curves.csv", Fate.EITHER
        if kind in ("train", "new"):
            (folder / f"{kind}.csv").write_bytes(content)
        elif kind == "option":
            name = draw(st.sampled_from(sorted(options)))
            options[name] = draw(st.sampled_from(WORDS))
            said = f"{name} {options[name]!r}"
        else:
            name = draw(
                st.sampled_from(["curves.csv", "curves.percentiles.csv", "train.csv"])
            )
            out = folder / name.replace(".percentiles", "")
            if name != "train.csv":
                (folder / name).write_text("mine")
            said, fate = f"--out over {name}", Fate.REFUSED
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        given = [f"{k}={v}" for k, v in options.items() if v is not None]

        def check(result: Result) -> None:
            for name, there in before.items():
                assert (folder / name).read_bytes() == there, f"{name} was replaced"
            found = pd.read_csv(out)["survival"]
            assert found.between(0, 1).all(), found

        judge(
            "consurv calibrate",
            f"{kind}: {said}",
            fate,
            lambda: run(
                "calibrate",
                *(str(folder / f"{name}.csv") for name in ("train", "new")),
                *("--model", "coxph", "--conformal-set", "train", "--out", str(out)),
                *("--percentiles", "3", "--adjustment", "time", "-q", *given),
            ),
            check,
        )

"""Questions, summaries and the model as files in the coordinator's folder."""

from __future__ import annotations

from pathlib import Path

from consurv.conformal import load
from consurv.conformal.adjustments import Adjustment
from consurv.distributed.federated.coordinator import first_question, proceed
from consurv.distributed.federated.papers import (
    Paper,
    digest,
    read_paper,
    write_paper,
)
from consurv.distributed.federated.plan import Plan
from consurv.distributed.federated.run import adjusted
from consurv.errors import InvalidInput

__all__ = ["next_file", "start_folder", "summary_name", "write_once"]


def start_folder(folder: Path, plan: Plan, *, force: bool = False) -> Path:
    """Write the first question into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    return write_once(_question(folder, 1), first_question(plan), force=force)


def summary_name(question: Paper, site: str) -> str:
    """Return what the summary of a site is called.

    Examples
    --------
    >>> summary_name({"round": 2}, "north")
    'summary-2-north.json'
    """
    return f"summary-{question['round']}-{site}.json"


def write_once(path: Path, paper: Paper, *, force: bool = False) -> Path:
    """Write a paper where there is none, or the same; another one is kept."""
    if path.exists() and not force:
        try:
            same = read_paper(path)["checksum"] == paper["checksum"]
        except InvalidInput:
            same = False
        if not same:
            raise InvalidInput(
                f"{path} exists already and says something else; give another name or "
                "--force"
            )
    write_paper(path, paper)
    return path


def next_file(folder: Path, model: Path, out: Path, *, trust: bool = False) -> Path:
    """Read all summaries in a folder; write the next question or the model.

    Started again with the same files it writes the same.

    Parameters
    ----------
    folder : Path
        With questions and summaries.
    model : Path
        The model that is calibrated.
    out : Path
        Where the calibrated model goes, in the end.
    trust : bool, default=False
        Read and write pickles in models, too.

    Returns
    -------
    Path
        What was written.
    """
    questions = [read_paper(_question(folder, 1))]
    if _question(folder, 2).exists():
        questions.append(read_paper(_question(folder, 2)))
    if digest(model) != questions[0]["plan"]["model"]:
        raise InvalidInput(f"{model} is another model than that of the first question")
    papers = {
        str(path): read_paper(path) for path in sorted(folder.glob("summary-*.json"))
    }
    found = proceed(questions, papers)
    if not isinstance(found, Adjustment):
        return write_once(_question(folder, 2), found)
    adjusted(load(model, trust=trust), found).save(out, trust=trust)
    return out


def _question(folder: Path, number: int) -> Path:
    return folder / f"question-{number}.json"

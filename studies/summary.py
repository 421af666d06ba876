"""Tables, figures and a report from the records of a results folder alone."""

from __future__ import annotations

from pathlib import Path

from consurv.errors import InvalidInput
from consurv.report.html import check_libraries
from studies.document import Document, table_file
from studies.files import write_atomically
from studies.own import TITLE, check_own
from studies.records import read_records
from studies.results import Results
from studies.sections import all_sections, headlines, main_pairs

__all__ = ["write_summary"]


def write_summary(folder: Path, *, force: bool = False) -> list[Path]:
    """Write tables, figures and a report from all records of a folder.

    Whatever studies, datasets, models and seeds are there are shown; what failed or
    is missing is said. Files in ``tables`` depend on metrics alone and are the same
    after every run of the same cells; what was measured of time and memory is in
    ``times``.

    Parameters
    ----------
    folder : Path
        A results folder; its ``records`` are read.
    force : bool
        Replace a ``README.md`` or ``report.html`` that no study wrote.

    Returns
    -------
    list of Path
        The files written: ``tables`` and ``times`` (CSV and Markdown), ``figures``
        (PNG), ``README.md`` and ``report.html``.

    Raises
    ------
    InvalidInput
        If the folder holds no records, or files of others would be replaced.
    MissingDependency
        If matplotlib or jinja2 is not installed.
    """
    check_libraries()
    folder = Path(folder)
    stored = read_records(folder)
    if not stored.records:
        raise InvalidInput(
            f"{folder} holds no records; run a study first, such as "
            "`python -m studies main --quick`"
        )
    check_own(folder, force=force, config=False)
    results = Results(stored.records)
    pairs = main_pairs(results)
    lead = [*headlines(results, pairs), *_troubles(results, stored.corrupt)]
    sections = all_sections(results, pairs, folder / "figures", _asked(folder))
    return _write(folder, Document(TITLE, lead, sections))


def _write(folder: Path, document: Document) -> list[Path]:
    contents = {
        f"{shown.path}.{ending}": text
        for shown in document.tables()
        for ending, text in (
            ("csv", shown.table.csv()),
            ("md", table_file(shown.table)),
        )
    }
    contents |= {"README.md": document.markdown(), "report.html": document.html()}
    for name, text in contents.items():
        write_atomically(folder / name, text.encode())
    pictures = [picture.path for picture in document.pictures()]
    return [*pictures, *(folder / name for name in contents)]


def _troubles(results: Results, corrupt: list[Path]) -> list[str]:
    """Return a line each for what failed, is missing or cannot be read."""
    lines = []
    failed = sum(record["status"] != "done" for record in results.records)
    if failed:
        lines.append(f"{failed} of {len(results.records)} cells failed (†).")
    if results.missing:
        lines.append(f"{len(results.missing)} cells of these studies have no record.")
    if corrupt:
        lines.append(f"{len(corrupt)} files cannot be read and were left out.")
    return lines


def _asked(folder: Path) -> str:
    path = folder / "config.toml"
    return path.read_text(encoding="utf-8") if path.is_file() else ""

"""What a run leaves behind: a picture, a Markdown page and numbers as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import consurv
from studies.truth.picture import draw
from studies.truth.run import SettingErrors
from studies.truth.summary import oracle_checks, summaries
from studies.truth.table import (
    floor_lines,
    markdown,
    setting_rows,
    summary_rows,
    target_rows,
)
from studies.truth.target import Target

__all__ = ["write"]


def write(
    results: Sequence[SettingErrors], goals: Sequence[Target], folder: Path
) -> None:
    """Write ``truth.json``, ``truth.md`` and ``truth.png``."""
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps(_content(results, goals), indent=1, allow_nan=False)
    (folder / "truth.json").write_text(content + "\n", encoding="utf-8")
    (folder / "truth.md").write_text(_page(results, goals), encoding="utf-8")
    draw(results, folder / "truth.png")


def _content(
    results: Sequence[SettingErrors], goals: Sequence[Target]
) -> dict[str, Any]:
    checks = oracle_checks(results)
    return {
        "consurv": consurv.__version__,
        "n_seeds": _n_seeds(results),
        "settings": [_entry(result) for result in results],
        "summary": [_finite(asdict(summary)) for summary in summaries(results)],
        "oracle": [_finite(asdict(c)) | {"attained": c.attained} for c in checks],
        "targets": [_finite(asdict(m)) | {"met": m.met} for m in goals],
    }


def _entry(result: SettingErrors) -> dict[str, Any]:
    errors = {
        name: _finite({"mean": result.mean(name), "se": result.standard_error(name)})
        for name in result.errors
    }
    return {"name": result.setting.name, **asdict(result.setting), "errors": errors}


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """Round numbers to six places; what is not a number becomes null."""
    return {
        key: (round(value, 6) if math.isfinite(value) else None)
        if isinstance(value, float)
        else value
        for key, value in values.items()
    }


def _n_seeds(results: Sequence[SettingErrors]) -> int:
    return len(next(iter(results[0].errors.values())))


def _page(results: Sequence[SettingErrors], goals: Sequence[Target]) -> str:
    parts = [
        f"{len(results)} settings, {_n_seeds(results)} seeds, consurv "
        f"{consurv.__version__}. Mean squared distance of the P–P line from the "
        "diagonal on the true times, × 10³; ± is the standard error over seeds. "
        "[What this is](../../../docs/truth.md).",
        "\n".join(f"- {line}" for line in floor_lines(results)),
        "![Errors by setting and rule](truth.png)",
        "## Over all settings",
        markdown(summary_rows(results)),
    ]
    if goals:
        parts += [f"## {goals[0].case}", markdown(target_rows(goals))]
    parts += ["## By setting", markdown(setting_rows(results))]
    return "\n\n".join(part for part in parts if part) + "\n"

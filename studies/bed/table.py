"""The page of a run, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

import consurv
from studies.bed.judge import Errors
from studies.bed.run import Records
from studies.bed.summary import Summary, means, summaries

__all__ = ["page"]

_HEADER = (
    *("", "marginal", "by risk", "ISE", "MAE", "τ", "least τ", "ISE harmed"),
    *("worst", "in", "marginal harmed", "worst", "in"),
)


def page(group: str, records: Records, names: Sequence[str]) -> str:
    """Return a table over all settings, and one of each error by setting."""
    found = summaries(records, names)
    wanted = [summary.name for summary in found]
    settings, table = means(records, wanted)
    n = [len(records[s]["raw"]) for s in settings]
    parts = [
        f"Group {group}: {len(settings)} settings, {min(n)} to {max(n)} repetitions, "
        f"consurv {consurv.__version__}. Errors × 10³, means over settings; harmed: "
        "worse than raw by more than 0.5 in ISE, by more than 2 in the marginal error. "
        "[What this is](../../../docs/bed.md).",
        _markdown([list(_HEADER), *(_row(summary) for summary in found)]),
    ]
    for k, field in enumerate(Errors._fields[:3]):
        rows = [["setting", *wanted]]
        for j, setting in enumerate(settings):
            rows.append([setting, *(f"{own[j, k]:.2f}" for own in table)])
        parts += [f"## {field.replace('_', ' ')}", _markdown(rows)]
    return "\n\n".join(parts) + "\n"


def _row(s: Summary) -> list[str]:
    e = s.errors
    return [
        s.name,
        *(f"{value:.2f}" for value in (e.marginal, e.by_risk, e.ise)),
        f"{e.mae:.0f}",
        f"{e.tau:.3f}",
        f"{s.least_tau:.3f}",
        *(f"{s.harmed:.0%}", f"{s.worst:+.2f}", s.worst_in),
        *(f"{s.harmed_marginally:.0%}", f"{s.worst_marginal:+.2f}"),
        s.worst_marginal_in,
    ]


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

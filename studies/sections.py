"""The sections of the report: which tables and pictures, in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from studies import cost as costs
from studies.claims.lists import (
    ABOUT_CLAIMS,
    claims_table,
    cost_claims,
    metric_claims,
)
from studies.comparison import Pair, tally
from studies.document import Block, Code, Section, Shown
from studies.figures.ablation import ablation_figures
from studies.figures.calibration import calibration_figures
from studies.figures.cost import cost_figures
from studies.figures.main import main_figures
from studies.figures.objective import objective_figures
from studies.measures import MEASURES
from studies.results import Results
from studies.tables import cost, coverage, run_time
from studies.tables.ablation import (
    ABLATIONS,
    ablation_cells,
    ablation_ranks,
)
from studies.tables.full import full_results
from studies.tables.levels import wins_by_level
from studies.tables.notes import TESTS
from studies.tables.objective import objective_table
from studies.tables.ranking import c_index_changes, ranking_changes
from studies.tables.space import space_table
from studies.tables.standing import standing, standing_by_dataset
from studies.tables.wins import dataset_groups, win_counts
from studies.tables.worse import significantly_worse

__all__ = ["all_sections", "headlines", "main_pairs"]

MAIN, OBJECTIVE = "main", "objective"
_AGAIN = (
    "What was asked, study by study. With these lines in `config.toml`, `python "
    "-m studies STUDY --config config.toml --out FOLDER` runs a study again, and "
    "`python -m studies report FOLDER` makes this report from stored records alone."
)
_PAIRS = (("raw", "csd"), ("raw", "auto"), ("csd", "auto"), ("raw", "cipot"))


def main_pairs(results: Results) -> list[Pair]:
    """Compare the variants of the main study, as far as they are there."""
    known = set(results.variants(MAIN))
    return [Pair.of(results, MAIN, *pair) for pair in _PAIRS if set(pair) <= known]


def headlines(results: Results, pairs: Sequence[Pair]) -> list[str]:
    """Return the wins of each pair in a line, on public datasets if there are any."""
    lines = []
    for pair in pairs:
        a, b = pair.labels
        group, names = next(iter(dataset_groups(results, MAIN).items()))
        counts = {m: tally(pair.part(names, m.name)) for m in MEASURES.values()}
        n = max(count.n for count in counts.values())
        seeds = max((cell.change.n for cell in pair.part(names)), default=0)
        texts = [
            f"{m.label} {c.better}/{c.worse}/{c.ties} ({c.better_significant}/"
            f"{c.worse_significant})"
            for m, c in counts.items()
        ]
        lines.append(
            f"{b} against {a} on {len(names)} {group} datasets, {n} comparisons of up "
            f"to {seeds} seeds, better/worse/tied (significantly better/worse): "
            f"{', '.join(texts)}."
        )
    return lines


def all_sections(
    results: Results, pairs: Sequence[Pair], figures: Path, about: str
) -> list[Section]:
    """Return all sections for which there are records; figures are drawn on the way.

    Parameters
    ----------
    results : Results
    pairs : sequence of Pair
        Of the main study.
    figures : Path
        The folder of the pictures.
    about : str
        What was asked, in TOML, or nothing.
    """
    makers: dict[str, Callable[[], Section]] = {
        MAIN: lambda: _main(results, pairs, figures),
        OBJECTIVE: lambda: _objective(results, figures),
        "ablation": lambda: _ablations(results, figures),
        costs.STUDY: lambda: _cost(results, figures),
    }
    kinds = {study.partition("-")[0] for study in results.studies}
    found = [make() for kind, make in makers.items() if kind in kinds]
    return [*found, _claims(results), _run(results, about)]


def _main(results: Results, pairs: Sequence[Pair], figures: Path) -> Section:
    return Section(
        "Main results",
        [
            TESTS,
            *(Shown(win_counts(results, pair)) for pair in pairs),
            Shown(wins_by_level(results, pairs)),
            *main_figures(results, figures),
            *(Shown(standing_by_dataset(results, pair)) for pair in pairs),
            *(Shown(significantly_worse(results, pair)) for pair in pairs),
            Shown(c_index_changes(results, pairs)),
            *(Shown(ranking_changes(results, pair)) for pair in pairs),
            *(Shown(standing(results, pair), whole=False) for pair in pairs),
            Shown(full_results(results, pairs), whole=False),
            *calibration_figures(results, figures),
        ],
    )


def _objective(results: Results, figures: Path) -> Section:
    return Section(
        "Losses that aim at calibration",
        [
            *objective_figures(results, figures),
            Shown(objective_table(results), whole=False),
        ],
    )


def _ablations(results: Results, figures: Path) -> Section:
    studies = [study for study in ABLATIONS if study in results.studies]
    return Section(
        "Ablations",
        [
            *(Shown(ablation_ranks(results, study)) for study in studies),
            *ablation_figures(results, figures),
            *(Shown(ablation_cells(results, study), whole=False) for study in studies),
        ],
    )


def _cost(results: Results, figures: Path) -> Section:
    tables = (cost.extra_table, cost.relative_table, cost.memory_table)
    return Section(
        "Time and memory",
        [
            *cost_figures(results, figures),
            Shown(space_table(results), "times", whole=False),
            *(Shown(make(results), "times", whole=False) for make in tables),
        ],
    )


def _claims(results: Results) -> Section:
    metrics = claims_table(metric_claims(results), "claims", "Claims about metrics")
    times = claims_table(cost_claims(results), "claims_cost", "Claims about cost")
    blocks: list[Block] = [
        ABOUT_CLAIMS,
        *_simulated(results),
        Shown(metrics),
        Shown(times, "times"),
    ]
    return Section("The paper's claims", blocks)


def _simulated(results: Results) -> list[str]:
    names = [facts.name for facts in results.facts.values() if facts.simulated]
    return [f"Simulated datasets count as well: {', '.join(names)}."] if names else []


def _run(results: Results, about: str) -> Section:
    studies = [s for s in results.studies if s in (MAIN, OBJECTIVE)]
    asked: list[Block] = [_AGAIN, Code(about)] if about else []
    return Section(
        "What was run",
        [
            *asked,
            Shown(coverage.found_table(results)),
            Shown(coverage.failures_table(results)),
            Shown(coverage.missing_table(results)),
            Shown(coverage.settings_table(results)),
            Shown(run_time.study_time_table(results), "times"),
            *(
                Shown(run_time.run_time_table(results, s), "times", whole=False)
                for s in studies
            ),
            *coverage.environment_texts(results),
        ],
    )

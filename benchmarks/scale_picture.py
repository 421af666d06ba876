"""Draw what ``benchmarks.scale`` measured: CPU seconds against rows."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.scale import RESULTS
from benchmarks.scale_engines import ENGINES


def draw(found: list[dict[str, Any]], path: Path) -> None:
    """Draw a line for each engine, a panel for each rule."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    exact = [entry for entry in found if not entry.get("resolution")]
    measured = [entry for entry in exact if "rule" in entry]
    rules = sorted({entry["rule"] for entry in measured})
    figure, axes = plt.subplots(
        1, len(rules), figsize=(4 * len(rules), 3.2), sharey=True, squeeze=False
    )
    for ax, rule in zip(axes[0], rules, strict=True):
        for engine in ENGINES:
            points = sorted(
                (entry["rows"], entry["cpu"])
                for entry in measured
                if (entry["rule"], entry["engine"]) == (rule, engine)
            )
            if points:
                ax.loglog(*zip(*points, strict=True), marker="o", label=engine)
        ax.set_title(rule)
        ax.set_xlabel("rows")
    axes[0][0].set_ylabel("CPU seconds")
    axes[0][0].legend()
    figure.savefig(path, bbox_inches="tight", dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args()
    draw(json.loads(args.results.read_text(encoding="utf-8")), args.picture)

"""``python -m studies.whole.coverage``: how far levels are missed out of fold.

On rows that neither model nor map saw P(T ≥ q'(ρ|x)) is k/(N + 1) without censoring.
Out of fold nothing is proven, so it is simulated: N subjects without censoring,
``ConformalSurvival(model).fit`` with nothing else said, and the mean of S(q'(ρ|x)|x)
over 1,000 other subjects, whose law is known.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from consurv import ConformalSurvival
from consurv._checks import Float
from studies.files import write_atomically
from studies.folds import make
from studies.limits import one_thread
from studies.owned import check_owned
from studies.whole.truth import truth_of

__all__ = ["LEVELS", "deviations", "main", "page"]

LEVELS: Float = np.array([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95])
RESULTS = Path(__file__).parent / "results"
# From here on sets vary less: a quarter of the repetitions will do.
_MANY = 200
_BEGINS = r"P\(T ≥ q'\(ρ\|x\)\) − ρ"
# (truth, model, N) and the deviations of each repetition, of raw and calibrated curves.
Found = dict[tuple[str, str, int], Float]


def deviations(truth: str, model: str, n: int, seed: int) -> Float:
    """Return P(T ≥ q(ρ|x)) − ρ and P(T ≥ q'(ρ|x)) − ρ of one fit, (2, 7).

    Examples
    --------
    >>> raw, calibrated = deviations("weibull.none", "weibull-aft", 19, 0)
    >>> bool(calibrated[0] > 0 > calibrated[-1])
    True
    """
    known = truth_of(truth)
    X, y = known.sample(n, np.random.default_rng([seed, n]))
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        post = ConformalSurvival(make(model, seed), random_state=seed).fit(X, y)
        both = post.predict_both(known.x_test)
    times = (curves.percentile_times(LEVELS) for curves in both)
    means = [known.law.s(t, known.x_test).mean(axis=0) for t in times]
    gaps: Float = np.array(means) - LEVELS
    return gaps


def page(found: Found) -> str:
    """Return the table, as Markdown: means and the largest standard error of a row."""
    lines = [
        "P(T ≥ q'(ρ|x)) − ρ of `ConformalSurvival(model).fit(X, y)` without censoring, "
        "over sets of N subjects; ±: the largest standard error of the row. "
        "[What this is](../../../docs/guarantees.md#the-default).",
        "",
        "| truth | model | N | sets | curves | "
        + " | ".join(f"ρ = {level:g}" for level in LEVELS)
        + " | ± |",
        "|" + " --- |" * (len(LEVELS) + 6),
    ]
    for (truth, model, n), gaps in found.items():
        for name, own in zip(("raw", "default"), gaps.swapaxes(0, 1), strict=True):
            error = own.std(axis=0, ddof=1) / np.sqrt(len(own))
            cells = [truth, model, str(n), str(len(own)), name]
            cells += [f"{value:+.3f}" for value in own.mean(axis=0)]
            lines.append(f"| {' | '.join([*cells, f'{error.max():.3f}'])} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> Found:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.whole.coverage", description=__doc__
    )
    parser.add_argument("--truths", default="weibull.none,lognormal.none")
    parser.add_argument("--models", default="weibull-aft,trees")
    parser.add_argument("--sizes", default="19,99,399")
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--force", action="store_true", help="replace foreign files")
    asked = parser.parse_args(arguments)
    path = asked.out / "coverage.md"
    check_owned(path, _BEGINS, force=asked.force)
    asked.out.mkdir(parents=True, exist_ok=True)
    found: Found = {}
    for truth in asked.truths.split(","):
        for model in asked.models.split(","):
            for n in map(int, asked.sizes.split(",")):
                seeds = range(max(asked.repetitions // (4 if n >= _MANY else 1), 2))
                task = delayed(deviations)
                gaps = Parallel(asked.jobs)(task(truth, model, n, s) for s in seeds)
                found[truth, model, n] = np.array(gaps)
                write_atomically(path, page(found).encode())
                sys.stderr.write(f"{truth} {model} {n}\n")
    sys.stdout.write(page(found))
    return found


if __name__ == "__main__":
    main()

"""Groups for which a model is wrong in opposite directions: python -m studies.groups.

The truth is known, so errors are those of the curves and not of a test set: at the
calibrated time of level ρ the true survival of the subjects of a group should be ρ on
average. The error of a group is the root mean square of the differences over the 19
levels, in points.

``--fresh`` runs settings that were written down after the pooling of groups was fixed,
and before they were run, on seeds of their own.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv import CalibrationWarning, ConformalSurvival, Outcome, SurvivalCurves
from consurv._checks import Float, Index

__all__ = ["FRESH", "SETTINGS", "Setting", "errors", "main", "row"]

TIMES = np.geomspace(0.01, 400, 300)
LEVELS = np.arange(1, 20) / 20
KINDS = ("recalibrated", "log-time", "level")
SHAPE = 1.5
_NEW = 400
_FIRST_FRESH = 10_000  # seed
# How each adjustment is made; None: without groups.
FORMS: dict[str, str | None] = {"no groups": None, "partial": "partial", "own": "none"}


@dataclass(frozen=True)
class Setting:
    """Groups and what is wrong with the model in each.

    Attributes
    ----------
    name : str
    sizes : tuple of int
        Conformal subjects by group.
    log_factors : tuple of float
        Logarithms of what times are too long by.
    shapes : tuple of float
        Of the true Weibull laws; the model's is ``SHAPE``.
    limit : float
        Mean of the censoring times; the middle of all times is about 8.
    """

    name: str
    sizes: tuple[int, ...]
    log_factors: tuple[float, ...]
    shapes: tuple[float, ...] = (SHAPE,)
    limit: float = 25.0

    def draw(
        self, sizes: Sequence[int], rng: np.random.Generator
    ) -> tuple[Float, Index, Outcome]:
        """Return rows (scale that the model says, true scale, shape), groups, outcomes.

        With a limit of 25 about a third of the subjects are censored.
        """
        group = np.repeat(np.arange(len(sizes)), sizes)
        scale = 10 * np.exp(rng.normal(scale=0.6, size=len(group)))
        shape = np.resize(self.shapes, len(sizes))[group]
        time = scale * rng.weibull(shape)
        limit = rng.exponential(self.limit, len(group))
        said = scale * np.exp(np.array(self.log_factors)[group])
        y = Outcome(np.minimum(time, limit), time <= limit)
        return np.stack([said, scale, shape], axis=1), group, y


SETTINGS = (
    Setting("two opposite: 300, 100", (300, 100), (0.5, -0.5)),
    Setting("four: 600, 200, 60, 20", (600, 200, 60, 20), (0.3, -0.5, 0.7, -0.7)),
    Setting(
        "20 groups of 50",
        (50,) * 20,
        tuple(0.4 * np.random.default_rng(5).normal(size=20)),
    ),
    Setting("one of ten: 100 each", (100,) * 10, (0.6, *(0.0,) * 9)),
    Setting("alike: 300, 100", (300, 100), (0.4, 0.4)),
    Setting("alike: 600, 200, 60, 20", (600, 200, 60, 20), (0.4,) * 4),
    Setting("alike: 20 groups of 20", (20,) * 20, (0.4,) * 20),
)


FRESH = (
    Setting("two opposite, mild: 400 each", (400, 400), (0.25, -0.25)),
    Setting("two opposite, most censored: 300 each", (300, 300), (0.5, -0.5), limit=5),
    Setting("one far off: 500, 150, 50", (500, 150, 50), (0.0, 0.0, 0.9)),
    Setting("five in steps: 120 each", (120,) * 5, (-0.6, -0.3, 0.0, 0.3, 0.6)),
    Setting("other widths: 300 each", (300, 300), (0.0, 0.0), shapes=(0.9, 2.5)),
    Setting("alike, most censored: 200 each", (200, 200), (0.4, 0.4), limit=5),
    Setting("alike, too narrow: 300, 100", (300, 100), (0.0, 0.0), shapes=(1.0,)),
)


def model(X: Any) -> tuple[Float, Float]:
    """Return the curves of Weibull laws with the scales that the model says."""
    return TIMES, np.exp(-((TIMES / X[:, :1]) ** SHAPE))


def errors(curves: SurvivalCurves, X: Float, group: Index) -> Float:
    """Return the error of each group, in points."""
    times = curves.percentile_times(LEVELS)
    reached = np.exp(-((times / X[:, 1:2]) ** X[:, 2:3]))
    gaps = [reached[group == g].mean(axis=0) - LEVELS for g in np.unique(group)]
    found: Float = 100 * np.sqrt(np.mean(np.square(gaps), axis=1))
    return found


def repetition(setting: Setting, kind: str, seed: int) -> dict[str, Float]:
    """Return the errors of all groups by what was done."""
    rng = np.random.default_rng(seed)
    X, group, y = setting.draw(setting.sizes, rng)
    new, new_group, _ = setting.draw((_NEW,) * len(setting.sizes), rng)
    found = {"raw": errors(SurvivalCurves(*model(new)), new, new_group)}
    for name, pooling in FORMS.items():
        post = ConformalSurvival(model, adjustment=kind)
        by = {"groups": None if pooling is None else group}
        post.set_params(group_pooling=pooling or "partial").conformalize(X, y, **by)
        by = {"groups": None if pooling is None else new_group}
        curves = post.predict_survival_function(new, **by)
        found[name] = errors(curves, new, new_group)
    return found


def row(setting: Setting, kind: str, seeds: Sequence[int]) -> Iterator[str]:
    """Yield the cells of a line: worst and mean error over groups, by what was done."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        found = [repetition(setting, kind, seed) for seed in seeds]
    yield f"`{kind}`"
    yield setting.name
    for name in found[0]:
        each = np.array([one[name] for one in found])
        yield f"{each.max(axis=1).mean():.1f} ({each.mean():.1f})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of docs/groups.md."""
    parser = argparse.ArgumentParser(prog="python -m studies.groups")
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--fresh", action="store_true", help="settings not tuned on")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    args = parser.parse_args(arguments)
    sys.stdout.write("| kind | groups | raw | no groups | partial | own |\n")
    sys.stdout.write("|---|---|---|---|---|---|\n")
    first = _FIRST_FRESH if args.fresh else 0
    seeds = range(first, first + args.repeats)
    for kind in args.kinds:
        for setting in FRESH if args.fresh else SETTINGS:
            cells = " | ".join(row(setting, kind, seeds))
            sys.stdout.write(f"| {cells} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

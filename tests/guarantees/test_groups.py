"""P(T ≥ q'(ρ)) = k/(N_g + 1) in every group, with own subjects alone.

The model is wrong in opposite directions in two groups; without censoring and with a
conformal set that it never saw. The coverage of a new subject given the adjustment has
a closed form, so no second simulation is needed: it varies as Beta(k, N + 1 − k).
"""

from __future__ import annotations

import numpy as np
import pytest

from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.conformal.groups.making import GroupSet, with_groups
from consurv.conformal.groups.outcome import GroupedOutcome
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.search import rank
from consurv.outcome import Outcome

LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.9, 0.95])
SIZES = (19, 99)
GROUP = np.repeat([0, 1], SIZES)
# What the model says is off by this, group by group.
OFF = np.array([0.6, 1.7])
RISE = 1 + np.arange(len(LEVELS)) / 4


def time(rng):
    # T = x + E, E exponential; q = x + r·off.
    x = rng.uniform(5, 9, len(GROUP))
    said = x[:, None] + RISE * OFF[GROUP, None]
    return said, x + rng.exponential(size=len(x))


def log_time(rng):
    # T = x·E; q = x·r·off.
    x = rng.uniform(1, 5, len(GROUP))
    said = x[:, None] * RISE * OFF[GROUP, None]
    return said, x * rng.exponential(size=len(x))


def level(rng):
    # S(T) = U^off, U uniform.
    x = rng.uniform(1, 5, len(GROUP))
    times = rng.exponential(size=len(x))
    survival = np.exp(-times * OFF[GROUP])
    return np.stack([survival, survival], axis=1), x * times


COVERAGE = {
    "time": lambda found, g: np.exp(found.shifts - RISE * OFF[g]),
    "log-time": lambda found, g: np.exp(-found.factors * RISE * OFF[g]),
    "level": lambda found, g: found.adjusted_levels ** (1 / OFF[g]),
}
SUBJECTS = {"time": time, "log-time": log_time, "level": level}


def groups_of(name, rng):
    """Return the adjustments of both groups from one conformal set."""
    kind = ADJUSTMENTS[name]
    rule = kind.choose_rule("uniform" if name == "level" else "uncensored", None)
    reading, times = SUBJECTS[name](rng)
    y = Outcome(times, np.ones(len(times), dtype=bool))
    y = GroupedOutcome.of_groups(y, GROUP, (0, 1))
    block = Block(reading, LEVELS, y, proportional=name == "log-time")

    def make(blocks):
        return kind.make(blocks, rule, rng, kaplan_meier="conformal")

    groups = GroupSet((0, 1), None, "none")
    return with_groups(make([block]), [block], groups, make).groups.members


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")
@pytest.mark.parametrize("name", list(SUBJECTS))
def test_coverage_is_k_over_n_plus_one_in_each_group(name):
    repetitions, rng = 2_500, np.random.default_rng(3)
    mean = np.zeros((2, len(LEVELS)))
    for _ in range(repetitions):
        for g, found in enumerate(groups_of(name, rng)):
            mean[g] += COVERAGE[name](found, g) / repetitions
    for n, share in zip(SIZES, mean, strict=True):
        wanted = np.array([min(rank(level, n), n) for level in LEVELS]) / (n + 1)
        error = np.sqrt(wanted * (1 - wanted) / (n + 2) / repetitions)
        assert (np.abs(share - wanted) < 4 * error).all()
        assert (8 * error < 1 / (n + 1)).all()  # the next rank is far away

"""Power and false alarms of ``check_censoring``: python -m studies.bounds.diagnostic.

A ridge Cox model is fitted to training rows and tested by the calibration rows, with
the default forest for censoring. In the settings of Davidov et al. the model is wrong,
and in 1 and 4 censoring is such that it matters; in the worlds called right the Cox
model holds and censoring depends on columns that it sees.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from consurv import CalibrationWarning
from consurv.bounds import check_censoring
from consurv.models import CoxPH
from studies.bounds.davidov import SETTINGS
from studies.bounds.world import Setting, World, rng_of, world_of

__all__ = ["WORLDS", "flagged", "main"]

# Earlier repetitions shaped the test: which levels, which side, whose standard error.
_FIRST = 7000
_PENALTY = 0.01
# Training rows, calibration rows; nobody tests.
_N, _N_TRAIN, _N_COLUMNS = 1800, 800, 4


def _drawn(
    event: Sequence[float], censoring: Sequence[float], mean: float, power: float
) -> Callable[[np.random.Generator], World]:
    def draw(rng: np.random.Generator) -> World:
        X = rng.normal(size=(_N, _N_COLUMNS))
        T = 10 * (rng.exponential(size=_N) / np.exp(X @ np.array(event))) ** power
        C = mean * rng.exponential(size=_N) / np.exp(X @ np.array(censoring))
        return world_of(X, T, C, _N_TRAIN, 0)

    return draw


def _setting(name: str, draw: Callable[[np.random.Generator], World]) -> Setting:
    return Setting("right", name, draw, leaf=15)


EFFECT = (0.5, -0.5, 0.0, 0.0)
WORLDS = (
    SETTINGS[0],
    SETTINGS[3],
    _setting("by chance", _drawn(EFFECT, (0.0,) * 4, 15, 0.7)),
    _setting("by the same columns", _drawn(EFFECT, (0.6, -0.3, 0.0, 0.0), 15, 0.7)),
    _setting("by other columns", _drawn(EFFECT, (0.6, 0.0, 0.6, 0.0), 15, 0.7)),
    _setting("most of them", _drawn(EFFECT, (0.6, 0.0, 0.6, 0.0), 4, 0.7)),
    _setting("the other way", _drawn(EFFECT, (-0.6, 0.3, 0.0, 0.0), 15, 1.4)),
)


def flagged(setting: Setting, repetition: int) -> bool:
    """Say whether the test finds that the model does not explain censoring."""
    world = setting.draw(rng_of(setting, repetition))
    model = CoxPH(penalty=_PENALTY).fit(world.X_train, world.y_train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        found = check_censoring(model, world.X_calibration, world.y_calibration)
    return found is not None and not found.explained


def lines(repetitions: int) -> Iterator[str]:
    """Yield the lines of a table."""
    yield "| setting | flagged | of |"
    yield "| --- | --- | --- |"
    alarms = []
    for setting in WORLDS:
        found = [flagged(setting, _FIRST + r) for r in range(repetitions)]
        yield f"| {setting} | {np.mean(found):.3f} | {repetitions} |"
        alarms += found if setting.group == "right" else []
    yield f"| all that are right | {np.mean(alarms):.3f} | {len(alarms)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how often each setting is flagged."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.bounds.diagnostic", description=__doc__
    )
    parser.add_argument("--repetitions", type=int, default=40)
    for line in lines(parser.parse_args(arguments).repetitions):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

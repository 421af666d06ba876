"""Maximum likelihood by scoring, under a ridge that may follow the numbers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np

from consurv._checks import Bool, Float
from consurv.conformal.recalibration.likelihood import Sums
from consurv.conformal.recalibration.shrinkage import ridge_for, settled

__all__ = [
    "CAREFUL",
    "FIXED",
    "QUICK",
    "Found",
    "Pace",
    "Steps",
    "begin",
    "climb",
    "follow",
    "together",
]

# The ridge of a number that is left out, and the least of one that is not: a standard
# deviation of 1, which is a factor of e.
FIXED, _LEAST = 1e8, 1.0
# No number moves further in one step, and steps are halved up to so many times.
_LONGEST, _HALVINGS = 0.7, 8
# Steps are stretched from this share of the promised gain on; promises below so many
# units of log-likelihood say nothing.
_NEARLY_ALL, _WORTH = 0.75, 1e-3
# Steps of a first look, which ends before when they are this short.
_FIRST_STEPS, _SHORT = 5, 1e-3
# The ascent ends when neither the log of the ridge nor the numbers move by more.
_RIDGE_STANDS, _NUMBERS_STAND = 0.05, 1e-4
# The ridge follows the numbers for so many rounds; from then on half of the way, for
# where likelihoods have kinks each would throw the other to and fro.
_ALL_THE_WAY = 10
# For a matrix without an inverse, and against rounding in the comparison of sums.
_JITTER, _ROUNDING = 1e-9, 1e-9

T = TypeVar("T")
# An ascent asks for the sums at one or several numbers, and at last returns what it
# found.
Steps = Generator[Sequence[Float], Sequence[Sums], T]


class Pace(NamedTuple):
    """How the ascent goes.

    Attributes
    ----------
    stretch : float
        How many times longer a step may be than the curvature says.
    still : float
        The step, in standard errors, from which on the numbers stand still.
    rounds : int
        At most, with a ridge that follows: likelihoods of coarse steps are rough, and
        where they no longer rise the numbers may wander for long.
    ahead : int
        How many shorter steps are asked for at once when one has led down: more than
        will be needed, where a round costs more than sums do.
    """

    stretch: float
    still: float
    rounds: int
    ahead: int = 1

    @property
    def from_afar(self) -> Pace:
        """The same steps, in as few rounds as can be."""
        return self._replace(ahead=_HALVINGS)


# Step by step, as the evidence for the constants was gathered; and where subjects are
# many, so that a round costs and the numbers are told so well that the way to them does
# not matter.
CAREFUL, QUICK = Pace(1.0, 0.0, 40), Pace(16.0, 0.02, 12)


class Found(NamedTuple):
    """Where the ascent stands: the objective is the log-likelihood less its ridge.

    ``moved`` is how far the last step led, ``errors`` the same in standard errors, and
    ``stretch`` by what the next one is longer than the curvature says.
    """

    numbers: Float
    sums: Sums
    objective: float
    moved: float = 0.0
    errors: float = 0.0
    stretch: float = 1.0

    def variances(self, ridge: Float) -> Float:
        """Return the variance of each number."""
        return np.diag(np.linalg.inv(_curvature(self.sums, ridge))).copy()


def together(
    evaluate: Callable[[Sequence[Float]], Sequence[Sums]], *ascents: Steps[Any]
) -> list[Any]:
    """Return what ascents find that go side by side: a round asks for all of them."""
    found: list[Any] = [None] * len(ascents)
    asked = {i: next(ascent) for i, ascent in enumerate(ascents)}
    while asked:
        sums = iter(evaluate([at for some in asked.values() for at in some]))
        answers = {i: list(islice(sums, len(some))) for i, some in asked.items()}
        asked = {}
        for i, answer in answers.items():
            try:
                asked[i] = ascents[i].send(answer)
            except StopIteration as end:
                found[i] = end.value
    return found


def begin(start: Float, ridge: Float, sums: Sums) -> Found:
    """Return where an ascent starts, from the sums there."""
    sums = _without(sums, ridge >= FIXED)
    penalty = 0.5 * float((ridge * start**2).sum())
    return Found(start, sums, sums.value - penalty)


def climb(
    found: Found, ridge: Float, pace: Pace, *, steps: int = _FIRST_STEPS
) -> Steps[Found]:
    """Return where a few steps lead under a given ridge."""
    for _ in range(steps):
        found = yield from _step(found, ridge, pace)
        if found.moved < _SHORT:
            break
    return found


def follow(start: Float, ridge: Float, pace: Pace) -> Steps[tuple[Float, float]]:
    """Return the numbers, and how many, where numbers and ridge stand still together.

    Parameters
    ----------
    start, ridge : ndarray of shape (5,)
        Numbers whose ridge is ``FIXED`` stay at their start.
    pace : Pace
    """
    fixed = ridge >= FIXED
    (sums,) = yield [start]
    found = begin(start, ridge, sums)
    for done in range(pace.rounds):
        found = yield from _step(found, ridge, pace)
        due = ridge_for(found.numbers, found.variances(ridge), ridge)
        renewed = np.clip(np.where(fixed, FIXED, due), _LEAST, FIXED)
        if done >= _ALL_THE_WAY:
            renewed = np.sqrt(renewed * ridge)
        change = np.abs(np.log(renewed / ridge)).max()
        less = 0.5 * ((renewed - ridge) * found.numbers**2).sum()
        found = found._replace(objective=found.objective - float(less))
        ridge = renewed
        stands = found.moved < _NUMBERS_STAND or found.errors < pace.still
        if change < _RIDGE_STANDS and stands:
            break
    return settled(found.numbers, found.variances(ridge), ridge)


def _without(sums: Sums, fixed: Bool) -> Sums:
    """Return sums in which the numbers that are left out have no slope.

    Without a delay, that of an event soon after 0 has no bound: one such event would
    drown the others in the inverse, whatever the ridge.
    """
    gradient = np.where(fixed, 0.0, sums.gradient)
    information = np.where(fixed | fixed[:, None], 0.0, sums.information)
    return Sums(sums.value, gradient, information)


def _step(found: Found, ridge: Float, pace: Pace) -> Steps[Found]:
    """Return the end of one step, or the start with no move if none leads upwards."""
    slope = found.sums.gradient - ridge * found.numbers
    curvature = _curvature(found.sums, ridge)
    plain = np.linalg.solve(curvature, slope).astype(np.float64)
    trials = list(_trials(plain, found.stretch))
    some = 1  # most first steps lead upwards
    while trials:
        now, trials, some = trials[:some], trials[some:], pace.ahead
        ends = [_end(found.numbers + step) for step, _ in now]
        answers = yield ends
        for (step, stretch), end, sums in zip(now, ends, answers, strict=True):
            reached = begin(end, ridge, sums)
            gain = reached.objective - found.objective
            if gain >= -_ROUNDING:
                return reached._replace(
                    moved=float(np.abs(step).max()),
                    errors=float(np.sqrt(step @ curvature @ step)),
                    stretch=_stretch(gain, float(slope @ step), stretch, pace),
                )
    # Too far was each of them: the next one is as long as the curvature says.
    return found._replace(moved=0.0, errors=0.0, stretch=1.0)


def _trials(plain: Float, stretch: float) -> Iterator[tuple[Float, float]]:
    """Yield steps to be tried, with their stretch: ever shorter ones."""
    step = np.clip(plain * stretch, -_LONGEST, _LONGEST)
    for _ in range(_HALVINGS):
        yield step, stretch
        # Stretched it was too far: as the curvature says.
        step = np.clip(plain, -_LONGEST, _LONGEST) if stretch > 1 else step / 2
        stretch = 1.0


def _end(numbers: Float) -> Float:
    numbers[-1] = max(numbers[-1], 0.0)  # nothing comes before its time
    return numbers


def _stretch(gain: float, hoped: float, last: float, pace: Pace) -> float:
    """Return by what the next step is to be longer.

    On a parabola a step to the top gains half of what its slope promised. Curves with
    rough densities, such as coarse steps, scatter their gradients far more than the
    likelihood is curved: steps then gain nearly all that was promised, and are short.
    """
    share = gain / hoped if hoped > _WORTH else 0.5
    if share < _NEARLY_ALL and last == 1.0:
        return 1.0
    return float(np.clip(last / (2 * max(1 - share, 1e-3)), 1.0, pace.stretch))


def _curvature(sums: Sums, ridge: Float) -> Float:
    curvature: Float = sums.information + np.diag(ridge + _JITTER)
    return curvature

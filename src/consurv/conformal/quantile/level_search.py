"""The search, level by level: a window that holds the answer, and what to ask next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from consurv._checks import Bool, Float

__all__ = ["PLACES", "Ends", "Inside", "LevelSearch", "Listed"]

# The first bracket is predicted to hold this much mass on either side of the target,
# or so much where laws do nothing but jump: all jumps in it will be listed.
FIRST_MARGIN, OF_JUMPS = 1 / 4, 1 / 8
# With the exact mass at both ends known, the next is predicted so much better.
GAIN = 64
# A prediction that failed is given so much more room: a window, and a bracket in it,
# which by then is predicted from exact values.
ROOM, MORE = 32, 8
EPS = float(np.finfo(np.float64).eps)
# Rises of the mass below this, plus the second times n, are rounding of its two ends.
_ROUNDING = 1e-10, 1e-13
# So many subjects with the same score in a sketch are a tie.
_HEAVY = 3
# Points at so many places, each, keep to some. Where the first bracket did not do, so
# many of these are tried, each where those before it say.
_FEW_PLACES, _TIES = 0.75, 6
# The mass of laws in a window is held at so many places.
_NODES = 65
_WAY = np.linspace(0.0, 1.0, _NODES)
# It is asked for at three; at four where more subjects than so many follow laws, and
# windows are wide; at six where a round takes longer than anything else. Between them
# it is the polynomial through them.
_WIDE = 1 << 18
PLACES = {b: np.linspace(0.0, 1.0, b) for b in (3, 4, 6)}
_THROUGH = {
    b: np.vander(_WAY, b) @ np.linalg.inv(np.vander(some)) for b, some in PLACES.items()
}


class Ends(NamedTuple):
    """A bracket (lo, hi], and whether its breakpoints are wanted however many."""

    lo: float
    hi: float
    all: bool = False


@dataclass(frozen=True)
class Listed:
    """Breakpoints of the mass of laws: score, jump, change of slope."""

    position: Float
    jump: Float
    turn: Float
    base_slope: float
    straight: bool
    rough: bool = False


class Inside(NamedTuple):
    """What is known of a bracket.

    Attributes
    ----------
    mass : pair of float
        Of laws at both ends, exactly.
    rise : float
        Their difference, exactly.
    listed : Listed or None
        None if the breakpoints between are too many.
    """

    mass: tuple[float, float]
    rise: float
    listed: Listed | None


# The target is reached in the bracket.
_HELD = (False, True)


class LevelSearch:
    """What is known of the smallest score with mass(s) ≥ k.

    Parameters
    ----------
    wanted : float
        The rank, less the mass that is there whatever the score.
    n : int
        Number of subjects.
    n_law, last_time
        Number of subjects in laws, and how far these reach.
    sketch : pair of ndarray
        Quantiles and weights that resemble F.
    spread : float
        How far the sketch may be off, in mass.
    straight : bool
        Whether laws do more than jump.
    far : bool
        Whether a round takes long.
    """

    def __init__(
        self,
        wanted: float,
        n: int,
        n_law: int,
        last_time: float,
        sketch: tuple[Float, Float],
        spread: float,
        straight: bool,
        far: bool,
    ) -> None:
        self.wanted, self.n_law, self.last_time = wanted, n_law, last_time
        self.target = wanted - (1e-9 + 1e-12 * n)
        self.answer: float | None = None
        self.n_events = 0  # with scores up to the answer
        self._scores, weights = sketch
        if (weights == weights[0]).all():  # as those of one partition are
            self._scores = np.sort(self._scores)
        else:
            order = np.argsort(self._scores)
            self._scores, weights = self._scores[order], weights[order]
        self._ranks = np.cumsum(weights)
        self._spread = spread + 2 * float(sketch[1].max()) + 2
        self._stride, self._listing = 0.0, False
        self._margin = self._first_margin = FIRST_MARGIN if straight else OF_JUMPS
        self._far = far
        self._places = PLACES[6 if far else 4 if n_law > _WIDE else 3]
        self._missed = 0  # brackets in a row that did not hold the answer
        self._led = False  # whether the bends in a bracket have shown the way
        self.lo, self.hi = self._sketched(-1), self._sketched(1)
        # A heavy tie: any window around it will do. Estimates of the mass of laws do
        # not see by how much it jumps there.
        self._tied = self.lo >= self.hi
        if self._tied:
            width = 1e-6 * max(abs(self.lo), last_time)
            self.lo, self.hi = self.lo - width, self.hi + width
        if n_law:  # a tie may lie just outside
            room = (self.hi - self.lo) / 16
            self.lo, self.hi = self.lo - room, self.hi + room
        self._open_window()

    # -- the window ------------------------------------------------------------

    def _sketched(self, side: int) -> float:
        """Return where the mass is surely below (-1) or above (1) the target."""
        i = int(np.searchsorted(self._ranks, self.target + side * self._spread)) + side
        beyond = not 0 <= i < len(self._ranks)
        if self.n_law:
            return float(self._scores[min(max(i, 0), len(self._scores) - 1)])
        if beyond:
            return side * np.inf
        # A tie must not be cut through.
        return float(np.nextafter(self._scores[i], side * np.inf))

    def _open_window(self) -> None:
        self.has_window = self.wants_bracket = False
        self._low_known, self._high_known = -np.inf, np.inf
        self._width = np.inf  # of the last bracket with too many breakpoints
        self._ties = np.empty((0, 2))  # first and last score of each place
        self._tried = 0  # how many of these were proposed
        self._cell: tuple[float, float] | None = None  # of the one that is
        self.bracket = Ends(self.lo, self.hi)

    def list_all(self) -> None:
        """Ask for all points and breakpoints that there are."""
        self.lo, self.hi, self._listing = -np.inf, np.inf, True
        self.bracket, self.wants_bracket = Ends(self.lo, self.hi, all=True), True

    @property
    def places(self) -> tuple[float, ...]:
        """Where the mass of laws is to be estimated."""
        if self._listing or not self.n_law:
            return ()
        return tuple((self.lo + (self.hi - self.lo) * self._places).tolist())

    def _move(self, side: int) -> None:
        """Look below (-1) or above (1) the window."""
        self._tied = False
        self._spread *= ROOM
        self._margin = self._first_margin
        self._stride = 2 * max(self._stride, self.hi - self.lo)
        further = self._sketched(side)
        if not self.n_law:
            self.lo, self.hi = (further, self.lo) if side < 0 else (self.hi, further)
        else:
            # A score at the end of a window, to rounding, lies inside the next.
            lo, hi, shared = self.lo, self.hi, (self.hi - self.lo) / 8
            if side < 0:
                self.lo, self.hi = min(further, lo - self._stride), lo + shared
            else:
                self.lo, self.hi = hi - shared, max(further, hi + self._stride)
        self._open_window()

    def see_window(
        self, below: int, events_below: int, points: Float, events: Bool, law: Float
    ) -> None:
        """Take in the points in the window and about the mass of laws at some places.

        Without laws the answer is one of the points.
        """
        self.has_window = True
        self._below, self._points = below, np.sort(points)
        self._events_below, self._event_points = events_below, points[events]
        if not self.n_law:
            i = int(np.ceil(self.target)) - 1 - below
            if not 0 <= i < len(points):
                self._move(-1 if i < 0 else 1)
            else:
                self._finish(float(self._points[i]))
            return
        if len(law):
            if not self._tied and below + law[0] > self.target + 1:
                self._move(-1)
                return
            if not self._tied and below + len(points) + law[-1] < self.target - 1:
                self._move(1)
                return
            self._grid = self.lo + (self.hi - self.lo) * _WAY
            smooth = law[0] + _THROUGH[len(law)] @ (law - law[0])
            self._law = np.maximum.accumulate(np.clip(smooth, law[0], law[-1]))
            self._propose()
            self._find_ties()
            self._try_sketched_tie()

    def _find_ties(self) -> None:
        """See whether scores keep to few places, as those of whole days do."""
        points = self._points
        # To rounding: tenths of a day are no whole numbers.
        jumps = np.flatnonzero(np.diff(points) > 4 * self._nudge)
        if len(jumps) + 1 <= _FEW_PLACES * len(points):
            first, last = np.append(0, jumps + 1), np.append(jumps, len(points) - 1)
            self._ties = np.column_stack([points[first], points[last]])

    def _propose_tie(self) -> bool:
        """Propose the place that should hold the answer, where scores keep to few.

        There the mass of laws jumps, too: what is smooth in the window is close to it
        halfway between two places. The gaps on both sides may be looked at beside it.
        """
        nudge, ties = self._nudge, self._ties
        some = np.flatnonzero((ties[:, 0] > self._low) & (ties[:, 1] < self._high))
        self._cell = None
        if self._tried == _TIES or not len(some):
            return False
        between = (ties[1:, 0] + ties[:-1, 1]) / 2
        cells = [self.lo, *between.tolist(), self.hi]
        after = np.interp(cells[1:], self._grid, self._law) + self._below
        after += np.searchsorted(self._points, ties[:, 1], side="right")
        i = some[min(int(np.searchsorted(after[some], self.target)), len(some) - 1)]
        first, last = ties[i].tolist()
        lo, hi = max(first - nudge, self._low), min(last + nudge, self._high)
        self.bracket = Ends(lo, hi, all=True)
        self._cell, self._tried = (cells[i], cells[i + 1]), self._tried + 1
        before = self._low if i == some[0] else ties[i - 1, 1] + nudge
        after_it = self._high if i == some[-1] else ties[i + 1, 0] - nudge
        self._look_beside(Ends(before, lo), Ends(hi, after_it))
        return True

    def _look_beside(self, *gaps: Ends) -> None:
        """Ask about gaps as well, if that is cheaper than another round."""
        if self._far:
            wide = [gap for gap in gaps if gap.all or gap.hi - gap.lo > 4 * self._nudge]
            self.brackets += wide

    def _try_sketched_tie(self) -> None:
        """Propose a place where many scores of the sketch lie, if it has the target."""
        i = min(int(np.searchsorted(self._ranks, self.target)), len(self._scores) - 1)
        place, nudge = float(self._scores[i]), self._nudge
        first, last = (
            int(np.searchsorted(self._scores, place, side))
            for side in ("left", "right")
        )
        subjects = self._ranks[last - 1] - self._ranks[first]
        if subjects > _HEAVY and self.lo < place - nudge and place + nudge < self.hi:
            predicted = self.bracket
            self.bracket = Ends(place - nudge, place + nudge, all=True)
            self._look_beside(predicted)

    def _finish(self, answer: float) -> None:
        self.answer = answer
        inside = int(np.count_nonzero(self._event_points <= answer))
        self.n_events = self._events_below + inside

    # -- brackets --------------------------------------------------------------

    def _propose(self) -> None:
        """Predict a bracket; the mass at its ends is asked for next."""
        lo, hi = self._around(self._margin)
        self.bracket = Ends(lo, hi, all=hi - lo <= 4 * self._nudge)
        self.wants_bracket = True

    def _around(self, margin: float) -> tuple[float, float]:
        """Predict between which ends so much mass lies on either side of the target."""
        nudge = self._nudge
        lo = max(self._crossing(self.target - margin) - nudge, self._low)
        hi = min(self._crossing(self.target + margin) + nudge, self._high)
        return (lo, hi) if lo < hi else (self._low, self._high)

    @property
    def bracket(self) -> Ends:
        """The bracket that is looked at."""
        return self.brackets[0]

    @bracket.setter
    def bracket(self, ends: Ends) -> None:
        self.brackets = [ends]

    @property
    def _nudge(self) -> float:
        """How far a bracket steps aside, so that a score meant to lie inside does.

        Whether the score of u is at most s is asked as offset − s·rate ≤ u, which
        rounds differently, by less than this.
        """
        return 8 * EPS * max(abs(self.lo), abs(self.hi), self.last_time)

    @property
    def _low(self) -> float:
        return max(self.lo, self._low_known)

    @property
    def _high(self) -> float:
        return min(self.hi, self._high_known)

    def _count(self, s: float) -> int:
        return self._below + int(np.searchsorted(self._points, s, side="right"))

    def _crossing(self, target: float) -> float:
        """Predict the smallest s in the window with mass(s) ≥ target."""
        grid, law, points = self._grid, self._law, self._points
        first, last = np.searchsorted(points, (grid[0], grid[-1]), side="right")
        points, below = points[first:last], self._below + int(first)
        if below + law[0] >= target:
            return float(grid[0])
        after = np.interp(points, grid, law) + np.arange(len(points)) + (below + 1)
        i = int(np.searchsorted(after, target))
        end = float(points[i]) if i < len(points) else float(grid[-1])
        needed = target - below - i
        if law[-1] >= needed:
            end = min(end, float(np.interp(needed, law, grid)))
        return max(end, float(points[i - 1])) if i else end

    def see_brackets(self, answers: Sequence[Inside]) -> None:
        """Take in what is known of the brackets that were asked about."""
        seen = list(zip(self.brackets, answers, strict=True))
        reached = [self._reached(ends, inside) for ends, inside in seen]
        i = reached.index(_HELD) if _HELD in reached else 0
        for j, (ends, _) in enumerate(seen):
            if j != i:
                self._note(ends, reached[j])
        self.bracket, self._cell = seen[i][0], self._cell if i == 0 else None
        self._see_bracket(answers[i], reached[i])

    def _reached(self, ends: Ends, inside: Inside) -> tuple[bool, ...]:
        """Say whether the mass has reached the target at both ends."""
        pairs = zip(ends[:2], inside.mass, strict=True)
        return tuple(bool(self._count(s) + law >= self.target) for s, law in pairs)

    def _note(self, ends: Ends, reached: tuple[bool, ...]) -> None:
        for s, enough in zip(ends[:2], reached, strict=True):
            if enough:
                self._high_known = min(self._high_known, s)
            else:
                self._low_known = max(self._low_known, s)

    def _see_bracket(self, inside: Inside, reached: tuple[bool, ...]) -> None:
        mass, rise, listed = inside
        lo, hi = self.bracket.lo, self.bracket.hi
        held = reached == _HELD
        if listed is not None and held and not listed.rough:
            self._finish(self._end(mass[0], rise, listed))
            return
        self._note(self.bracket, reached)
        if self._high_known <= self.lo:
            self._move(-1)
            return
        if self._low_known >= self.hi:
            self._move(1)
            return
        self._correct(self._cell or (lo, hi), mass)
        if self._propose_tie():
            return
        if np.isinf(self._high_known - self._low_known):  # not proven yet
            # First a little more room, with more on both sides; then all that there is.
            if self._margin < 1:
                self._margin *= MORE
                self._propose()
                (lo, hi), inner = self._around(MORE * self._margin), self.bracket
                self._look_beside(Ends(lo, inner.lo), Ends(inner.hi, hi))
            else:
                self._margin = np.inf
                self._propose()
            return
        if listed is not None and held and not self._led:
            self._lead(mass[0], rise, listed)
            return
        self._missed = 0 if held else self._missed + 1
        # Off by so much: the same on the other side should do.
        nearest = (lo, mass[0]) if reached[0] else (hi, mass[1])
        self._narrow(abs(self._count(nearest[0]) + nearest[1] - self.target))

    def _narrow(self, off: float) -> None:
        """Propose a narrower bracket, or another if the last did not hold the answer.

        Parameters
        ----------
        off : float
            By what the mass was off at the nearer end.
        """
        width = self._high - self._low
        if self._missed == 1 and self._some_between():
            self._margin = max(self._margin, off)
            self._propose()
        elif self._missed:
            # Often nothing but a line is left between the ends that are known.
            self.bracket = Ends(self._low, self._high, all=width <= 4 * self._nudge)
        elif width > self._width / 2:  # the prediction misleads
            self._split(width)
        else:
            # What counts as reaching k must not move the answer.
            smallest = 16 * (self.wanted - self.target)
            self._margin = max(min(self._margin, 1.0) / GAIN, smallest)
            self._width = width
            self._propose()

    def _some_between(self) -> bool:
        """Say whether points lie between the ends that are known."""
        nudge = self._nudge
        ends = self._low + 4 * nudge, self._high - 4 * nudge
        first, last = np.searchsorted(self._points, ends)
        return bool(first < last)

    def _lead(self, base: float, rise: float, listed: Listed) -> None:
        """Propose the stretch between two bends that should hold the answer."""
        self._led, nudge = True, self._nudge
        # What jumps and turns leave of the rise is the slope at the start.
        hi, at = self.bracket.hi, np.clip(listed.position, *self.bracket[:2])
        rest = rise - float(listed.jump.sum() + (listed.turn * (hi - at)).sum())
        slope = max(rest, 0.0) / (hi - self.bracket.lo)
        place = self._end(base, rise, replace(listed, base_slope=slope))
        bends = np.concatenate([listed.position, self._points])
        below, above = bends[bends < place - nudge], bends[bends > place + nudge]
        lo = max(float(below.max(initial=self._low)) + nudge, self._low)
        hi = min(float(above.min(initial=self._high)) - nudge, self._high)
        if len(below) + len(above) < len(bends):  # on a bend, or as good as
            lo, hi = place - 2 * nudge, place + 2 * nudge
        self.bracket = Ends(lo, hi, all=hi - lo <= 4 * nudge)

    def _split(self, width: float) -> None:
        """Propose a bracket around the place where most scores lie, or a third."""
        low, high, nudge = self._low, self._high, self._nudge
        known = np.concatenate([self._points, self._scores])
        known = known[(known > low + nudge) & (known < high - nudge)]
        places, counts = np.unique(known, return_counts=True)
        if len(places) and counts.max() > 1:
            most = float(places[np.argmax(counts)])
            self.bracket = Ends(most - nudge, most + nudge, all=True)
        else:
            self.bracket = Ends(low + width / 3, high - width / 3)

    def _correct(self, ends: tuple[float, float], mass: tuple[float, float]) -> None:
        """Bring the mass of laws in the window into line with exact values."""
        error = np.array(mass) - np.interp(ends, self._grid, self._law)
        grid = np.linspace(self._low, self._high, _NODES)
        law = np.interp(grid, self._grid, self._law) + np.interp(grid, ends, error)
        self._grid, self._law = grid, np.maximum.accumulate(law)

    def _end(self, base: float, rise: float, listed: Listed) -> float:
        """Return the answer, which lies in the bracket."""
        lo, hi = self.bracket.lo, self.bracket.hi
        points = self._points[(self._points > lo) & (self._points <= hi)]
        slope = listed.base_slope
        if listed.straight and not listed.rough:
            rest = rise - float(listed.jump.sum())
            straight = rest > _ROUNDING[0] + _ROUNDING[1] * self.n_law
            slope = rest / (hi - lo) if straight else 0.0
        position = np.concatenate([points, listed.position])
        order = np.argsort(position)
        jump = np.concatenate([np.ones(len(points)), listed.jump])[order]
        turn = np.concatenate([np.zeros(len(points)), listed.turn])[order]
        base += self._count(lo)
        if slope or turn.any():
            return self._walk(base, slope, position[order], jump, turn)
        # Jumps alone.
        mass = base + np.cumsum(jump)
        i = int(np.searchsorted(mass, self.target))
        return float(position[order[i]]) if i < len(order) else hi

    def _walk(
        self, base: float, slope: float, at: Float, jump: Float, turn: Float
    ) -> float:
        """Follow the mass through its breakpoints to the first place that reaches k."""
        lo, hi, target = self.bracket.lo, self.bracket.hi, self.target
        # Index 0 is lo itself; entry i + 1 belongs to breakpoint i.
        slopes = slope + np.concatenate([[0.0], np.cumsum(turn)])
        # Cumulated slope changes cancel to rounding, not to zero.
        slopes[slopes < 1e-12 * max(float(slopes.max()), 0.0)] = 0.0
        with np.errstate(invalid="ignore"):
            run = np.diff(np.concatenate([[lo], at, [hi]]))
            rise = np.where(slopes > 0, slopes * run, 0.0)
        before = base + np.cumsum(rise) + np.concatenate([[0.0], np.cumsum(jump)])
        # before[i] is the mass just below breakpoint i; the last entry is that at hi.
        after = before[:-1] + jump
        i = int(np.searchsorted(np.maximum.accumulate(after), target))
        if before[i] >= target and slopes[i] > 0:
            start = lo if i == 0 else float(at[i - 1])
            level = float(before[i] - rise[i])
            end = hi if i == len(at) else float(at[i])
            return min(start + max(self.wanted - level, 0.0) / float(slopes[i]), end)
        return hi if i == len(at) else float(at[i])

"""Curves that are right if a model of the event or one of censoring is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from sklearn.base import BaseEstimator

from consurv._checks import Bool, Float
from consurv.adapters.adapter import describe
from consurv.conformal.censoring.nuisance import Fitted, Nuisance, curves_of
from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.quantile.found import Levels, Shifts
from consurv.conformal.quantile.identified import ENOUGH_EVENTS
from consurv.conformal.quantile.search import rank
from consurv.errors import InvalidInput, NotConformalizedError
from consurv.outcome import Outcome
from consurv.weighting.augmented import Augmented
from consurv.weighting.sample import Sample
from consurv.weighting.search import lowest_level

__all__ = ["DoublyRobust"]

# Scores that are looked at first, of a level; then those around the end.
_COARSE = 128


class DoublyRobust(CensoringRule, BaseEstimator):  # type: ignore[misc]
    """Subjects count as in ``"aipcw"``: by 1/G who is known, by S who is not.

    With q' = q(ρ|x) − s the mass of scores that are at most s is N·F(s) = Σ θ(q'),

        θ(q) = D·1(Y ≥ q)/G(Y⁻|x) + (1 − D)·η(Y)/G(Y|x) − Σ η(u) d(1/G(u|x)),

    η(u) = P(T ≥ q | T > u) by the event model (see ``consurv.bounds.methods.AIPCW``).
    Where G(·|x) falls to ``least_seen`` weighting ends, and from there on the event
    model speaks alone. F need not rise with s: b(ρ) is the lowest observed score at and
    above which N·F(s) ≥ ⌈ρ(N + 1)⌉.

    If G is right (and not small) F is right on average whatever the event model; if the
    event model is, whatever G. For ``"level"`` q' = q(u|x) and u takes the place of s:
    ρ* is the lowest u at and above which Σ θ(q(u|x)) ≥ ⌈ρ(N + 1)⌉. Not for
    ``"recalibrated"``; but a recalibrated model is a model, and can be conformalized.

    Parameters
    ----------
    event : object
        A survival model, in any form that ``ConformalSurvival`` takes.
    censoring : object
        One for (time, not event). Models that are fitted are used as they are; of
        others ``ConformalSurvival.fit`` trains copies on the rows that train the model
        itself, under ``"cross"`` one for every fold.
    least_seen : float, optional
        By default 1/log n of the block of subjects in question.

    Examples
    --------
    >>> from consurv import ConformalSurvival, Outcome
    >>> rng = np.random.default_rng(0)
    >>> T, C = rng.exponential(10, 800), rng.exponential(15, 800)
    >>> y = Outcome(time=np.minimum(T, C), event=T <= C)
    >>> times = np.linspace(0.1, 90, 900)
    >>> def exponential(mean):
    ...     return lambda X: (times, [np.exp(-times / mean)] * len(X))
    >>> rule = DoublyRobust(event=exponential(10), censoring=exponential(25))
    >>> model = ConformalSurvival(exponential(20), adjustment="time", censoring=rule)
    >>> X = np.zeros((800, 1))
    >>> found = model.conformalize(X, y).predict_quantile(X[:1], [0.9, 0.5])[0]
    >>> [round(float(np.mean(T >= t)), 2) for t in found]
    [0.91, 0.49]
    """

    takes_weights = True
    for_levels = True

    def __init__(
        self, event: Any, censoring: Any, least_seen: float | None = None
    ) -> None:
        self.event = event
        self.censoring = censoring
        self.least_seen = least_seen

    @property
    def name(self) -> str:
        """The rule and its models."""
        both = f"{describe(self.event)}, {describe(self.censoring)}"
        return f"DoublyRobust({both})"

    @property
    def imputer(self) -> Any:
        """The models, that of censoring first."""
        return self.censoring, self.event

    def fitted(
        self, training: Data | None, validation: Data | None, earlier: Any = None
    ) -> DoublyRobust:
        """Return this rule with fitted models: its own, or copies trained here."""
        own = Nuisance(self.censoring, self.event)
        if own.is_fitted:
            return self
        found = own.fitted(training, validation, earlier)
        if training is None and earlier is None:
            raise NotConformalizedError(
                "the models inside DoublyRobust are not fitted: fit them first (that "
                "of censoring to time and not event), or call fit(X, y), which trains "
                "them along"
            )
        models = found.models
        return DoublyRobust(models.event, models.censoring, self.least_seen)

    def shifts(self, blocks: Any) -> Shifts:
        """Return the shift of every level, by θ."""
        parts = [_ShiftPart(self._theta(block), block) for block in blocks]
        found = [
            _lowest([part.at(p) for part in parts], float(level))
            for p, level in enumerate(blocks[0].levels)
        ]
        shift, counted, beyond, identified = map(np.array, zip(*found, strict=True))
        endless = [np.isinf(block.percentile_times).any(axis=1) for block in blocks]
        infinite = int(np.concatenate(endless).sum())
        return Shifts(shift, counted, beyond, identified, infinite)

    def adjusted_levels(self, blocks: Any) -> Levels:
        """Return the level at which raw curves are to be read for every level, by θ."""
        parts = [_LevelPart(self._theta(block), block) for block in blocks]
        found = [_lowest(parts, float(level)) for level in blocks[0].levels]
        level, _, beyond, identified = map(np.array, zip(*found, strict=True))
        return Levels(level, beyond, identified)

    def _theta(self, block: Block) -> _Theta:
        outcome = block.outcome
        if outcome.n_events == len(outcome):
            return _Theta(None, np.full(len(outcome), np.inf))
        if block.features is None:
            raise InvalidInput(
                "DoublyRobust needs the features of the conformal set, which arrays of "
                "percentile times do not have; use ConformalSurvival"
            )
        models = Fitted(*(block.imputer or self.imputer))
        if models.censoring is None:
            raise InvalidInput(
                "nobody is censored among the rows that the censoring model is fitted "
                "to; give DoublyRobust a fitted one"
            )
        event = curves_of(models.event, block.features)
        sample = Sample(outcome, event, curves_of(models.censoring, block.features))
        least = self.least_seen or 1 / np.log(max(outcome.total_weight, 3))
        until = sample.capped(least).cap
        assert until is not None
        return _Theta(Augmented(sample, until=until), until)


class _Theta:
    """θ of the subjects of a block; what is observed where nobody is censored."""

    def __init__(self, theta: Augmented | None, until: Float) -> None:
        self._theta, self._until = theta, until[:, None]

    def at(self, times: Float, covered: Bool) -> Float:
        """Return θ (n, m) at times (n, m), *covered* where they were reached."""
        if self._theta is None:
            return covered.astype(np.float64)
        return self._theta.at(times, covered & (times <= self._until))


class _Part(Protocol):
    """Subjects whose mass grows with a number, that all of them share."""

    outcome: Outcome
    scores: Float  # the number from which on each reaches its time; inf: never counts

    def mass(self, s: Float) -> Float:
        """Return the mass (m,) at numbers (m,)."""


class _ShiftPart:
    """A block at the levels of its percentile times."""

    def __init__(self, theta: _Theta, block: Block) -> None:
        self._theta, self._block = theta, block

    def at(self, p: int) -> _AtLevel:
        """Return what there is at a level."""
        return _AtLevel(self._theta, self._block, self._block.percentile_times[:, p])


class _AtLevel:
    """A block at one level, moved by shifts or factors."""

    def __init__(self, theta: _Theta, block: Block, q: Float) -> None:
        self._theta, self.outcome = theta, block.outcome
        self._counts = np.isfinite(q)
        offset, rate = block.line(q)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = (offset - self.outcome.time) / rate
        self.scores = np.where(self._counts, scores, np.inf)
        self._line = block.line(np.where(self._counts, q, 0.0)[:, None])

    def mass(self, s: Float) -> Float:
        """Return the mass (m,) of scores that are at most s (m,)."""
        offset, rate = self._line
        times = np.maximum(offset - s * rate, 0.0)
        theta = self._theta.at(times, self.scores[:, None] <= s)
        return np.asarray((self._counts * self.outcome.weights) @ theta)


class _LevelPart:
    """A block whose raw curves are read at other levels."""

    def __init__(self, theta: _Theta, block: Any) -> None:
        self._theta, self.outcome, self._curves = theta, block.outcome, block.curves
        self.scores = block.reading[:, 0]

    def mass(self, s: Float) -> Float:
        """Return the mass (m,) at levels s (m,) of raw curves."""
        times = self._curves._times_at(s)
        theta = self._theta.at(times, self.scores[:, None] <= s)
        return np.asarray(self.outcome.weights @ theta)


def _lowest(parts: Sequence[_Part], level: float) -> tuple[float, int, bool, bool]:
    """Return the number, subjects, whether k > N, and whether events tell it."""
    scores = np.concatenate([part.scores for part in parts])
    event = np.concatenate([part.outcome.event for part in parts])
    weights = np.concatenate([part.outcome.weights for part in parts])
    n = int(np.count_nonzero(np.isfinite(scores)))
    if n < 2:
        raise InvalidInput(
            f"only {n} of {len(scores)} percentile times at level {level:g} are "
            "finite; at least two are needed"
        )
    total = float(weights[np.isfinite(scores)].sum())
    k = rank(level, total)
    candidates = np.unique(scores[np.isfinite(scores)])[::-1]

    def mass(s: Float) -> Float:
        total: Float = np.sum([part.mass(s) for part in parts], axis=0)
        return total

    target = min(k, total) - (1e-9 + 1e-12 * total)
    found = lowest_level(mass, candidates, target, coarse=_COARSE)
    number = float(candidates[0]) if found is None else found
    seen = float(weights[event & (scores <= number)].sum())
    enough = seen >= min(ENOUGH_EVENTS, k / 2)
    return number, n, k > total, found is not None and enough

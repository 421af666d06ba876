"""``"recalibrated"``: curves mended by maximum likelihood, at every risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from consurv._checks import Float, as_floats, as_levels
from consurv._params import AtLeast
from consurv._warnings import warn
from consurv.adapters.adapter import n_rows
from consurv.conformal.adjustments.adjust import AdjustedCurves, adjust, curves_through
from consurv.conformal.adjustments.adjustment import Adjustment, Picture
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.parts.partitions import Partitions, as_partitions
from consurv.conformal.quantile.identified import unidentified_text
from consurv.conformal.reading.raw_model import RawModel
from consurv.conformal.recalibration.recalibration import Recalibration, raw_times
from consurv.conformal.recalibration.search import (
    FEWEST_EVENTS,
    FoundRecalibration,
    find_recalibration,
)
from consurv.conformal.recalibration.shapes import WIDTH, read_curves
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput

__all__ = ["RecalibratedAdjustment"]

# With fewer events hardly any number exceeds two standard errors.
_FEW_EVENTS = 20
# Subjects predicted at once, if their curves are a few numbers each: what is read off
# them is held for far fewer, and many are searched for faster in the order of risk.
_SUBJECTS = 2**18
# Nodes of adjusted curves beyond the levels asked for. Above, a line from 1 to the
# highest would say of rare events that they come many times too early; below, a line
# from the lowest to 0 would end a curve at once.
_EARLY, _LATE = np.array([0.998, 0.995, 0.99, 0.975]), np.array([0.025, 0.01])
# Normal scores of raw medians that the picture shows: the deciles and the middle.
_SHOWN = {"high risk": -1.28, "middle": 0.0, "low risk": 1.28}


@dataclass(frozen=True, kw_only=True)
class RecalibratedAdjustment(Adjustment):
    """Curves whose law of time was mapped, and whose hazards were mended by risk.

    Two stages of maximum likelihood, each drawn to "the model is right" unless the
    events say otherwise by two standard errors: (a) times are stretched, contrasts
    between subjects and widths of curves widened or narrowed, a delay taken off; (b)
    the hazard of the mapped curves is multiplied by ratios that depend smoothly on how
    much of it was used up and on risk. Censored subjects count with the probability to
    be event-free so long. Rows never cross; the order of medians is kept, or held at a
    Kendall's tau of 0.99. No theorem says how far coverage is off: it is a likelihood,
    not a conformal quantile.

    Attributes
    ----------
    recalibration : Recalibration
        The numbers of both stages.
    identified : ndarray of shape (P,) of bool
        Levels with enough events at or beyond q' (five, or half of those that should
        be there). The others rest on the raw curves' own tails.
    n_events : int
    n_without_shape : int
        Subjects that do not count: their curves never drop, or have a median of 0.
    n_ending : int
        Subjects whose curves end before the lowest level that is read.
    dof : float
        How many degrees of freedom the events paid for.

    Examples
    --------
    A model whose times are twice too long:

    >>> from consurv import ConformalSurvival, Outcome
    >>> times = np.geomspace(0.01, 500, 300)
    >>> scale = np.exp(np.linspace(1, 3, 400))[:, None]
    >>> def model(X):
    ...     return times, np.exp(-times / (2 * X))
    >>> chance = (np.arange(400) * 0.618) % 1 + 1e-3
    >>> y = Outcome(-np.log(chance) * scale[:, 0], np.ones(400))
    >>> post = ConformalSurvival(model, adjustment="recalibrated")
    >>> post.conformalize(scale, y).recalibration_.time_map
    TimeMap(times x 0.5..., contrasts x 1, widths x 1, delay 0 medians)
    """

    kind: ClassVar[str] = "recalibrated"
    adjusts: ClassVar[str] = "the law of time, by risk"
    method: ClassVar[str] = "times and hazards recalibrated by likelihood, by risk"
    what: ClassVar[str] = "recalibration"
    can_cross: ClassVar[bool] = False
    anywhere: ClassVar[bool] = True
    rule_names: ClassVar[tuple[str, ...]] = ("auto",)
    _parts: ClassVar[Any] = {"recalibration": Recalibration}
    _needs_curve: ClassVar[bool] = False
    _stored: ClassVar[Any] = {
        "n_events": AtLeast(0),
        "n_without_shape": AtLeast(0),
        "n_ending": AtLeast(0),
        "dof": AtLeast(0, real=True),
        **Adjustment._stored,
    }

    recalibration: Recalibration
    n_events: int
    n_without_shape: int = 0
    n_ending: int = 0
    dof: float = 0.0

    # -- from a conformal set to an adjustment ---------------------------------

    @classmethod
    def choose_rule(cls, censoring: Any, n_samples: int | None) -> str:
        """Return ``"likelihood"``: it knows itself what a censored subject tells.

        Examples
        --------
        >>> RecalibratedAdjustment.choose_rule("auto", None)
        'likelihood'
        """
        if n_samples is not None:
            raise InvalidInput(
                f"n_samples={n_samples} goes with adjustment='time'; "
                "adjustment='recalibrated' draws nothing: leave it at None"
            )
        if isinstance(censoring, str) and censoring in cls.rule_names:
            return "likelihood"
        raise InvalidInput(
            f"censoring={censoring!r} goes with other adjustments: the likelihood of "
            "adjustment='recalibrated' handles censoring itself; leave it at 'auto'"
        )

    @classmethod
    def rule_name(cls, rule: Any, censoring: Any) -> str:
        """Return the rule itself, which is a name."""
        return str(rule)

    @classmethod
    def read(
        cls, raw: RawModel, data: Data, levels: Float, *, in_training: bool
    ) -> Block:
        """Return conformal subjects with their raw curves at fine levels."""
        X, outcome = data
        reading = raw.read_off(X, read_curves, WIDTH)
        return Block(reading, levels, outcome, features=X, in_training=in_training)

    @classmethod
    def find(cls, blocks: Any, rule: Any, rng: np.random.Generator) -> Self:
        """Return the recalibration of all blocks together; nothing is drawn."""
        subjects = as_partitions(blocks)
        found, levels = find_recalibration(subjects), subjects.levels
        _warn_about(found, levels)
        return cls(
            levels=levels,
            n_conformal=subjects.n,
            **found._asdict(),
        )

    @classmethod
    def make(
        cls,
        blocks: Partitions | Sequence[Block],
        rule: Any,
        rng: np.random.Generator,
        **how: Any,
    ) -> Self:
        """Find the adjustment and write down how it was made.

        The Kaplan–Meier curve is kept for those who look at it, no more; without an
        event there is none.
        """
        subjects = as_partitions(blocks)
        if subjects.n_events:
            return super().make(subjects, rule, rng, **how)
        known = {n: v for n, v in how.items() if n not in ("kaplan_meier", "training")}
        return replace(cls.find(subjects, rule, rng), **known)

    # -- from raw curves to adjusted ones --------------------------------------

    @property
    def node_levels(self) -> Float:
        """The levels at which adjusted curves have nodes: early and late ones, too."""
        levels = super().node_levels
        early, late = _EARLY[levels[0] < _EARLY], _LATE[levels[-1] > _LATE]
        return np.concatenate([early, levels, late])

    def read_new(self, raw: RawModel, X: Any) -> Float:
        """Return what is read off the raw curves of subjects to be predicted."""
        return raw.read_off(X, read_curves, WIDTH)

    def apply(
        self, reading: Any, random_state: int | np.random.Generator | None = None
    ) -> AdjustedCurves:
        """Return adjusted curves from what ``read_new`` read."""
        read = as_floats(reading, "reading", ndim=2, allow_inf=True)
        fine = self.recalibration.fine_levels
        if read.shape[1] != len(fine) + 2:
            raise InvalidInput(
                f"reading has {read.shape[1]} columns, not {len(fine) + 2}; take what "
                "read_new returns, or give curves to apply_to"
            )
        if self.n_events >= FEWEST_EVENTS:
            times = self.recalibration.times(read, self.node_levels)
        else:
            times = raw_times(read, fine, self.node_levels)
        return self._curves(times, random_state)

    def predict(
        self,
        raw: RawModel,
        X: Any,
        random_state: int | np.random.Generator | None = None,
    ) -> AdjustedCurves:
        """Return the adjusted curves of new subjects.

        What is read is some times what is asked for: it is held for few rows only.
        """
        if self.n_events < FEWEST_EVENTS:
            return super().predict(raw, X, random_state)
        levels = self.node_levels
        nodes = np.zeros((n_rows(X), len(levels) + 1))
        for rows, curves in raw.chunks(X, _SUBJECTS):
            self.recalibration.times_of_curves(curves, levels, nodes[rows, 1:])
        return curves_through(nodes, levels, self.rearrange, random_state)

    def _curves(
        self, times: Float, random_state: int | np.random.Generator | None
    ) -> AdjustedCurves:
        return adjust(
            times,
            self.node_levels,
            np.zeros(times.shape[1]),  # nothing is left to shift
            rearrange=self.rearrange,
            random_state=random_state,
        )

    def apply_to(
        self,
        curves: SurvivalCurves,
        random_state: int | np.random.Generator | None = None,
    ) -> AdjustedCurves:
        """Return adjusted curves from raw curves."""
        return self.apply(read_curves(curves), random_state)

    # -- what it did -----------------------------------------------------------

    def attributes(self) -> dict[str, Any]:
        """Return the recalibration."""
        return {"recalibration_": self.recalibration}

    def picture(self) -> Picture:
        """Return the factor of time against level, at three risks."""
        lines = [self.recalibration.factors(self.levels, z) for z in _SHOWN.values()]
        values = np.stack(lines, axis=1)
        said = ", ".join(
            f"{name} from {line.min():.3g} to {line.max():.3g}"
            for name, line in zip(_SHOWN, lines, strict=True)
        )
        return Picture(
            label="Factor of time",
            values=values,
            neutral="one",
            caption="What the time at which survival falls to a level was multiplied "
            "by, for a curve of the usual width in the middle and at the outer deciles "
            "of predicted risk. Below one the model was too optimistic.",
            alt=f"Factor against level: {said}.",
            names=tuple(_SHOWN),
        )

    def cautions(self) -> list[tuple[str, str]]:
        """Return what weakens the recalibration."""
        found = super().cautions()
        if self.n_events < _FEW_EVENTS:
            found.append(
                (
                    "Few events in the conformal set",
                    f"Only {self.n_events:,} of {self.n_conformal:,} conformal "
                    "subjects had the event: curves stay close to what the model says.",
                )
            )
        if self.n_ending:
            found.append(
                (
                    "Raw curves that end early",
                    f"{self.n_ending:,} of {self.n_conformal:,} conformal subjects "
                    "have raw curves that end above the lowest level; they are "
                    "continued in the slope of their last three quarters.",
                )
            )
        if self.n_without_shape:
            found.append(
                (
                    "Curves that do not count",
                    f"{self.n_without_shape:,} of {self.n_conformal:,} conformal "
                    "subjects have curves that never drop, or drop below 0.5 at once; "
                    "they do not count, and such curves stay as they are.",
                )
            )
        return found

    @classmethod
    def _checked(cls, arrays: dict[str, Float]) -> dict[str, Any]:
        return super()._checked(arrays) | {"levels": as_levels(arrays["levels"])}


def _warn_about(found: FoundRecalibration, levels: Float) -> None:
    if found.n_without_shape:
        warn(
            f"{found.n_without_shape} subjects have curves that never drop, or a "
            "median of 0; they do not count and stay as they are"
        )
    if found.n_events < FEWEST_EVENTS:
        seen = "only one event" if found.n_events else "no event"
        warn(
            f"{seen} was observed in the conformal set: there is nothing to learn "
            "from, and the curves stay as they are"
        )
    elif not found.identified.all():
        unknown = levels[~found.identified]
        warn(unidentified_text(unknown, "curves", "what the raw model says"))

"""What the reader of a report should be wary of."""

from __future__ import annotations

from dataclasses import dataclass

from consurv.conformal.estimator import ConformalSurvival
from consurv.conformal.sets.conformal_sets import CONFORMAL_SETS
from consurv.outcome import Outcome
from consurv.report.predictions import Predictions
from consurv.report.verdict import FEW_EVENTS

__all__ = ["Caution", "cautions"]

_HEAVY_CENSORING = 0.7
_FEW_CONFORMAL = 200
# The late end of an 80 % interval; of one subject in twenty it may lie beyond.
_LATE, _FEW_LATE = 0.1, 0.05
# Weights that add up to so many times what they tell make tests see too much.
_INFLATED = 1.5


@dataclass(frozen=True)
class Caution:
    """Something to be wary of: a title of a few words and a sentence or two."""

    title: str
    text: str


def cautions(
    model: ConformalSurvival, y: Outcome, predictions: Predictions
) -> list[Caution]:
    """Return what weakens the results, the gravest first.

    Parameters
    ----------
    model : ConformalSurvival
        Conformalized.
    y : Outcome
        Of the subjects that the report is about.
    predictions : Predictions
        Of the same subjects.

    Returns
    -------
    list of Caution
    """
    return [
        *_about_outcomes(y),
        *_about_conformal_set(model),
        *_about_raw_curves(model, predictions),
        *_about_follow_up(model, predictions),
        *_about_adjusted_curves(predictions),
    ]


def _about_outcomes(y: Outcome) -> list[Caution]:
    found = []
    if y.n_events < FEW_EVENTS:
        found.append(
            Caution(
                "Few events",
                f"Only {y.n_events:,} of {len(y):,} subjects had the event; the "
                f"metrics vary much, and tests that want {FEW_EVENTS} find little.",
            )
        )
    censored = 1 - y.n_events / len(y)
    if censored > _HEAVY_CENSORING:
        found.append(
            Caution(
                "Heavy censoring",
                f"{censored:.0%} of the subjects are censored. Much of every metric "
                "then rests on how it stands in for times that were not observed.",
            )
        )
    return [*found, *_about_weights(y)]


def _about_weights(y: Outcome) -> list[Caution]:
    """Say how far tests can be believed that take weights for subjects."""
    weighing = y.weighing
    if weighing is None or weighing.total <= _INFLATED * weighing.n_effective:
        return []
    return [
        Caution(
            "Weights that stand for more subjects than were seen",
            f"The {len(y):,} subjects stand for {weighing.total:,.0f} and tell as much "
            f"as {weighing.n_effective:,.0f} of equal weight. p-values take the "
            "first for the number of subjects and find too much; the intervals, which "
            "draw subjects anew, do not. Weights times n/sum are the cure if yours "
            "only say how much subjects count beside each other.",
        )
    ]


def _about_conformal_set(model: ConformalSurvival) -> list[Caution]:
    found, adjustment = [], model.adjustment_
    caution = CONFORMAL_SETS[adjustment.conformal_set].caution
    if caution is not None:
        found.append(Caution(*(part.format(what=adjustment.what) for part in caution)))
    n: float = adjustment.n_conformal
    if adjustment.weighing is not None:
        n = min(n, round(adjustment.weighing.n_effective))
    if n < _FEW_CONFORMAL:
        in_effect = "" if adjustment.weighing is None else " in effect"
        found.append(
            Caution(
                "Small conformal set",
                f"With {n:,} conformal subjects{in_effect} the share at a level may "
                "miss it by "
                f"about {n**-0.5:.0%} in one adjustment, though it is right on average "
                "over many.",
            )
        )
    return found + [Caution(*pair) for pair in adjustment.cautions()]


def _about_raw_curves(
    model: ConformalSurvival, predictions: Predictions
) -> list[Caution]:
    found = []
    n, lowest = len(predictions.raw), model.adjustment_.raw_levels.min()
    if predictions.n_extrapolated:
        found.append(
            Caution(
                f"Tail extrapolated for {_share(predictions.n_extrapolated, n)}",
                f"Their raw curves end above the lowest level that is read, {lowest:g}."
                " The rest lies on the straight line from (0, 1) through the last "
                "point, which is a convention and no prediction.",
            )
        )
    if predictions.n_infinite:
        found.append(
            Caution(
                f"Curves of {_share(predictions.n_infinite, n)} never come down",
                "They have infinite percentile times. Where medians are infinite, "
                "MAE-PO takes all times past the last observed one for that one.",
            )
        )
    if predictions.n_times is not None:
        found.append(
            Caution(
                "Raw curves shortened",
                f"To save memory the raw curves were read at {predictions.n_times:,} "
                "times, and are linear in between; the calibrated ones are exact.",
            )
        )
    return found


def _about_follow_up(
    model: ConformalSurvival, predictions: Predictions
) -> list[Caution]:
    """Say how many intervals end where nobody was seen, if they are not a few."""
    follow_up, curves = model.adjustment_.follow_up, predictions.calibrated
    late = curves.percentile_times([_LATE])[:, 0]
    n_late = int((late > follow_up).sum())
    if n_late <= _FEW_LATE * len(curves):
        return []
    return [
        Caution(
            f"Intervals of {_share(n_late, len(curves))} end beyond the follow-up",
            f"Nobody was seen for longer than {follow_up:.4g}, but {1 - 2 * _LATE:.0%} "
            f"intervals reach as far as {late.max():.4g}. Such ends are extrapolated; "
            "read a survival probability within the follow-up instead.",
        )
    ]


def _about_adjusted_curves(predictions: Predictions) -> list[Caution]:
    found = []
    curves = predictions.calibrated
    if curves.n_rearranged:
        found.append(
            Caution(
                f"Curves of {_share(curves.n_rearranged, len(curves))} rearranged",
                "Their shifted percentile times crossed and were put in order. That "
                "the ranking is kept holds for the others.",
            )
        )
    if curves.n_clipped:
        found.append(
            Caution(
                f"Curves of {_share(curves.n_clipped, len(curves))} clipped",
                "Some of their shifted percentile times were below 0 and became 0: the "
                "curves drop at once. This can make ties in the ranking.",
            )
        )
    return found


def _share(count: int, n: int) -> str:
    who = f"{count / n:.1%} of" if count < n else "all"
    return f"{who} subjects ({count:,} of {n:,})"

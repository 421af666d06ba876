"""Harrell's concordance index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float, check_same_length
from consurv._params import OneOf, check_params
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics._inputs import as_risk, check_events, check_weighted
from consurv.metrics._pairs import count_pairs
from consurv.metrics.facts import Metric
from consurv.metrics.results import MetricResult
from consurv.outcome import Outcome

__all__ = [
    "C_INDEX",
    "ConcordanceResult",
    "concordance_index",
    "concordance_of_risk",
    "risk_of",
]

Ties = Literal["half", "drop"]

_PREDICTED_TIMES: dict[str, Callable[[SurvivalCurves], Float]] = {
    "median": lambda curves: curves.median(),
    "mean": lambda curves: curves.mean(),
}
_TIE_RULES = {
    "tied_risks": OneOf("half", "drop"),
    "tied_times": OneOf("drop", "half"),
}


@dataclass(frozen=True, eq=False)
class ConcordanceResult(MetricResult):
    """What :func:`concordance_index` returns; ``float()`` is the C-index.

    Attributes
    ----------
    value : float
        The C-index, (n_concordant + half of the ties that count) / n_pairs.
    n_concordant, n_discordant : int
        Comparable pairs that the risks order rightly and wrongly.
    n_tied_risk : int
        Comparable pairs with equal risks.
    n_tied_time : int
        Pairs of two events at the same time, which are not comparable.
    n_pairs : int
        The pairs that count: the comparable ones, less or more the ties by the
        options chosen. With weights all of these are sums of products.

    Examples
    --------
    >>> found = concordance_of_risk(([1, 1, 0], [1.0, 2.0, 2.0]), [3.0, 1.0, 1.0])
    >>> round(found.c_index, 3), found.n_pairs, found.n_tied_risk
    (0.833, 3, 1)
    """

    n_concordant: float
    n_discordant: float
    n_tied_risk: float
    n_tied_time: float
    n_pairs: float

    @property
    def c_index(self) -> float:
        """The C-index by its own name."""
        return self.value


def concordance_index(
    y: Any,
    curves: SurvivalCurves,
    *,
    risk: Literal["median", "mean"] | float = "median",
    tied_risks: Ties = "half",
    tied_times: Ties = "drop",
    sample_weight: ArrayLike | None = None,
) -> ConcordanceResult:
    """Share of the comparable pairs of subjects that the curves order rightly.

    Subjects i and j are comparable if it is known that i had the event first: i had
    the event and t_i < t_j, or i had the event and j was censored at that same time
    (so j lived longer). The pair is concordant if i has the higher risk.

    Ties are exact equality, so the unit of time does not matter. By default a
    comparable pair with equal risks counts one half, and two events at the same time
    are not comparable, as in scikit-survival, lifelines and torchsurv. The formula
    printed in the paper counts neither equal risks as one half nor censorings at the
    time of an event as later; without ties it is the same number.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects. For risk scores without curves
        see :func:`concordance_of_risk`.
    risk : {"median", "mean"} or float
        What ranks the subjects: minus the median (default) or minus the mean of the
        curve, or 1 − S(t) at the given time t. Infinite medians or means tie.
    tied_risks : {"half", "drop"}
        Comparable pairs with equal risks count one half, or do not count at all.
    tied_times : {"drop", "half"}
        Pairs of two events at the same time do not count, or count one half each.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for: a pair counts the product of both weights.
        Not with ``tied_times="half"``, for which a subject is tied with itself.

    Returns
    -------
    ConcordanceResult

    Raises
    ------
    InvalidInput
        If no pair is comparable, the lengths differ or an option is unknown.

    References
    ----------
    Harrell, Lee and Mark (1996), Statistics in Medicine 15, 361-387.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.2], [0.4], [0.3], [0.9]])
    >>> y = ([True, True, True, False], [1.0, 2.0, 3.0, 4.0])
    >>> result = concordance_index(y, curves)
    >>> result.n_concordant, result.n_pairs
    (5, 6)
    >>> round(float(result), 3)
    0.833
    """
    instead = "; for risk scores there is concordance_of_risk(y, risk)"
    outcome, curves = check_weighted(y, curves, sample_weight, instead=instead)
    return _concordance(outcome, risk_of(curves, risk), tied_risks, tied_times)


def concordance_of_risk(
    y: Any,
    risk: ArrayLike,
    *,
    tied_risks: Ties = "half",
    tied_times: Ties = "drop",
    sample_weight: ArrayLike | None = None,
) -> ConcordanceResult:
    """Share of the comparable pairs of subjects that risk scores order rightly.

    The same as :func:`concordance_index` for subjects ranked by plain scores.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    risk : array-like of shape (n,)
        Risk scores, higher = earlier; −inf means never. Predicted times are not
        risks: pass them with a minus sign.
    tied_risks, tied_times : {"half", "drop"}
    sample_weight : array-like of shape (n,), optional
        As in :func:`concordance_index`.

    Returns
    -------
    ConcordanceResult

    Examples
    --------
    >>> y = ([True, True, False], [1.0, 2.0, 2.0])
    >>> float(concordance_of_risk(y, [3.0, 1.0, 1.0]))
    0.8333333333333334
    """
    outcome = Outcome.of(y).weighted(sample_weight)
    scores = as_risk(risk)
    check_same_length(y=len(outcome), risk=len(scores))
    if outcome.counted is not None:
        scores, outcome = scores[outcome.counted], outcome.counting
    check_events(outcome)
    return _concordance(outcome, scores, tied_risks, tied_times)


def _concordance(
    y: Outcome, risk: Float, tied_risks: Ties, tied_times: Ties
) -> ConcordanceResult:
    check_params({"tied_risks": tied_risks, "tied_times": tied_times}, _TIE_RULES)
    if y.weight is not None and tied_times == "half":
        raise InvalidInput(
            "tied_times='half' has no plain meaning with weights: a subject that counts"
            " twice would be tied with itself; use tied_times='drop'"
        )
    counts = count_pairs(y, risk)
    concordant = counts.concordant.sum().item()
    tied_risk = counts.tied_risk.sum().item()
    tied_time = counts.tied_time.sum().item()
    comparable = counts.comparable.sum().item()
    discordant = max(comparable - concordant - tied_risk, 0)
    halves = tied_risk * (tied_risks == "half") + tied_time * (tied_times == "half")
    pairs = concordant + discordant + halves
    if pairs == 0:
        raise InvalidInput(
            f"all {tied_risk} comparable pairs have equal risks and tied_risks='drop' "
            "leaves none of them; use tied_risks='half'"
            if tied_risk
            else f"y has no comparable pair among its {len(y)} subjects: none is known "
            f"to have outlived one of the {y.n_events} with an event"
        )
    return ConcordanceResult(
        # Whole numbers up to the division: exact for any number of pairs.
        value=(2 * concordant + halves) / (2 * pairs),
        n_concordant=concordant,
        n_discordant=discordant,
        n_tied_risk=tied_risk,
        n_tied_time=tied_time,
        n_pairs=pairs,
    )


def risk_of(curves: SurvivalCurves, risk: str | float) -> Float:
    """Return the score that ranks the subjects, higher = earlier."""
    if isinstance(risk, str) and risk in _PREDICTED_TIMES:
        return -_PREDICTED_TIMES[risk](curves)
    is_number = isinstance(risk, Real) and not isinstance(risk, bool)
    if not is_number or not 0 < float(risk) < np.inf:
        raise InvalidInput(
            f"risk={risk!r} is not valid; it must be one of "
            f"{', '.join(map(repr, _PREDICTED_TIMES))} or a time, finite and > 0"
        )
    # Ranks as 1 − S(t) does, but does not round small probabilities to a tie.
    return -curves.survival_at([float(risk)])[:, 0]


C_INDEX = Metric(
    "c_index",
    "C-index",
    "ranking of subjects; 0.5 is chance, 1 perfect",
    concordance_index,
    higher_is_better=True,
    highest=1.0,
)

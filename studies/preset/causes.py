"""What tells our experiments from the authors' apart, cause by cause."""

from __future__ import annotations

from dataclasses import asdict, dataclass

__all__ = [
    "CONFORMAL",
    "METRICS",
    "PAPER",
    "TAILS",
    "TIME_SCALES",
    "TRAINING",
    "Causes",
]

# The first of each is our default, the second the authors'.
TRAINING = ("ours", "paper")
TAILS = ("law", "line")
METRICS = ("ours", "paper")
CONFORMAL = ("ours", "paper")
# Of the authors' log-normal network: with its slip, and without.
TIME_SCALES = ("coded", "corrected")
# What ``--preset paper`` stands for; `studies.preset.lines` has the source of each.
PAPER = {
    "training": "paper",
    "tails": "line",
    "metrics": "paper",
    "conformal": "paper",
    "stratify": "paper",
    "percentiles": 19,
}


@dataclass(frozen=True)
class Causes:
    """How a fit is trained, how its curves end, are mended and are measured.

    Which rows are whose, the fifth cause, is part of the protocol.

    Attributes
    ----------
    training : {"ours", "paper"}
        Whose models, losses and stopping rules.
    tails : {"law", "line"}
        Whether a parametric curve keeps the tail of its law, or is known at the
        training times alone and ends in the line to 0.
    metrics : {"ours", "paper"}
        The second compares KM-cal up to the last event of the test set and takes the
        integrated Brier score on 10 points.
    conformal : {"ours", "paper"}
        The second joins all points by monotone cubics, draws for censored subjects one
        observed time early and takes draws for subjects in the rank.

    Examples
    --------
    >>> Causes().marks, Causes(tails="line").marks
    ({}, {'tails': 'line'})
    """

    training: str = TRAINING[0]
    tails: str = TAILS[0]
    metrics: str = METRICS[0]
    conformal: str = CONFORMAL[0]

    @property
    def marks(self) -> dict[str, str]:
        """What is not our default; fingerprints of our own runs stay as they were."""
        ours = asdict(Causes())
        return {name: v for name, v in asdict(self).items() if v != ours[name]}

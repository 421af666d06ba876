"""``"fixed"``: one cut-off c₀ for everybody; C must be known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv._warnings import warn
from consurv.bounds.methods.method import Bound, Method, Options
from consurv.curves.curves import SurvivalCurves
from consurv.weighting.sample import Sample, before
from consurv.weighting.search import check_information
from consurv.weighting.weights import check_seen, inverse, largest_inverse, weigh

__all__ = ["Fixed", "ShiftBound", "cutoff_of", "shifted"]


@dataclass(frozen=True)
class ShiftBound(Bound):
    """A shift of the model's own quantile: min(c₀, max(0, q(coverage|x) − V)).

    Attributes
    ----------
    cutoff : float
        c₀; inf without censoring.
    scores : ndarray of shape (k,)
        V of the subjects kept, rising.
    masses : ndarray of shape (k,)
        Sums of their weights up to each score.
    most : float
        1/G is clipped there.
    """

    cutoff: float = np.inf
    scores: Float = None  # type: ignore[assignment]
    masses: Float = None  # type: ignore[assignment]
    most: float = np.inf

    @property
    def needs_censoring(self) -> bool:
        """Whether new subjects have weights of their own."""
        return bool(np.isfinite(self.cutoff))

    def of(self, model: SurvivalCurves, censoring: SurvivalCurves | None) -> Float:
        """Return the bounds; 0 with a warning, where a weight is too large."""
        q = model._times_at(np.array([self.coverage]))[:, 0]
        new = np.ones(len(q))
        if censoring is not None and np.isfinite(self.cutoff):
            at = np.full((len(q), 1), self.cutoff)
            new = check_seen(inverse(before(censoring, at), self.most))[:, 0]
        total = float(self.masses[-1])
        target = self.coverage * (total + new) * (1 - 1e-13) - (1e-9 + 1e-12 * total)
        place = np.searchsorted(self.masses, target)
        shift = np.append(self.scores, np.inf)[place]
        open_ = np.isinf(shift)
        if open_.any():
            warn(
                f"the bound of {open_.sum()} of {len(q)} subjects is 0: such as they "
                f"are so rarely seen until the cut-off {self.cutoff:g} that coverage="
                f"{self.coverage:g} is out of reach; choose an earlier cutoff"
            )
        # Curves that never fall have q = inf: not less inf, which is nothing.
        bound: Float = np.where(open_, 0.0, q) - np.where(open_, 0.0, shift)
        return np.minimum(self.cutoff, np.maximum(bound, 0.0))


def shifted(sample: Sample, coverage: float, cutoff: float, most: float) -> ShiftBound:
    """Return the bound from the subjects with C ≥ c₀; all of them if c₀ is inf."""
    time, counts = sample.outcome.time, sample.counts
    q = sample.bounds(np.array([coverage]))[:, 0]
    kept, weight = np.ones(len(sample), bool), counts
    if np.isfinite(cutoff):
        kept = sample.known_limit >= cutoff
        at = np.full((len(sample), 1), cutoff)
        g = inverse(before(sample.known_censoring, at)[:, 0], most)
        weight = check_seen(np.where(kept, g, 1.0)) * counts
    weights = weigh(np.where(kept, weight, 0.0))
    check_information(coverage, weights.effective_sample_size, int(kept.sum()))
    score = q[kept] - np.minimum(time[kept], cutoff)
    order = np.argsort(score, kind="stable")
    masses = np.cumsum(weight[kept][order])
    return ShiftBound(coverage, weights, cutoff, score[order], masses, most)


def cutoff_of(sample: Sample, cutoff: float | None) -> float:
    """Return c₀: as asked, else where half of the subjects are expected to be seen.

    By the censoring model, which other rows made: outcomes here have no say in it.
    """
    if cutoff is not None:
        return cutoff
    grid = np.unique(sample.outcome.time)
    late = sample.known_censoring._form.mean_survival(grid) <= 0.5
    return float(grid[np.argmax(late)]) if late.any() else float(grid[-1])


class Fixed(Method):
    """A fixed cut-off (Candès, Lei and Ren, 2023); C of everybody is needed.

    Subjects with C ≥ c₀ are kept, with scores V = q(coverage|x) − min(Y, c₀) and
    weights 1/G(c₀⁻|x). V̂(x) is the weighted quantile of the scores at the coverage, a
    score of +∞ carrying the weight of the new subject, and

        L(x) = min(c₀, max(0, q(coverage|x) − V̂(x))).

    c₀ is ``cutoff``, by default the time until which half of the subjects are seen by
    the censoring model. Without censoring it is inf, and this is the shift of
    ``adjustment="time"``.

    Guarantee: finite-sample, P(T ≥ L) ≥ coverage, if the censoring model is right; off
    by the error of the weights otherwise.

    Examples
    --------
    >>> from consurv import Outcome, SurvivalCurves
    >>> s = SurvivalCurves([20.0], [[0.0]] * 9)
    >>> y = Outcome(time=range(1, 10), event=[1] * 9)
    >>> bound = shifted(Sample(y, s), 0.8, np.inf, np.inf)
    >>> bound.of(s[:1], None)  # 4, the time at 0.8, less 4 − 2
    array([2.])
    """

    name = "fixed"
    guarantee = "finite-sample, if the censoring model is right"
    needs_limit = True

    def find(self, sample: Sample, coverage: float, options: Options) -> Bound:
        """Return the shifted quantile below the cut-off."""
        most = largest_inverse(sample, options.clip)
        return shifted(sample, coverage, cutoff_of(sample, options.cutoff), most)

    def plain(self, sample: Sample, coverage: float) -> Bound:
        """Return the shifted quantile without a cut-off."""
        return shifted(sample, coverage, np.inf, np.inf)

"""How often blocks that are elsewhere are asked, whatever places scores keep to."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks
from consurv.distributed.spill import Spilled
from consurv.outcome import Outcome

LEVELS = np.arange(1, 20) / 20
# To multiples of what observed times are moved up, and percentile times.
PLACES = {
    "continuous": (None, None),
    "days observed": (1, None),
    "days": (1, 1),
    "tenths of a day read": (1, 0.1),
    "tens of days": (10, 10),
    "few": (50, 50),
}
N = 50_000
PARTS = [slice(i, i + 6_000) for i in range(0, N, 6_000)]


def moved(values, unit):
    return values if unit is None else np.ceil(values / unit) * unit


def subjects(n, observed, read, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    true, limit = 100 * np.exp(x / 2) * rng.weibull(1.5, n), rng.exponential(150, n)
    y = Outcome(moved(np.minimum(true, limit), observed), true <= limit)
    q = 110 * np.exp(0.4 * x)[:, None] * (-np.log(LEVELS)) ** (1 / 1.3)
    return moved(q, read), y


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("kind", ["time", "log-time"])
@pytest.mark.parametrize("rule", ["kaplan-meier", "auto"])
def test_eight_rounds_are_enough(rule, kind, places):
    made = ADJUSTMENTS[kind]
    for seed in (4, 5):
        q, y = subjects(N, *PLACES[places], seed)

        def block(rows, q=q, y=y):
            return Block(q[rows], LEVELS, y[rows], proportional=kind == "log-time")

        rng, chosen = np.random.default_rng(0), made.choose_rule(rule, None)
        whole = made.make(Blocks([block(slice(None))]), chosen, rng)
        with Spilled(LEVELS, lambda make=block: map(make, PARTS)) as elsewhere:
            found = made.make(elsewhere, chosen, rng)
            assert elsewhere.rounds <= 8
        numbers = [getattr(some, made.what) for some in (found, whole)]
        assert_allclose(*numbers, rtol=0, atol=1e-9 * y.time.max())

"""Masses of censored subjects: exact where they are told, bounded elsewhere."""

import numpy as np
import pytest

from consurv import KaplanMeier, Outcome
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.masses import to_mass
from consurv.distributed.federated import Lattice
from consurv.distributed.federated.law_masses import (
    LawMasses,
    breaks_of,
    law_masses,
)
from consurv.distributed.federated.ruler import Ruler


def site(seed, n=60, proportional=False):
    rng = np.random.default_rng(seed)
    time = np.ceil(rng.exponential(5, n))
    outcome = Outcome(time=time, event=rng.random(n) < 0.5)
    q = np.ceil(rng.exponential(6, (n, 1)))
    ruler = Ruler(Lattice([1.0]), proportional)
    return Block(q, np.array([0.5]), outcome, proportional=proportional), ruler


def shares(block, curve, score):
    """Return P(T ≥ x | T > c) of each censored subject, one by one."""
    rows = ~block.outcome.event
    q, c = block.reading[rows, 0], block.outcome.time[rows]
    x = np.maximum(-score * q if block.proportional else q - score, 0.0)
    nearest = breaks_of(curve, with_laws=True)
    close = np.isclose(x[:, None], nearest, rtol=1e-9)
    x = np.where(close.any(axis=1), nearest[close.argmax(axis=1)], x)
    alive = curve.survival_at(c)
    law = np.minimum(curve.survival_before(x), alive) / np.maximum(alive, 1e-300)
    return np.where(alive > 0, law, x <= c)


@pytest.mark.parametrize("proportional", [False, True])
@pytest.mark.parametrize("minimum", [1, 3, 6])
@pytest.mark.parametrize("seed", range(4))
class TestLawMasses:
    def told(self, seed, minimum, proportional):
        block, ruler = site(seed, proportional=proportional)
        curve = KaplanMeier(block.outcome)
        last = -0.5 if proportional else 15.0
        places = ruler.places(breaks_of(curve, with_laws=True), last)
        found = law_masses(block, 0, ruler, curve, places, minimum)
        again = LawMasses.from_plain(found.to_plain(), len(places))
        return block, curve, places, again

    def test_bounds_hold_everywhere(self, seed, minimum, proportional):
        block, curve, places, found = self.told(seed, minimum, proportional)
        n = int((~block.outcome.event).sum())
        low, high = found.bounds(len(places), n, minimum)
        truth = np.array([shares(block, curve, s).sum() for s in places])
        before = np.array(
            [shares(block, curve, s - 1e-6 * (1 + abs(s))).sum() for s in places]
        )
        assert (low[1] <= truth + 1e-9).all()
        assert (high[1] >= truth - 1e-9).all()
        assert (low[0] <= before + 1e-3).all()
        assert (high[0] >= before - 1e-3).all()
        if minimum == 1:
            np.testing.assert_allclose(low[1], truth, atol=1e-9)
            np.testing.assert_allclose(high[1], truth, atol=1e-9)

    def test_no_step_is_that_of_a_few(self, seed, minimum, proportional):
        block, curve, places, found = self.told(seed, minimum, proportional)
        kept = found.kept[:-1] if found.full else found.kept
        last = np.zeros(int((~block.outcome.event).sum()))
        for k, mass in zip(kept, to_mass(found.at), strict=False):
            now = shares(block, curve, places[k])
            grain = 1 / 16 if minimum > 1 else 0.0
            assert -1e-9 <= now.sum() - mass <= grain + 1e-9
            assert minimum == 1 or mass * 16 == round(mass * 16)
            added = np.count_nonzero(now > last + 1e-12)
            left = np.count_nonzero(now < 1 - 1e-12)
            assert added == 0 or added >= minimum
            assert left == 0 or left >= minimum
            last = now


class TestRefusals:
    @pytest.mark.parametrize(
        "change", [{"kept": [2, 1]}, {"kept": [1, 9]}, {"kept": [1]}, {"told": [0]}]
    )
    def test_what_does_not_fit_together(self, change):
        plain = {
            "kept": [0, 1],
            "before": [[0, 0], [1, 0]],
            "at": [[0, 0], [1, 0]],
            "told": [0, 0],
            "full": False,
        }
        LawMasses.from_plain(plain, 3)
        with pytest.raises(ValueError, match="masses"):
            LawMasses.from_plain(plain | change, 3)

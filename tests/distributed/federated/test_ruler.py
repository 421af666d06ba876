import numpy as np
import pytest

from consurv import Outcome
from consurv.conformal.parts.blocks import Block
from consurv.distributed.federated import Lattice
from consurv.distributed.federated.ruler import Ruler
from consurv.errors import InvalidInput


class TestRuler:
    @pytest.mark.parametrize("proportional", [False, True])
    def test_every_score_on_the_lattice_is_a_place(self, proportional):
        rng = np.random.default_rng(0)
        lattice = Lattice([0.1, 0.3, 0.7])
        time = lattice.move(rng.exponential(2, 200))
        q = lattice.move(rng.exponential(2, (200, 1)))
        outcome = Outcome(time=time, event=np.ones(200))
        block = Block(q, np.array([0.5]), outcome, proportional=proportional)
        ruler = Ruler(lattice, proportional)
        scores = ruler.observed(block, 0)
        places = ruler.places(np.unique(time), float(scores.max()))
        assert np.isin(scores, places).all()
        assert (np.diff(places) > 0).all()

    @pytest.mark.parametrize("proportional", [False, True])
    def test_times_of_a_score_are_on_breaks(self, proportional):
        lattice, breaks = Lattice([0.1]), np.arange(1, 40) * 0.1
        q = lattice.move(np.arange(1, 30) * 0.1)[:, None]
        outcome = Outcome(time=q[:, 0], event=np.ones(29))
        block = Block(q, np.array([0.5]), outcome, proportional=proportional)
        ruler = Ruler(lattice, proportional)
        score = ruler.observed(block, 0)[4]
        assert ruler.times(block, 0, score, breaks)[4] == breaks[4]

    def test_too_many_scores_are_refused(self):
        with pytest.raises(InvalidInput, match="name a coarser one"):
            Ruler(Lattice([1e-4]), False).places(np.arange(1.0, 500.0), 5.0)

    def test_no_ratio_is_above_zero(self):
        with pytest.raises(InvalidInput, match="no ratio"):
            Ruler(Lattice([1.0]), True).places(np.ones(1), 0.0)

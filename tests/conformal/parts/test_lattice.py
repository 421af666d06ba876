import numpy as np
import pytest

from consurv.conformal.parts.lattice import Lattice
from consurv.errors import InvalidInput


class TestMove:
    def test_a_time_on_a_point_stays_whatever_its_rounding(self):
        times = np.array([0.1 * 3, 0.3, 0.7, 0.1 * 7])
        np.testing.assert_allclose(Lattice([0.1]).move(times), [0.3, 0.3, 0.7, 0.7])

    def test_all_points_stay(self):
        lattice = Lattice([0.5, 2, 7])
        points = lattice.up_to(60)
        np.testing.assert_array_equal(lattice.move(points), points)
        np.testing.assert_array_equal(lattice.move(points - 0.4), points)

    def test_nothing_is_before_zero(self):
        np.testing.assert_array_equal(Lattice([1, 2]).move([-3.0, 0.0]), [0.0, 0.0])

    def test_tables_keep_their_shape(self):
        moved = Lattice([1.0]).move([[0.5, np.inf], [2.5, 9.0]])
        np.testing.assert_array_equal(moved, [[1.0, np.inf], [3.0, 9.0]])

    def test_multiples_of_a_step_are_exact(self):
        points = Lattice([0.7]).move(np.arange(1, 60) * 0.7)
        np.testing.assert_array_equal(points, np.arange(1, 60) * 0.7)


class TestRefusals:
    @pytest.mark.parametrize("edges", [[], [0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [-1.0]])
    def test_edges_that_do_not_ascend(self, edges):
        with pytest.raises(InvalidInput, match="edges"):
            Lattice(edges)

    def test_too_many_points(self):
        with pytest.raises(InvalidInput, match="name a coarser one"):
            Lattice([1e-9]).up_to(1.0)

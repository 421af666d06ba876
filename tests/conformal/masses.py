"""Laws as tests look at them: the mass and its pieces by score."""

import numpy as np

from consurv.conformal.quantile.masses import EVERYONE, to_mass
from consurv.conformal.quantile.search import smallest_scores


class Mass:
    """The mass of laws at one level, for scores q − t."""

    def __init__(self, law, q, rows=EVERYONE):
        self.of = law.at(q, np.ones(len(q)), rows)
        self.n = self.of.n

    def sketch(self, size):
        return self.of.sketch(size)[0]

    def coarse_mass(self, s):
        return self.of.coarse_masses(np.array([[s]]))[0, 0]

    def at(self, s):
        return self.of.at(np.array([s]), None)

    def mass(self, s):
        return to_mass(self.at(s).units)[0]

    def n_pieces(self, lo, hi):
        return self.of.n_pieces(self.at(lo), self.at(hi))[0]

    def pieces(self, lo, hi):
        return self.of.pieces(self.at(lo), self.at(hi))


def smallest_score(masses, k):
    """Return the smallest score at which masses of one level together reach k."""
    return smallest_scores(masses, np.array([0]), np.array([k]))[0]

"""Laws as tests look at them: the mass and its pieces by score."""

import numpy as np

from consurv.conformal.masses import EVERYONE
from consurv.conformal.quantile import smallest_scores


class Mass:
    """The mass of laws at one level, for scores q − t."""

    def __init__(self, law, q, rows=EVERYONE):
        self.of = law.at(q, np.ones(len(q)), rows)
        self.n, self.sketch = self.of.n, self.of.sketch

    def coarse_mass(self, s):
        return self.of.coarse_masses([s])[0]

    def mass(self, s):
        return self.of.at(s, None).mass

    def n_pieces(self, lo, hi):
        return self.of.n_pieces(self.of.at(lo, None), self.of.at(hi, None))

    def pieces(self, lo, hi):
        return self.of.pieces(self.of.at(lo, None), self.of.at(hi, None))


def smallest_score(masses, k):
    """Return the smallest score at which masses of one level together reach k."""
    return smallest_scores(masses, np.array([0]), np.array([k]))[0]

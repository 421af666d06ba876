"""What every censoring rule can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from consurv.conformal.parts.blocks import Block, Contribution, Data, Sweep
from consurv.conformal.quantile.found import Levels, Shifts

__all__ = ["CensoringRule"]


class CensoringRule:
    """How censored subjects enter F.

    A rule that looks at each block alone defines ``contribution``. One that looks at
    all blocks first, or lets the shifts of higher levels speak, defines ``sweeps``.

    Examples
    --------
    A rule of one's own: censored subjects die on the spot.

    >>> class AtOnce(CensoringRule):
    ...     def contribution(self, block, rng):
    ...         rows = np.arange(len(block.outcome))
    ...         return Contribution.of_points(block, rows, block.outcome.time)
    >>> from consurv import Outcome, conformal_shifts
    >>> y = Outcome(time=[3, 4, 6, 9], event=[1, 0, 1, 1])
    >>> conformal_shifts([[5.0], [4.0], [6.0], [7.0]], [0.5], y, censoring=AtOnce())
    array([0.])
    """

    # Whether it runs wherever the subjects are: it draws nothing, needs no features,
    # and sees no more than one block, or what it asks all of them.
    anywhere: ClassVar[bool] = False
    # Whether subjects may count more or less than 1.
    takes_weights: ClassVar[bool] = False
    # What it asks first, so that it may be asked together with other questions.
    opening: ClassVar[tuple[Any, ...]] = ()
    # Whether it has ``adjusted_levels``, for the kind that moves these.
    for_levels: ClassVar[bool] = False
    # What the shifts rest on where no event was observed.
    rests_on: ClassVar[str] = "given Kaplan-Meier curve"

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Return what each subject of a block contributes."""
        raise NotImplementedError

    def sweeps(
        self, blocks: Any, rng: np.random.Generator
    ) -> Sequence[Contribution] | Sequence[Sweep]:
        """Return what each block contributes, whatever the level or on its way down.

        Parameters
        ----------
        blocks : Partitions
            A sequence of Block, unless the rule runs ``anywhere``.
        rng : Generator
        """
        found: Sequence[Contribution] = blocks.contributions(self, rng)
        return found

    def shifts(self, blocks: Any) -> Shifts | None:
        """Return the shifts themselves, of a rule that knows better than by sweeps."""
        return None

    def adjusted_levels(self, blocks: Any) -> Levels:
        """Return adjusted levels, of a rule that is ``for_levels``.

        Parameters
        ----------
        blocks : sequence of CurveBlock
            Their reading is S(t) and S(t⁻) at the observed times.
        """
        raise NotImplementedError

    @property
    def name(self) -> str:
        """What to call a rule that the user gave as an object."""
        return type(self).__name__

    def with_samples(self, n_samples: int) -> CensoringRule | None:
        """Return the rule with so many draws for each censored subject, if it can."""
        return None

    @property
    def imputer(self) -> Any:
        """The fitted model that censored subjects follow, or None."""
        return None

    def fitted(
        self, training: Data | None, validation: Data | None, earlier: Any = None
    ) -> Self:
        """Return the rule with its model fitted, if it has one.

        Parameters
        ----------
        training, validation : pair (X, Outcome), optional
            What a model that is not fitted yet is trained on.
        earlier : optional
            A model that was trained before, to go on with where there is no training.
        """
        return self

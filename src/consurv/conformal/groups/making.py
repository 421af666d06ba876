"""From a conformal set with groups to an adjustment for each of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv._labels import Label, told_groups
from consurv._warnings import warn
from consurv.conformal.adjustments.adjustment import Adjustment
from consurv.conformal.groups.groups import Groups
from consurv.conformal.groups.pooling import other_weights
from consurv.conformal.parts.blocks import Block, CurveBlock
from consurv.conformal.reading.raw_model import rows_of
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.outcome import Outcome

__all__ = ["POOLINGS", "GroupSet", "check_rule", "with_groups"]

POOLINGS = ("partial", "none")
# With fewer there is nothing to learn of a group.
_FEWEST_EVENTS = 2


@dataclass(frozen=True)
class GroupSet:
    """The groups of a conformal set.

    Attributes
    ----------
    labels : tuple of labels
    column : str or None
    pooling : {"partial", "none"}
    """

    labels: tuple[Label, ...]
    column: str | None
    pooling: str


def with_groups(
    pooled: Adjustment,
    blocks: Sequence[Block],
    groups: GroupSet,
    make: Callable[[list[Block]], Adjustment],
) -> Adjustment:
    """Return the pooled adjustment with one for each group.

    Parameters
    ----------
    pooled : Adjustment
        Of all *blocks* together.
    blocks : sequence of Block
        Whose outcomes are grouped.
    groups : GroupSet
    make : callable
        From blocks to an adjustment, as *pooled* was made.
    """
    n = len(groups.labels)
    codes = np.concatenate([_codes(block) for block in blocks])
    event = np.concatenate([block.outcome.event for block in blocks])
    sizes = np.bincount(codes, minlength=n)
    few = np.bincount(codes[event], minlength=n) < _FEWEST_EVENTS
    weights = np.zeros(n)
    if groups.pooling == "partial":
        weights = _other_weights(pooled, blocks, codes, n)
    weights[few] = 1.0
    _warn_of_few(groups, few)
    told = _Told()
    members = []
    for g, (label, weight) in enumerate(zip(groups.labels, weights, strict=True)):
        with told.of(label):
            own = None if weight == 1 else make(_blocks_of(g, weight, blocks))
        members.append(own)
    told.tell()
    found = Groups(
        groups.labels, tuple(members), tuple(sizes.tolist()), weights, groups.column
    )
    return replace(pooled, groups=found)


def check_rule(pooling: str, rule: Any) -> None:
    """Refuse a rule that cannot count subjects of other groups by their weight."""
    if pooling == "partial" and not getattr(rule, "takes_weights", True):
        raise InvalidInput(
            f"the censoring rule {rule.name} cannot weigh subjects, as "
            "group_pooling='partial' does; choose group_pooling='none', or the rule "
            "'auto' or 'kaplan-meier'"
        )


def _codes(block: Block) -> Index:
    codes: Index = block.outcome.group  # type: ignore[attr-defined]
    return codes


def _other_weights(
    pooled: Adjustment, blocks: Sequence[Block], codes: Index, n: int
) -> Float:
    survival = np.concatenate([pooled.at_observed(block) for block in blocks])
    seen = Outcome.concatenate([block.outcome for block in blocks])
    return other_weights(survival, seen.event, codes, n, seen.weight)


def _blocks_of(group: int, weight: float, blocks: Sequence[Block]) -> list[Block]:
    """Return the subjects of a group, and those of others with a weight."""
    own = [_codes(block) == group for block in blocks]
    pairs = zip(blocks, own, strict=True)
    if weight:
        return [_weigh(block, np.where(mine, 1.0, weight)) for block, mine in pairs]
    return [_take(block, np.flatnonzero(mine)) for block, mine in pairs if mine.any()]


def _weigh(block: Block, factors: Float) -> Block:
    y = block.outcome
    return replace(block, outcome=Outcome(y.time, y.event, y.weights * factors))


def _take(block: Block, rows: Index) -> Block:
    features = block.features
    more: dict[str, Any] = {}
    if isinstance(block, CurveBlock) and block.curves is not None:
        more["curves"] = block.curves[rows]
    return replace(
        block,
        reading=block.reading[rows],
        outcome=block.outcome[rows],
        features=None if features is None else rows_of(features, rows),
        **more,
    )


def _warn_of_few(groups: GroupSet, few: Bool) -> None:
    if few.any():
        names = [groups.labels[g] for g in np.flatnonzero(few)]
        warn(
            f"fewer than {_FEWEST_EVENTS} events were observed in "
            f"{told_groups(names)}, for which the pooled adjustment stands in"
        )


class _Told:
    """What is to be said of groups, each thing once."""

    def __init__(self) -> None:
        self._said: dict[str, list[Label]] = {}

    @contextmanager
    def of(self, label: Label) -> Iterator[None]:
        """Listen while the adjustment of a group is made."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", CalibrationWarning)
            # The small weights of other groups are ours, and meant.
            warnings.filterwarnings("ignore", "sample_weight adds up to")
            yield
        for warning in caught:
            self._said.setdefault(str(warning.message), []).append(label)

    def tell(self) -> None:
        """Warn of all that was said."""
        for message, labels in self._said.items():
            warn(f"in {told_groups(labels)}: {message}")

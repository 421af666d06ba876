"""From a conformal set with groups to an adjustment for each of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consurv._checks import Bool
from consurv._labels import Label, known_labels, told_groups
from consurv._warnings import warn
from consurv.conformal.adjustments.adjustment import Adjustment
from consurv.conformal.groups.asking import (
    AskedOfGroup,
    ComparedGroups,
    GroupSizes,
    part_of,
)
from consurv.conformal.groups.groups import Groups
from consurv.conformal.groups.pooling import weights_by_counts
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks, Partitions, as_partitions
from consurv.errors import CalibrationWarning, InvalidInput

__all__ = ["POOLINGS", "GroupSet", "check_rule", "with_groups"]

POOLINGS = ("partial", "none")
# With fewer there is nothing to learn of a group.
_FEWEST_EVENTS = 2


@dataclass(frozen=True)
class GroupSet:
    """The groups of a conformal set.

    Attributes
    ----------
    labels : tuple of labels, or None
        None if nobody has seen all rows: the subjects are asked.
    column : str or None
    pooling : {"partial", "none"}
    """

    labels: tuple[Label, ...] | None
    column: str | None
    pooling: str


def with_groups(
    pooled: Adjustment,
    blocks: Partitions | Sequence[Block],
    groups: GroupSet,
    make: Callable[[Any], Adjustment],
) -> Adjustment:
    """Return the pooled adjustment with one for each group.

    Parameters
    ----------
    pooled : Adjustment
        Of all *blocks* together.
    blocks : sequence of Block, or Partitions
        Whose outcomes are grouped.
    groups : GroupSet
    make : callable
        From blocks or partitions to an adjustment, as *pooled* was made.
    """
    subjects = as_partitions(blocks)
    found = subjects.ask(GroupSizes())
    labels = groups.labels
    if labels is None:
        labels = known_labels(np.array(list(found), dtype=object))
    sizes, events = zip(*(found.get(label, (0, 0)) for label in labels), strict=True)
    weights = np.zeros(len(labels))
    if groups.pooling == "partial":
        # Whatever speaks for the censored has no part in what curves say.
        light = replace(pooled, kaplan_meier=None)
        compared = subjects.ask(ComparedGroups(light, labels))
        weights = weights_by_counts(compared.counts)
    few = np.array(events) < _FEWEST_EVENTS
    weights[few] = 1.0
    _warn_of_few(labels, few)
    told = _Told()
    members = []
    for label, weight in zip(labels, weights.tolist(), strict=True):
        with told.of(label):
            own = None if weight == 1 else make(_subjects_of(subjects, label, weight))
        members.append(own)
    told.tell()
    return replace(
        pooled, groups=Groups(labels, tuple(members), sizes, weights, groups.column)
    )


def check_rule(pooling: str, rule: Any) -> None:
    """Refuse a rule that cannot count subjects of other groups by their weight."""
    if pooling == "partial" and not getattr(rule, "takes_weights", True):
        raise InvalidInput(
            f"the censoring rule {rule.name} cannot weigh subjects, as "
            "group_pooling='partial' does; choose group_pooling='none', or the rule "
            "'auto' or 'kaplan-meier'"
        )


def _subjects_of(
    subjects: Partitions, label: Label, weight: float
) -> list[Block] | Partitions:
    """Return the subjects of a group, and those of others with a weight."""
    if not isinstance(subjects, Blocks):
        return AskedOfGroup(subjects, label, weight)
    parts = (part_of(block, label, weight) for block in subjects)
    return [part for part in parts if part is not None]


def _warn_of_few(labels: tuple[Label, ...], few: Bool) -> None:
    if few.any():
        names = [labels[g] for g in np.flatnonzero(few)]
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

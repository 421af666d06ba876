"""The adjustments of all groups, beside the pooled one that holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consurv._checks import Float, Index, as_floats, check_same_length
from consurv._labels import (
    Label,
    Labels,
    as_labels,
    codes_of,
    listed_labels,
    told_groups,
)
from consurv._warnings import warn
from consurv.errors import InvalidInput

if TYPE_CHECKING:
    from consurv.conformal.adjustments.adjustment import Adjustment

__all__ = ["Groups"]

_LABELS, _COLUMN = "group_labels", "group_column"


@dataclass(frozen=True, repr=False)
class Groups:
    """Which group has which adjustment.

    Attributes
    ----------
    labels : tuple of G labels
    members : tuple of G Adjustment or None
        Of the same kind as the pooled one; None where that is the group's.
    sizes : tuple of G int
        Conformal subjects.
    weights : ndarray of shape (G,)
        With which each subject of other groups counted: 0 for adjustments of a group's
        own subjects alone, 1 for the pooled one.
    column : str or None
        The column of X that holds the labels, if it is one.

    Examples
    --------
    >>> Groups(("a", "b"), (None, None), (40, 60), np.ones(2))
    Groups('a': 40 subjects, others weigh 1; 'b': 60 subjects, others weigh 1)
    """

    labels: tuple[Label, ...]
    members: tuple[Adjustment | None, ...]
    sizes: tuple[int, ...]
    weights: Float
    column: str | None = None

    def __repr__(self) -> str:
        return f"Groups({self.told})"

    @property
    def told(self) -> str:
        """The groups in a line: subjects, and what each of the others counts."""
        lines = zip(self.labels, self.sizes, self.weights, strict=True)
        return "; ".join(
            f"{label!r}: {n:,} subjects, others weigh {weight:.3g}"
            for label, n, weight in lines
        )

    def __len__(self) -> int:
        return len(self.labels)

    def codes(self, labels: Labels, unseen: str) -> Index:
        """Return the number of each subject's group; −1 stands for the pooled one.

        Parameters
        ----------
        labels : array of labels
        unseen : {"error", "pooled"}
            What becomes of labels that no conformal subject had.
        """
        codes = codes_of(labels, self.labels)
        new = codes < 0
        if new.any():
            which = listed_labels(list(dict.fromkeys(labels[new].tolist())))
            told = (
                f"{int(new.sum()):,} subjects are of groups that no conformal subject "
            )
            told += f"belongs to: {which}"
            if unseen == "error":
                raise InvalidInput(
                    f"{told}; known are {listed_labels(self.labels)}. "
                    "unseen_group='pooled' gives them the adjustment of all groups"
                )
            warn(f"{told}; they get the pooled adjustment")
        own = np.array([member is not None for member in self.members] + [False])
        return np.where(own[codes], codes, -1)

    def cautions(self) -> list[tuple[str, str]]:
        """Return what weakens the adjustments of groups, as pairs of title and text."""
        pairs = list(zip(self.labels, self.members, strict=True))
        open_ = [g for g, m in pairs if m is not None and not m.identified.all()]
        beyond = [g for g, m in pairs if m is not None and m.beyond.any()]
        found = []
        if beyond:
            found.append(
                (
                    "Groups too small for some levels",
                    f"There are too few conformal subjects in {told_groups(beyond)} "
                    "for the outermost levels, where nothing is guaranteed.",
                )
            )
        if open_:
            found.append(
                (
                    "Groups with levels that too few events identify",
                    f"In {told_groups(open_)} hardly anybody was seen to "
                    "have the event as late as the lowest levels ask for.",
                )
            )
        return found

    # -- stored form -----------------------------------------------------------

    def to_stored(self) -> dict[str, Any]:
        """Return arrays, numbers and words; those of a member begin with its number."""
        values: dict[str, Any] = {
            _LABELS: json.dumps(self.labels),
            _COLUMN: self.column,
            "group_sizes": np.array(self.sizes),
            "group_weights": self.weights,
        }
        for i, member in enumerate(self.members):
            if member is not None:
                stored = member.to_stored()
                values |= {f"{_prefix(i)}{name}": v for name, v in stored.items()}
        return values

    @classmethod
    def from_stored(
        cls, kind: type[Adjustment], values: Mapping[str, Any]
    ) -> Groups | None:
        """Return what ``to_stored`` gave, or None if there were no groups."""
        if _LABELS not in values:
            return None
        try:
            labels = tuple(as_labels(json.loads(values[_LABELS])))
            sizes = as_floats(values["group_sizes"], "group_sizes")
            weights = as_floats(values["group_weights"], "group_weights")
            column = values[_COLUMN]
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"its groups cannot be read: {error}") from error
        check_same_length(labels=len(labels), sizes=len(sizes), weights=len(weights))
        if len(set(labels)) < len(labels) or not isinstance(column, str | None):
            raise InvalidInput("its groups have a label twice, or an odd column")
        members = [_member(kind, _part(values, i)) for i in range(len(labels))]
        return cls(
            labels, tuple(members), tuple(sizes.astype(int).tolist()), weights, column
        )


def _prefix(i: int) -> str:
    return f"group_{i}_"


def _part(values: Mapping[str, Any], i: int) -> dict[str, Any]:
    start = _prefix(i)
    return {n.removeprefix(start): v for n, v in values.items() if n.startswith(start)}


def _member(kind: type[Adjustment], values: dict[str, Any]) -> Adjustment | None:
    return kind.from_stored(values) if values else None

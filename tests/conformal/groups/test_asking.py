"""Parts that number their groups in their own ways are asked as one."""

import numpy as np
import pytest

from consurv import Outcome
from consurv.conformal.groups.asking import (
    AskedOfGroup,
    GroupSizes,
    OfGroup,
    part_of,
)
from consurv.conformal.groups.outcome import GroupedOutcome
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks, Outcomes
from consurv.curves import KaplanMeier

LEVELS = np.array([0.5])


def block(labels, event, start=1.0):
    n = len(labels)
    times = np.arange(start, start + n)
    y = GroupedOutcome.of_labels(Outcome(times, event), labels)
    return Block(times[:, None], LEVELS, y)


@pytest.fixture
def parts():
    # "b" is the second group of one part and the first of the other.
    return block(["a", "b", "b"], [1, 0, 1]), block(["b", "c"], [1, 1], 10.0)


def test_sizes_of_parts_add_up_by_label(parts):
    found = Blocks(parts).ask(GroupSizes())
    assert found == {"a": (1, 1), "b": (3, 2), "c": (1, 1)}


def test_joined_outcomes_are_numbered_in_one_way(parts):
    y = GroupedOutcome.concatenate([part.outcome for part in parts])
    assert [y.labels[g] for g in y.group] == ["a", "b", "b", "b", "c"]
    assert y.time.tolist() == [1, 2, 3, 10, 11]
    assert y.codes(("c", "b")).tolist() == [-1, 1, 1, 1, 0]


def test_own_subjects_alone(parts):
    own = [part_of(part, "a", 0.0) for part in parts]
    assert own[0].reading.tolist() == [[1.0]]
    assert own[1] is None
    asked = [OfGroup("a", 0.0, Outcomes()).answer(part) for part in parts]
    assert asked[0].times.tolist() == [1.0]
    assert asked[1] is None


def test_others_count_by_their_weight(parts):
    found = part_of(parts[0], "b", 0.25)
    assert found.outcome.weights.tolist() == [0.25, 1, 1]
    twice = parts[0].outcome.weighted([2, 1, 3])
    weighted = GroupedOutcome.of_groups(twice, parts[0].outcome.group, ["a", "b"])
    found = part_of(Block(parts[0].reading, LEVELS, weighted), "b", 0.25)
    assert found.outcome.weights.tolist() == [0.5, 1, 3]


def test_a_group_elsewhere_passes_its_questions_on(parts):
    asked = AskedOfGroup(Blocks(parts), "b", 0.5)
    assert asked.outcomes.subjects.tolist() == [0.5, 1, 1, 1, 0.5]
    assert asked.n == 5
    assert not asked.has_reference
    curve = KaplanMeier(parts[0].outcome)
    referred = asked.referring_to(curve, member=True)
    assert referred.has_reference
    assert referred.outcomes is asked.outcomes

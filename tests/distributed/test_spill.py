import ast
import pickle
import weakref
from functools import partial

import numpy as np
import pytest

from consurv.conformal.groups.outcome import GroupedOutcome
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Outcomes
from consurv.distributed.frame import gathered
from consurv.distributed.spill import Spilled, Store
from consurv.outcome import Outcome

LEVELS = np.array([0.5])


def make_block(seen):
    """Return a block, and remember its arrays weakly."""
    outcome = Outcome(np.arange(1.0, 6.0), np.ones(5))
    block = Block(np.ones((5, 1)), LEVELS, outcome)
    seen.append([weakref.ref(array) for array in (block.reading, outcome.time)])
    return block


def watched(seen):
    """Yield blocks that nobody here holds."""
    for _ in range(4):
        yield make_block(seen)


def alive(seen):
    return [sum(ref() is not None for ref in some) for some in seen]


class TestSpilled:
    def test_holds_no_rows(self):
        seen = []
        with Spilled(LEVELS, lambda: watched(seen)) as subjects:
            assert subjects.ask(Outcomes()).n == 20
            assert alive(seen) == [0, 0, 0, 0]
            assert subjects.ask(Outcomes()).n_events == 20

    def test_lets_a_block_go_before_the_next_is_made(self):
        seen, held = [], []

        def blocks():
            for block in watched(seen):
                held.append(sum(alive(seen)))
                yield block
                del block

        with Spilled(LEVELS, blocks) as subjects:
            assert subjects.n_parts == 4
        assert held == [2, 2, 2, 2]


class TestStore:
    def test_a_copy_takes_the_rows_along(self):
        store = Store(lambda: [make_block([]), make_block([])])
        store.facts()
        copy = pickle.loads(pickle.dumps(store))
        store.close()
        found = [block.outcome.time.tolist() for block in copy]
        assert found == [[1, 2, 3, 4, 5]] * 2
        assert [type(block.reading) for block in copy] == [np.memmap] * 2

    def test_a_copy_that_cannot_be_written_fails_when_it_is_asked(self, tmp_path):
        """Not as it arrives: transfers that fail are tried again for ever."""
        place = tmp_path / "place"
        place.mkdir()
        store = Store(lambda: [make_block([])], partial(str, place))
        letter = pickle.dumps(store)
        store.close()
        place.rmdir()
        copy = pickle.loads(letter)
        with pytest.raises(FileNotFoundError, match="place"):
            copy.facts()
        place.mkdir()
        assert len(list(copy)) == 1

    def test_one_that_failed_half_way_is_made_anew(self, tmp_path):
        fails = [True, False]

        def blocks():
            yield make_block([])
            if fails.pop(0):
                raise OSError("disk full")
            yield make_block([])

        store = Store(blocks, lambda: str(tmp_path))
        with pytest.raises(OSError, match="disk full"):
            store.facts()
        assert len(list(store)) == 2
        assert len(list(tmp_path.iterdir())) == 1

    def test_weights_groups_and_columns_come_back(self):
        levels = np.array([0.25, 0.75])
        reading = np.asfortranarray(np.arange(6.0).reshape(3, 2))
        outcome = Outcome([1, 2, 3], [1, 0, 1]).weighted([2, 1, 1])
        grouped = GroupedOutcome.of_labels(outcome, ["a", "b", "a"])
        (block,) = Store(lambda: [Block(reading, levels, grouped)])
        assert block.reading.tolist() == reading.tolist()
        assert block.outcome.weight.tolist() == [2, 1, 1]
        assert block.outcome.group.tolist() == [0, 1, 0]
        assert block.outcome.labels == ("a", "b")
        assert block.outcome.event.tolist() == [True, False, True]

    def test_threads_read_without_parsing(self, monkeypatch):
        """Python 3.11 parses in one thread at a time, or fails with a SystemError."""

        def parse(*_):
            raise SystemError("AST constructor recursion depth mismatch")

        with monkeypatch.context() as patch:
            patch.setattr(ast, "parse", parse)
            blocks = list(Store(lambda: [make_block([])]))
        assert len(blocks) == 1

    def test_its_folder_is_gone_with_it(self, tmp_path):
        store = Store(lambda: [make_block([])], lambda: str(tmp_path))
        assert len(list(store)) == 1
        assert len(list(tmp_path.glob("consurv-*/0-*"))) == 3
        del store
        assert list(tmp_path.iterdir()) == []


def test_gathered_blocks_are_let_go():
    seen = []
    blocks = gathered(watched(seen), size=10)
    first = next(blocks)
    assert len(first.outcome) == 10
    assert alive(seen) == [0, 0]
    assert len(next(blocks).outcome) == 10

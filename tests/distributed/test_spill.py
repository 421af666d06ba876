import weakref

import numpy as np

from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Outcomes
from consurv.distributed.frame import gathered
from consurv.distributed.spill import Spilled
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


def test_gathered_blocks_are_let_go():
    seen = []
    blocks = gathered(watched(seen), size=10)
    first = next(blocks)
    assert len(first.outcome) == 10
    assert alive(seen) == [0, 0]
    assert len(next(blocks).outcome) == 10

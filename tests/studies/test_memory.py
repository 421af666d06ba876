import tracemalloc

import numpy as np
import pytest

from studies import memory as memory_module
from studies.memory import PeakMemory, peak_memory


def test_memory_is_that_of_the_work_alone() -> None:
    kept = np.ones(10**6)
    peak = peak_memory(lambda: np.ones(10**6))
    assert 8e6 <= peak < 9e6
    assert not tracemalloc.is_tracing()
    assert kept.size


class TestPeakMemory:
    def test_counts_what_is_gone_by_the_end(self) -> None:
        with PeakMemory() as memory:
            big = bytearray(200_000_000)
            del big
        assert memory.growth is not None
        assert 150e6 < memory.growth < 400e6

    def test_is_unknown_where_the_system_does_not_tell(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unknown(name: str) -> int:
            raise FileNotFoundError

        monkeypatch.setattr(memory_module, "_status", unknown)
        with PeakMemory() as memory:
            pass
        assert memory.growth is None

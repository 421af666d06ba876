import time
import tracemalloc

import numpy as np

from consurv.experiments.measuring import peak_memory, seconds_of


def test_seconds_are_the_median_after_a_warm_up() -> None:
    waits = iter([0.2, 0.0, 0.05, 0.3])
    assert 0.04 < seconds_of(lambda: time.sleep(next(waits))) < 0.2
    assert next(waits, None) is None


def test_memory_is_that_of_the_work_alone() -> None:
    kept = np.ones(10**6)
    peak = peak_memory(lambda: np.ones(10**6))
    assert 8e6 <= peak < 9e6
    assert not tracemalloc.is_tracing()
    assert kept.size

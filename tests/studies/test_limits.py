import threading
import time

import pytest
from threadpoolctl import threadpool_info

from studies.limits import OutOfTime, one_thread, time_limit


def work(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(100))


class TestTimeLimit:
    def test_stops_work_that_takes_too_long(self) -> None:
        start = time.perf_counter()
        with pytest.raises(OutOfTime), time_limit(0.1):
            work(20)
        assert time.perf_counter() - start < 10

    def test_cannot_be_swallowed_as_an_ordinary_error(self) -> None:
        def stubborn() -> None:
            try:
                work(20)
            except Exception:
                work(20)

        with pytest.raises(OutOfTime), time_limit(0.1):
            stubborn()

    def test_leaves_work_in_time_alone(self) -> None:
        for _ in range(20):
            with time_limit(1):  # a busy machine may stall for a while
                work(0.001)
        work(1.2)  # a late interruption would hit here

    def test_errors_pass_through(self) -> None:
        with pytest.raises(KeyError), time_limit(10):
            raise KeyError

    def test_works_in_any_thread(self) -> None:
        caught: list[str] = []

        def run() -> None:
            try:
                with time_limit(0.1):
                    work(20)
            except OutOfTime:
                caught.append("stopped")

        thread = threading.Thread(target=run)
        thread.start()
        thread.join(15)
        assert caught == ["stopped"]


def test_one_thread_bounds_torch_and_others_and_puts_them_back() -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with one_thread():
            assert torch.get_num_threads() == 1
            assert {pool["num_threads"] for pool in threadpool_info()} <= {1}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)

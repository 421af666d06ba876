"""A Dask cluster of two workers in a process of its own; prints where it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import LocalCluster

# What nobody has killed by then goes by itself.
_LIFE = 600


@contextmanager
def cluster_apart(port: int = 0) -> Iterator[tuple[str, Any]]:
    """Give the address of a cluster, and what kills all of it at once."""
    found = subprocess.Popen(
        [sys.executable, "-m", "tests.distributed.cluster", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )

    def kill() -> None:
        if found.poll() is None:
            os.killpg(found.pid, signal.SIGKILL)
        found.wait()

    try:
        assert found.stdout is not None
        with found.stdout as said:
            yield said.readline().strip(), kill
    finally:
        kill()


if __name__ == "__main__":
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        scheduler_port=int(sys.argv[1]),
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
    ) as cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        time.sleep(_LIFE)

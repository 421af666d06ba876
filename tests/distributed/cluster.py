"""A Dask cluster of two workers in a process of its own; prints where it is."""

from __future__ import annotations

import sys
import time

from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
    ) as cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        time.sleep(600)

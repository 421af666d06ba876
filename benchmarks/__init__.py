"""Speed and memory, as ratios measured side by side: ``python -m benchmarks``."""

import os

# Before numpy is imported: every contestant runs in one thread.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

"""Latency of a served model over HTTP on loopback: ``python -m benchmarks.serving``."""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.latency import kept_file, simulate
from consurv import ConformalSurvival
from consurv.models import CoxPH

__all__ = ["ask", "serving"]

_START_SECONDS = 120
ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print the middle and the slow end of the answers' times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1000)
    asked = parser.parse_args()
    X, y = simulate()
    with tempfile.TemporaryDirectory() as folder:
        model = ConformalSurvival(CoxPH().fit(X, y)).conformalize(X, y)
        path = kept_file(model, Path(folder))
        rows = X.to_dict("records")
        with serving(path) as client:
            _, seconds = ask(client, rows, asked.requests)
    p50, p99 = 1000 * np.quantile(seconds, [0.5, 0.99])
    print(f"{asked.requests} requests of one row: p50 {p50:.1f} ms, p99 {p99:.1f} ms")


@contextmanager
def serving(path: Path) -> Iterator[httpx.Client]:
    """Serve a model on loopback by ``examples/serve.py``; give a client of it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "--factory", "examples.serve:make_app"]
    command += ["--port", str(port), "--log-level", "warning"]
    places = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    env = os.environ | {
        "CONSURV_MODEL": str(path),
        "PYTHONPATH": os.pathsep.join(places),
    }
    server = subprocess.Popen(command, env=env, cwd=ROOT)
    url = f"http://127.0.0.1:{port}"
    try:
        # No proxy of the surroundings comes between.
        with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
            _wait(client, server)
            yield client
    finally:
        server.terminate()
        server.wait(30)


def ask(
    client: httpx.Client, rows: list[dict[str, Any]], n: int
) -> tuple[list[dict[str, Any]], list[float]]:
    """Ask for one row after another, keys in changing order; return what it took."""
    rng = np.random.default_rng(0)
    answers, seconds = [], []
    for i in range(n):
        row = rows[i % len(rows)]
        mixed = {name: row[name] for name in rng.permutation(list(row))}
        start = time.perf_counter()
        answer = client.post("/predict", json={"rows": [mixed]})
        seconds.append(time.perf_counter() - start)
        answer.raise_for_status()
        answers.append(answer.json())
    return answers, seconds


def _wait(client: httpx.Client, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            client.get("/health").raise_for_status()
            return
        except httpx.TransportError:
            if server.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    main()

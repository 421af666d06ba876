"""The engines of the benchmark find the same, and it says what each took."""

import numpy as np
import pytest

from benchmarks import scale


@pytest.mark.parametrize("rule", scale.FOUND)
def test_files_find_what_memory_finds(tmp_path, rule):
    scale.write_files(tmp_path, 500, 3)
    here, there = (scale.one(name, tmp_path, rule) for name in ("memory", "parquet"))
    off = np.abs(np.subtract(here["numbers"], there["numbers"])).max()
    assert off <= 1e-9 * here["largest"]
    fewest, most = (2, 30) if rule == "recalibrated" else (3, 8)
    assert (here["rounds"], fewest <= there["rounds"] <= most) == (0, True)
    said = scale.line({**there, "rows": 500, "off": off, "ratio": 1.5})
    assert f"rounds {there['rounds']}" in said


def test_an_engine_that_fails_is_said_and_left_out(tmp_path, capsys):
    assert scale.apart("parquet", str(tmp_path / "none"), "auto") is None
    assert "parquet  failed" in capsys.readouterr().out

"""The study of other libraries' models."""

import json

import numpy as np
import pytest

for library in ("xgboost", "catboost", "pycox", "torchsurv", "sksurv"):
    pytest.importorskip(library)
from studies.libraries.__main__ import main, run, table  # noqa: E402
from studies.libraries.models import MODELS  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_a_cell_is_scored_raw_and_calibrated(model):
    found = run("WHAS500", model, 0, "recalibrated")
    for name in ("raw", "calibrated"):
        assert 0 <= found[name]["p"] <= 1
        assert found[name]["c_index"] > 0.6
    assert found["raw"]["d_cal"] != found["calibrated"]["d_cal"]


def test_cells_that_are_there_are_not_run_again(tmp_path, capsys):
    scores = {"p": 0.5, "d_cal": 0.001, "c_index": 0.7}
    record = {"dataset": "A", "model": "m m", "raw": scores, "calibrated": scores}
    for seed in range(2):
        name = f"A-m-m-time-{seed}.json"
        (tmp_path / name).write_text(json.dumps(record | {"seed": seed}))
    asked = ["--datasets", "A", "--models", "m m", "--adjustment", "time"]
    assert main([*asked, "--seeds", "2", "--out", str(tmp_path)]) == 0
    assert "| A | m m | 2 | 100 % | 100 % |" in capsys.readouterr().out


def test_the_table_counts_by_hand():
    def record(p, c):
        raw = {"p": 0.01, "d_cal": 0.004, "c_index": 0.7}
        new = {"p": p, "d_cal": 0.001, "c_index": c}
        return {"dataset": "A", "model": "m", "raw": raw, "calibrated": new}

    last = table([record(0.5, 0.701), record(0.04, 0.697)]).splitlines()[-1]
    cells = [cell.strip() for cell in last.strip("|").split("|")]
    assert cells[2:7] == ["2", "0 %", "50 %", "4.00", "1.00"]
    assert np.allclose([float(c) for c in cells[7:]], [0.7, -0.001, 0.003])

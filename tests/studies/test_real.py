"""Two studies of real data from the same models."""

from studies import folds
from studies.calibrators.cell import record as record_calibrators
from studies.harm.__main__ import main as harm
from studies.harm.cell import record as record_harm
from studies.real import asked_by, main


def test_models_are_trained_once(monkeypatch):
    fits, fit = [], folds.fit
    monkeypatch.setattr(folds, "fit", lambda *asked: fits.append(1) or fit(*asked))
    folds.trained.cache_clear()
    alone = record_calibrators("WHAS500", "weibull-aft", 0)
    assert len(fits) == 6
    folds.trained.cache_clear()
    fits.clear()
    of_harm = record_harm("WHAS500", "weibull-aft", 0)
    beside = record_calibrators("WHAS500", "weibull-aft", 0)
    assert len(fits) == 6
    assert beside["scores"] == alone["scores"]
    raw = of_harm["scores"]["raw"]["c_index"], alone["scores"]["raw"]["c_index"]
    assert abs(raw[0] - raw[1]) < 0.01  # curves of calibrators are on a grid of times


def test_records_lie_where_the_studies_look(tmp_path, capsys):
    asked = ["--datasets", "WHAS500,GBSG2", "--models", "weibull-aft", "--seeds", "1"]
    assert main([*asked, "--jobs", "1", "--out", str(tmp_path)]) == 0
    names = {path.name for path in (tmp_path / "calibrators").iterdir()}
    assert names == {"WHAS500-weibull-aft-0.json"}
    found = tmp_path / "harm" / "GBSG2-weibull-aft-0.json"
    first = found.stat().st_mtime_ns
    assert harm([*asked, "--jobs", "1", "--out", str(tmp_path / "harm")]) == 0
    assert found.stat().st_mtime_ns == first
    assert "2 cells of dataset, model and seed; 0 failed" in capsys.readouterr().out


def test_the_network_of_x_cal_is_for_calibrators_alone():
    assert asked_by(("GBSG", "lognormal", 3)) == (False, True)
    assert asked_by(("GBSG2", "coxph", 3)) == (True, False)

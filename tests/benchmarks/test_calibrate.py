"""The benchmark of the command runs it, and says what it took."""

from benchmarks import calibrate


def test_both_commands_are_measured(capsys):
    (entry,) = calibrate.measure(rows=300, new=50, old=None)
    assert entry["cpu"] > 0.1
    assert entry["peak"] > 50
    predicted = calibrate.measure_prediction(120)
    assert predicted["rows"] == 120
    said = capsys.readouterr().out
    assert "calibrate, here" in said
    assert "predict " in said

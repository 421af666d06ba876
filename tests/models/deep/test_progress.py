import logging
import sys

import pytest

pytest.importorskip("torch")

from consurv.models.deep.progress import progress


class TestProgress:
    def test_is_silent_unless_asked(self, capsys):
        with progress(False) as report:
            report(0, 10, 1.0, 2.0)
        assert capsys.readouterr() == ("", "")

    def test_shows_a_bar_with_both_losses(self, capsys):
        pytest.importorskip("rich")
        with progress(True) as report:
            report(0, 10, 1.0, 2.0)
        out = capsys.readouterr().out
        assert "training loss 1.0000, validation loss 2.0000" in out
        assert "10%" in out

    def test_logs_every_tenth_epoch_without_rich(self, caplog, monkeypatch):
        monkeypatch.setitem(sys.modules, "rich.progress", None)
        with caplog.at_level(logging.INFO, "consurv"), progress(True) as report:
            for epoch in range(20):
                report(epoch, 50, 1.0, 2.0)
        assert [record.getMessage() for record in caplog.records] == [
            f"epoch {epoch} of at most 50: training loss 1.0000, validation loss 2.0000"
            for epoch in (0, 10)
        ]

import numpy as np
import pytest

from consurv.cli.comparison import Comparison, print_comparisons
from consurv.cli.scores import Scores
from consurv.curves import SurvivalCurves
from consurv.metrics import risk_calibration
from consurv.metrics.d_calibration import DCalibrationResult

LEVELS = np.arange(1, 10) / 10
TIME = np.arange(1.0, 201)


def curves(end: float) -> SurvivalCurves:
    """Curves of 200 subjects that fall to 0 at *end*; 200 is right."""
    return SurvivalCurves([end], np.zeros((200, 1)))


def scores(d_cal: float, c_index: float = 0.7, p_value: float = 1.0) -> Scores:
    """Scores whose D-cal × 1000 is *d_cal*; chance gives 0.18 on 1,000 subjects."""
    result = DCalibrationResult(
        value=d_cal / 1000,
        levels=LEVELS.copy(),
        cumulative=LEVELS.copy(),
        histogram=np.full(10, 100.0),
        statistic=0.0,
        p_value=p_value,
    )
    return Scores(c_index, result, risk_calibration((TIME > 0, TIME), curves(200.0)))


def compared(before: Scores, after: Scores) -> Comparison:
    comparison = Comparison("model")
    comparison.add(before, after, 0)
    return comparison


class TestVerdict:
    @pytest.mark.parametrize(
        ("before", "after", "words"),
        [
            (10.0, 2.0, "D-cal fell by 80%"),
            (10.0, 10.5, "D-cal changed little"),
            (0.2, 0.5, "nothing to repair, since right curves get about 0.18"),
            (2.0, 6.0, "D-cal got worse"),
        ],
    )
    def test_is_honest(self, before: float, after: float, words: str) -> None:
        assert compared(scores(before), scores(after)).verdict().startswith(words)

    def test_tells_what_became_of_the_ranking(self) -> None:
        same = compared(scores(1.0), scores(1.0))
        assert same.verdict().endswith("the C-index stayed.")
        moved = compared(scores(1.0), scores(1.0, c_index=0.71))
        assert moved.verdict().endswith("the C-index moved by 0.0100.")

    def test_says_when_the_test_still_rejects(self) -> None:
        better = compared(scores(10.0), scores(2.0, p_value=0.01))
        assert "80% (the test still rejects in 1 of 1 splits)" in better.verdict()

    def test_takes_the_mean_over_splits(self) -> None:
        comparison = compared(scores(1.0), scores(1.0))
        comparison.add(scores(9.0), scores(1.0), 3)
        assert comparison.verdict().startswith("D-cal fell by 80%")
        assert comparison.n_rearranged == 3


class TestByRisk:
    def test_tells_the_largest_gap_and_that_nobody_is_worse(self) -> None:
        words = compared(scores(1.0), scores(1.0)).by_risk()
        assert words.endswith(
            "is 0% raw and 0% calibrated; no group got clearly worse."
        )

    def test_tells_who_got_worse_and_how_often(self) -> None:
        long = Scores(
            0.7, scores(1.0).d_cal, risk_calibration((TIME > 0, TIME), curves(400.0))
        )
        comparison = compared(scores(1.0), long)
        comparison.add(scores(1.0), scores(1.0), 0)
        words = comparison.by_risk()
        # At time 180 (90 % of the events) 10 % survive and 55 % were said to.
        assert "is 0% raw and 22% calibrated" in words
        assert words.endswith("worse in 1 of 2 splits, most often all subjects.")


class TestBars:
    def test_show_every_bin_and_cut_what_is_too_long(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "120")
        uneven = scores(50.0)
        histogram = np.array([900.0, 100, 0, 0, 0, 0, 0, 0, 0, 0])
        object.__setattr__(uneven.d_cal, "histogram", histogram)
        print_comparisons([compared(uneven, scores(0.1))])
        out = capsys.readouterr().out
        assert "0.0–0.1 " + "█" * 26 + " 90.0%" in out
        assert out.count(" 10.0%") == 11

import numpy as np
import pytest

from consurv import ConformalSurvival, Outcome
from consurv.conformal.reading.raw_model import rows_of
from consurv.curves.chunks import CHUNK_ROWS

MANY = CHUNK_ROWS + 1


def exponential(X):
    times = np.array([5.0, 10.0, 20.0])
    return times, np.exp(-times / 10) ** np.ones((len(X), 1))


@pytest.fixture(scope="module")
def few():
    rng = np.random.default_rng(0)
    return np.zeros((50, 1)), Outcome(rng.exponential(8, 50), np.ones(50))


class TestVerbose:
    def test_predictions_of_many_rows_show_a_bar(self, few, capsys):
        post = ConformalSurvival(exponential, adjustment="time", verbose=1)
        post.conformalize(*few).predict(few[0])
        assert capsys.readouterr() == ("", "")
        post.predict(np.zeros((MANY, 1)))
        out, err = capsys.readouterr()
        assert out == ""
        assert "rows predicted" in err
        assert "100%" in err
        list(post.both_in_chunks(np.zeros((MANY, 1))))
        assert "100%" in capsys.readouterr().err

    def test_without_it_nothing_is_shown(self, few, capsys):
        post = ConformalSurvival(exponential, adjustment="time", verbose=0)
        post.conformalize(*few).predict(np.zeros((MANY, 1)))
        assert capsys.readouterr() == ("", "")

    def test_a_large_conformal_set_shows_a_bar(self, capsys):
        rng = np.random.default_rng(0)
        y = Outcome(rng.exponential(8, MANY), np.ones(MANY))
        post = ConformalSurvival(exponential, adjustment="time", verbose=True)
        post.conformalize(np.zeros((MANY, 1)), y)
        assert "rows predicted" in capsys.readouterr().err


def test_all_rows_are_the_table_itself():
    X = np.zeros((3, 1))
    assert rows_of(X, slice(0, 3)) is X
    assert len(rows_of(X, slice(0, 2))) == 2
    assert len(rows_of(X, slice(1, 3))) == 2

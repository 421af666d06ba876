"""The report by group: a table, and a verdict that names a group which got worse."""

import re

import numpy as np
import pandas as pd
import pytest

from consurv import ConformalSurvival, InvalidInput, Outcome
from consurv.report import write_report

TIMES = np.linspace(0.2, 300, 400)


def model(X):
    """Twice too long at site 0, right at the others."""
    X = pd.DataFrame(np.asarray(X), columns=["x", "site"])
    stretch = np.where(X["site"] == 0, 2.0, 1.0)
    scale = stretch * 10 * np.exp(X["x"])
    return TIMES, np.exp(-TIMES / scale.to_numpy()[:, None])


def draw(n, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(scale=0.4, size=n), "site": np.arange(n) % 3})
    X.loc[X["site"] == 2, "site"] = 0
    time, limit = rng.exponential(10 * np.exp(X["x"])), rng.exponential(30, n)
    return X, Outcome(np.minimum(time, limit), time <= limit)


@pytest.fixture(scope="module")
def pooled():
    return ConformalSurvival(model, adjustment="log-time").conformalize(*draw(900, 0))


def text_of(fitted, folder, **options):
    path = folder / "r.html"
    write_report(fitted, *draw(900, 1), path, n_bootstrap=20, **options)
    return path.read_text(encoding="utf-8")


def section(text):
    return re.search(r'<section aria-labelledby="group">.*?</section>', text, re.S)


class TestReport:
    def test_names_a_group_that_became_worse(self, pooled, tmp_path):
        text = text_of(pooled, tmp_path, groups="site")
        assert "Clearly worse off is the group 1: " in text
        table = section(text)[0]
        assert "The group 0" in table
        assert "clearly worse" in table

    def test_finds_nobody_worse_off_with_own_adjustments(self, tmp_path):
        own = ConformalSurvival(model, adjustment="log-time", group_pooling="none")
        own.conformalize(*draw(900, 0), groups="site")
        text = text_of(own, tmp_path)
        assert "No other group has become clearly worse." in text
        assert "clearly worse" not in section(text)[0]
        assert "0: 600 subjects, others weigh 0; 1: 300 subjects" in text
        assert "too optimistic. Of all groups together." in text

    def test_has_no_such_table_without_groups(self, pooled, tmp_path):
        text = text_of(pooled, tmp_path)
        assert section(text) is None
        assert "other group" not in text

    def test_refuses_labels_of_other_length(self, pooled, tmp_path):
        with pytest.raises(InvalidInput, match="lengths differ"):
            text_of(pooled, tmp_path, groups=[1, 2])

import dataclasses

import pandas as pd
import pytest

from consurv.datasets import Dataset
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

Y = Outcome(time=[3, 7, 9, 9], event=[1, 0, 1, 1]).to_structured()


class TestADataset:
    def test_knows_its_outcomes_and_censoring(self) -> None:
        data = Dataset("TOY", pd.DataFrame({"a": range(4)}), Y, "here", "CC0", "days")
        assert len(data) == 4
        assert data.censored == 0.25
        assert data.outcome == Outcome.of(Y)

    def test_cannot_be_changed(self) -> None:
        data = Dataset("TOY", pd.DataFrame({"a": range(4)}), Y, "here", "CC0", "days")
        with pytest.raises(dataclasses.FrozenInstanceError):
            data.name = "OTHER"  # type: ignore[misc]

    def test_refuses_features_and_outcomes_of_different_length(self) -> None:
        with pytest.raises(InvalidInput, match="X has 3, y has 4"):
            Dataset("TOY", pd.DataFrame({"a": range(3)}), Y, "here", "CC0", "days")

import numpy as np
import pytest

from consurv.errors import InvalidInput
from studies.config import StudyConfig
from studies.grid import cells_of
from studies.protocol import split_rows
from studies.sources import load_source


class TestSplitRows:
    def test_models_share_the_test_set_whatever_they_hold_out(self) -> None:
        with_, without = split_rows("PBC", 3, True), split_rows("PBC", 3, False)
        assert with_.test[1] == without.test[1]
        assert with_.known == without.known == without.train[1]
        assert without.validation is None

    def test_sizes_are_a_tenth_and_a_tenth_of_the_rest(self) -> None:
        parts = split_rows("PBC", 0, True)
        assert parts.validation is not None
        sizes = [len(y) for _, y in (parts.train, parts.validation, parts.test)]
        assert sum(sizes) == len(load_source("PBC").y) == 418
        assert abs(sizes[2] - 41.8) <= 1
        assert abs(sizes[1] - 0.1 * (sizes[0] + sizes[1])) <= 1

    def test_seeds_give_other_rows(self) -> None:
        first, second = split_rows("PBC", 0, True), split_rows("PBC", 1, True)
        assert first.test[1] != second.test[1]

    def test_the_encoder_learns_from_training_rows_alone(self) -> None:
        parts = split_rows("PBC", 0, True)
        ages = parts.train[0]["age"].to_numpy()
        assert abs(ages.mean()) < 1e-12
        assert abs(ages.std() - 1) < 1e-12
        assert abs(parts.test[0]["age"].mean()) > 1e-6

    def test_is_stratified_and_keeps_its_curve(self) -> None:
        parts = split_rows("GBSG", 0, True)
        shares = [
            1 - y.n_events / len(y)
            for y in (parts.train[1], parts.test[1], parts.known)
        ]
        np.testing.assert_allclose(shares, 0.4323, atol=0.01)
        assert parts.kaplan_meier is parts.kaplan_meier

    def test_the_old_protocol_has_a_name(self) -> None:
        old, new = (
            split_rows("GBSG", 0, True, stratify)
            for stratify in ("event+time", "event")
        )
        assert old.test[1] != new.test[1]
        # By time, too, the parts are alike, more than chance would have it.
        middle = [np.quantile(y.time, 0.5) for y in (old.test[1], old.known)]
        assert abs(middle[0] / middle[1] - 1) < 0.02

    def test_it_is_part_of_what_was_asked(self) -> None:
        asked = [
            cells_of(StudyConfig("main", ["VALCT"], ["AFT"], 1, stratify=s))[0].asked
            for s in ("event+time", "event")
        ]
        assert asked[0] != asked[1]
        with pytest.raises(InvalidInput, match="stratify='time'"):
            StudyConfig("main", stratify="time")

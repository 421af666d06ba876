from typing import Any

import pytest

from consurv.errors import InvalidInput
from studies import StudyConfig


class TestStudyConfig:
    def test_is_frozen(self) -> None:
        with pytest.raises(AttributeError):
            StudyConfig("main").seeds = 3  # type: ignore[misc]

    def test_resolves_names_in_any_form(self) -> None:
        config = StudyConfig(
            "MAIN", datasets=["valct", "seer-Brain-like"], models=["AFT", "gb", "aft"]
        )
        assert config.study == "main"
        assert config.datasets == ("VALCT", "SEER-brain-like")
        assert config.models == ("weibull-aft", "gradient-boosting")

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"study": "mian"}, "unknown study 'mian'.*objective"),
            ({"datasets": ["VALC"]}, "unknown dataset 'VALC'.*PBC"),
            ({"models": ["deepht"]}, "unknown model 'deepht'.*coxtime"),
            ({"models": "deephit"}, "must be a list of names"),
            ({"datasets": []}, "must be a list of names"),
            ({"datasets": [3]}, "must be a list of names"),
            ({"seeds": 0}, "seeds=0"),
            ({"percentiles": 0}, "percentiles=0"),
            ({"time_limit": 0}, "time_limit=0"),
            ({"settings": {"deepht": {}}}, "unknown model 'deepht'"),
            ({"settings": {"deephit": {"epochs": 3}}}, "no setting 'epochs'"),
            ({"settings": {"deephit": 3}}, "settings of deephit must be a table"),
            ({"study": "objective", "models": ["deephit"]}, "lognormal-crps"),
        ],
    )
    def test_refuses(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(InvalidInput, match=message):
            StudyConfig(**{"study": "main", **changes})

    def test_knows_the_seeds(self) -> None:
        assert list(StudyConfig("main", seeds=3).seed_numbers) == [0, 1, 2]

from studies.measures import CALIBRATION, MEASURES
from tests.studies.made_up import METRICS


def test_are_the_five_of_an_evaluation():
    assert tuple(MEASURES) == METRICS
    assert set(CALIBRATION) <= set(MEASURES)


def test_only_the_c_index_is_better_when_higher():
    higher = [m.name for m in MEASURES.values() if m.higher_is_better]
    assert higher == ["c_index"]
    assert MEASURES["c_index"].better(0.7, 0.6)
    assert MEASURES["mae_po"].better(0.6, 0.7)
    assert not MEASURES["mae_po"].better(0.7, 0.7)

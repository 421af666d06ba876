from studies.names import (
    model_label,
    model_order,
    variant_label,
    variant_order,
)
from tests.studies.made_up import OBJECTIVES


def test_losses_are_ordered_as_in_the_paper():
    names = sorted(set(OBJECTIVES), key=model_order)
    labels = [model_label(name) for name in names]
    assert labels[:3] == ["LL", "CRPS", "X-cal 10⁰"]
    assert labels[7:9] == ["X-cal 10⁵", "SFM 10⁰"]


def test_a_held_out_fit_stands_beside_its_model():
    names = ["deephit", "weibull-aft@held-out", "weibull-aft", "km"]
    assert sorted(names, key=model_order) == [
        "km",
        "weibull-aft",
        "weibull-aft@held-out",
        "deephit",
    ]


def test_unknown_names_are_kept():
    assert model_label("new-model") == "new-model"
    assert variant_label("new") == "new"
    assert variant_order("new") > variant_order("99") > variant_order("9")

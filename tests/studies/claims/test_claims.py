"""Every claim on records that confirm it, that refute it, and without records."""

import itertools

import pytest

from studies.claims import cost_claims, metric_claims
from studies.claims.claim import Evidence, judged
from studies.claims.lists import claims_table
from studies.results import Results
from tests.studies.made_up import METRICS, make_record, make_variant

SEEDS = range(6)
RULES = ("uncensored", "margin", "pseudo-observation", "kaplan-meier")
SMALL, MEDIUM, LARGE = "PBC", "METABRIC", "SEER-brain-like"


def records(study, errors, datasets, models=("deephit", "cqrnn"), spread=0.02):
    """Records in which variants differ in all metrics by their errors.

    Seeds are *spread* apart, alike for all variants; only a hundredth of it is each
    variant's own. The C-index falls with the error.
    """
    made = []
    for dataset, model, seed in itertools.product(datasets, models, SEEDS):
        variants = []
        for k, (name, error) in enumerate(errors.items()):
            wobble = spread * (seed + 0.01 * ((seed * (k + 2)) % 5))
            values = dict.fromkeys(METRICS, 1 + wobble + error)
            values["c_index"] = 0.7 - error
            variants.append(make_variant(name, values))
        made.append(make_record(study, dataset, model, seed, variants))
    return made


def outcome(made, number):
    claims = metric_claims(Results(made)) + cost_claims(Results(made))
    return {claim.number: claim for claim in claims}[number].verdict


def rules(*errors):
    return dict(zip(RULES, errors, strict=True))


CENSORING = "ablation-censoring"
SETS = "ablation-conformal-set"
LEVELS = "ablation-percentiles"


def sets(validation, both):
    return {"validation": validation, "train+validation": both}


def levels(nine, others=0.0):
    return {"9": nine} | dict.fromkeys(("19", "39", "49", "99"), others)


SAMPLED = "kaplan-meier-sampled"


@pytest.mark.parametrize(
    ("number", "study", "datasets", "confirming", "refuting"),
    [
        (
            "0",
            CENSORING,
            [SMALL],
            {"kaplan-meier": 0.0, SAMPLED: 0.00001},
            {"kaplan-meier": 0.0, SAMPLED: 0.5},
        ),
        ("1", CENSORING, ["VALCT"], rules(0, 1, 1, 1), rules(1, 0, 1, 1)),
        ("2", CENSORING, [SMALL], rules(9, 0, 0.001, 0), rules(0, 0, 0.5, 0)),
        ("3a", CENSORING, [MEDIUM], rules(0.5, 0.2, 0.1, 0), rules(0.5, 0.2, -0.1, 0)),
        ("3b", CENSORING, [LARGE], rules(0.5, 0.2, 0.1, 0), rules(0.5, 0, 0.1, 0)),
        ("4a", CENSORING, [SMALL], rules(9, 0, 0.001, 0), rules(0, 0, 0.5, 0)),
        ("4b", CENSORING, [SMALL], rules(0.1, 0, 0, 0), rules(0.1, 0.2, 0, 0)),
        ("5", CENSORING, [SMALL], rules(0.001, 0, 0, 0), rules(0.9, 0, 0, 0)),
        ("6a", SETS, [SMALL], sets(0.1, 0), sets(0, 0.1)),
        ("6b", SETS, [MEDIUM], sets(0.1, 0), sets(0, 0.1)),
        ("6c", SETS, [SMALL], sets(0.0, 0), sets(0.2, 0)),
        ("7", SETS, [LARGE], sets(0.001, 0), sets(0.2, 0)),
        ("8", LEVELS, [SMALL], levels(0.00001), levels(0.5, 0.5) | {"19": 0.0}),
        ("9", LEVELS, [LARGE], levels(0.2), levels(0.0)),
    ],
)
def test_of_the_ablations(number, study, datasets, confirming, refuting):
    assert outcome(records(study, confirming, datasets), number) == "confirmed"
    assert outcome(records(study, refuting, datasets), number) == "refuted"


@pytest.mark.parametrize(
    ("number", "study", "datasets", "errors"),
    [
        ("1", CENSORING, [SMALL], rules(0, 1, 1, 1)),  # not VALCT
        ("3b", CENSORING, [MEDIUM], rules(1, 1, 1, 0)),  # none is large
        ("3a", CENSORING, [MEDIUM], {"margin": 0, "kaplan-meier": 0}),  # rules lack
        ("7", SETS, [SMALL], sets(0, 0)),
        ("9", LEVELS, [SMALL], levels(1)),
    ],
)
def test_without_their_records_are_not_tested(number, study, datasets, errors):
    assert outcome(records(study, errors, datasets), number) == "not tested"


def test_what_is_not_of_the_paper_changes_no_claim():
    errors = rules(0.5, 0.2, 0.1, 0) | {SAMPLED: 0.0}
    datasets = ["VALCT", SMALL, MEDIUM, LARGE]
    alone = metric_claims(Results(records(CENSORING, errors, datasets)))
    with_cipot = records(CENSORING, errors | {"cipot": -0.3}, datasets)
    assert metric_claims(Results(with_cipot)) == alone


def test_significance_is_asked_for_beside_better_means():
    # Better in every cell, but by less than the noise of single variants.
    made = records(CENSORING, rules(1e-5, 1e-5, 1e-5, 0), [MEDIUM], spread=0.5)
    assert outcome(made, "3a") == "refuted"


def two(raw, csd):
    return {"raw": raw, "csd": csd}


@pytest.mark.parametrize(
    ("number", "confirming", "refuting"),
    [
        *((f"T2{x}", two(0.1, 0), two(0, 0.1)) for x in "abcd"),
        ("T2e", two(0.1, 0), two(0, 0.1)),
    ],
)
def test_of_table_2(number, confirming, refuting):
    assert outcome(records("main", confirming, [SMALL]), number) == "confirmed"
    assert outcome(records("main", refuting, [SMALL]), number) == "refuted"
    # The paper's public datasets alone: simulations have no say.
    assert outcome(records("main", confirming, [LARGE]), number) == "not tested"


def test_the_calibrated_stay_so():
    dummy = records("main", {"raw": 0.01}, [SMALL], ["km"])
    kept = records("main", two(0, 0), [SMALL]) + dummy
    lost = records("main", two(0, 0.5), [SMALL]) + dummy
    off = records("main", two(0.5, 0.6), [SMALL]) + dummy
    found = [outcome(made, "T2f") for made in (kept, lost, off)]
    assert found == ["confirmed", "refuted", "not tested"]


def loss(dataset, name, d_cal, c_index=0.7, csd=None):
    made = []
    for seed in SEEDS:
        values = dict.fromkeys(METRICS, d_cal) | {"c_index": c_index}
        variants = [make_variant("raw", values)]
        if csd is not None:
            variants.append(make_variant("csd", values | {"d_calibration": csd}))
        made.append(make_record("objective", dataset, name, seed, variants))
    return made


def losses(dataset, *, xcal, crps=0.1, sfm=0.1, drop=0.1, csd=0.01):
    """Losses of one dataset; X-cal runs from *xcal*[0] to *xcal*[1]; LL has 0.1."""
    made = loss(dataset, "lognormal-likelihood", 0.1, csd=csd)
    made += loss(dataset, "lognormal-crps", crps)
    for i in range(6):
        weight = xcal[0] + (xcal[1] - xcal[0]) * i / 5
        made += loss(dataset, f"lognormal-x-cal-1e{i}", weight, 0.7 - drop * i / 5)
        made += loss(dataset, f"lognormal-sfm-1e{i}", sfm)
    return made


@pytest.mark.parametrize(
    ("number", "confirming", "refuting"),
    [
        ("10a", {"xcal": (0.2, 0.05)}, {"xcal": (0.05, 0.2)}),
        ("10a", {"xcal": (0.2, 0.05)}, {"xcal": (0.3, 0.2)}),  # never below LL
        ("10a", {"xcal": (0.2, 0.05)}, {"xcal": (0.05, 0.05)}),  # no trend
        ("10b", {"xcal": (0.2, 0.1)}, {"xcal": (0.2, 0.1), "drop": 0.0}),
        ("10c", {"xcal": (0.2, 0.05)}, {"xcal": (0.02, 0.001)}),
        # The best of six weights, chosen on test data, decides nothing.
        ("10c", {"xcal": (0.2, 0.005)}, {"xcal": (0.005, 0.005)}),
        ("10f", {"xcal": (0.2, 0.05)}, {"xcal": (0.2, 0.05), "csd": 0.15}),
    ],
)
def test_of_losses(number, confirming, refuting):
    assert outcome(losses("PBC", **confirming), number) == "confirmed"
    assert outcome(losses("PBC", **refuting), number) == "refuted"


@pytest.mark.parametrize(("number", "kind"), [("10d", "crps"), ("10e", "sfm")])
def test_inconsistent_means_both_ways(number, kind):
    lower = losses("PBC", xcal=(1, 1), **{kind: 0.05})
    higher = losses("GBM", xcal=(1, 1), **{kind: 0.15})
    also_lower = losses("GBM", xcal=(1, 1), **{kind: 0.05})
    assert outcome(lower + higher, number) == "confirmed"
    assert outcome(lower + also_lower, number) == "refuted"
    assert outcome(lower, number) == "not tested"


def test_losses_that_are_missing_are_not_judged():
    made = loss("PBC", "lognormal-crps", 0.1)
    for number in ("10a", "10b", "10c", "10d", "10e", "10f"):
        assert outcome(made, number) == "not tested"


def costs(
    dataset, sampled=16.0, memory=1000, models=("deephit", "cqrnn"), slow=1.0, fit=1.0
):
    """Records of the study cost; the last model's step takes *slow* times as long."""
    made = []
    for model in models:
        factor = slow if model == models[-1] else 1.0
        variants = []
        for name, times, space in (
            ("uncensored", 1.0, 1),
            ("kaplan-meier", 3.0, 1),
            (SAMPLED, sampled, memory),
        ):
            seconds = factor * times
            variants.append(
                make_variant(
                    name,
                    {},
                    seconds={"conformalize": seconds, "shifts": seconds},
                    peak_memory=100 * space,
                )
            )
        record = make_record("cost", dataset, model, 0, variants)
        record["fit"] = record["fit"] | {"seconds": fit}
        made.append(record)
    return made


@pytest.mark.parametrize(
    ("number", "confirming", "refuting"),
    [
        ("12", {"slow": 1.5}, {"slow": 5.0}),
    ],
)
def test_of_cost(number, confirming, refuting):
    assert outcome(costs(LARGE, **confirming), number) == "confirmed"
    assert outcome(costs(LARGE, **refuting), number) == "refuted"
    assert outcome([], number) == "not tested"


@pytest.mark.parametrize("number", ["11a", "11b", "11c"])
def test_of_the_authors_algorithm_are_not_comparable(number):
    made = costs(LARGE, sampled=16.0, memory=900) + costs(SMALL, sampled=99.0)
    claims = {claim.number: claim for claim in cost_claims(Results(made))}
    assert claims[number].verdict == "not comparable"
    # Ratios are those of the largest datasets.
    ratio = "900 ×" if number == "11a" else "16 ×"
    assert f"KM-sampling {ratio}" in claims[number].evidence
    assert outcome([], number) == "not tested"


def test_relative_time_is_that_of_aft_on_large_data():
    made = costs(LARGE, models=["weibull-aft"], sampled=16.0, fit=0.1)
    claims = {claim.number: claim for claim in cost_claims(Results(made))}
    assert claims["11d"].verdict == "not comparable"
    assert f"{LARGE} 161 ×" in claims["11d"].evidence


def test_models_with_other_conformal_sets_are_not_compared():
    made = costs(LARGE, slow=9.0)
    for variant in made[-1]["variants"]:
        variant["conformal_set"] = "train"
    assert outcome(made, "12") == "not tested"


def test_all_evidence_must_hold():
    yes, no, none = Evidence(True, "a"), Evidence(False, "b"), Evidence(None, "")
    assert judged("1", "", "", yes, yes).verdict == "confirmed"
    assert judged("1", "", "", yes, no).verdict == "refuted"
    assert judged("1", "", "", yes, none).verdict == "not tested"
    assert judged("1", "", "").evidence == "no records"


def test_the_table_has_a_line_for_each_claim_of_the_paper():
    claims = metric_claims(Results([])) + cost_claims(Results([]))
    table = claims_table(claims, "claims", "Claims")
    numbers = [row[0].rstrip("abcdef") for row in table.rows]
    assert list(dict.fromkeys(numbers)) == ["T2", *(str(i) for i in range(13))]
    assert all(row[4] for row in table.rows)

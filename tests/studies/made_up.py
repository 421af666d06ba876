"""Made-up records that look like those of real runs."""

import json

import numpy as np

from studies.records import write_record

METRICS = (
    "c_index",
    "d_calibration",
    "km_calibration",
    "integrated_brier_score",
    "mae_po",
)
DATASETS = {
    # name: n, features, share censored, longest time, simulated
    "VALCT": (137, 8, 0.066, 999.0, False),
    "DLBCL": (240, 7399, 0.425, 21.8, False),
    "PBC": (418, 17, 0.615, 4795.0, False),
    "GBM": (595, 10, 0.172, 3881.0, False),
    "METABRIC": (1981, 79, 0.552, 9218.0, False),
    "GBSG": (2232, 7, 0.432, 87.36, False),
    "NACD": (2396, 48, 0.364, 84.3, False),
    "SUPPORT": (9105, 31, 0.319, 2029.0, False),
    "SEER-brain-like": (73703, 10, 0.401, 227.0, True),
    "SEER-liver-like": (82841, 14, 0.376, 227.0, True),
    "SEER-stomach-like": (100360, 14, 0.434, 227.0, True),
}
MODELS = {
    "km": "KaplanMeierModel",
    "weibull-aft": "WeibullAFT",
    "gradient-boosting": "GradientBoosting",
    "deepsurv": "DeepSurv",
    "n-mtlr": "NMTLR",
    "deephit": "DeepHit",
    "coxtime": "CoxTime",
    "cqrnn": "CQRNN",
}
RULES = (
    "uncensored",
    "margin",
    "pseudo-observation",
    "kaplan-meier",
    "kaplan-meier-sampled",
)
NEW_RULES = ("self-consistent", "local", "auto", "cipot")
OBJECTIVES = (
    "lognormal-likelihood",
    "lognormal-crps",
    *(f"lognormal-{kind}-1e{i}" for kind in ("x-cal", "sfm") for i in range(6)),
)
# How far off each model's raw curves are, for D-cal.
_ERRORS = {"km": 0.0, "deephit": 0.02, "cqrnn": 0.008, "deepsurv": 0.005}


def size_of(n):
    return "small" if n < 1000 else "medium" if n < 10_000 else "large"


def make_variant(name, metrics, **fields):
    """Return a variant's part of a record; *metrics* are five numbers or a mapping."""
    if not isinstance(metrics, dict):
        metrics = dict(zip(METRICS, map(float, metrics), strict=True))
    return {
        "name": name,
        "status": "done",
        "error": None,
        "percentiles": None if name == "raw" else 19,
        "n_samples": None,
        "conformal_set": None if name == "raw" else "train+validation",
        "metrics": metrics,
        "counts": {"n_conformal": None, "n_rearranged": None, "n_clipped": None},
        "seconds": {"conformalize": None, "predict": 0.01, "evaluate": 0.02},
        "peak_memory": None,
        **fields,
    }


def make_record(study, dataset, model, seed, variants, **fields):
    n, n_features, censored, t_max, simulated = DATASETS.get(
        dataset, (500, 5, 0.3, 10.0, False)
    )
    n_train = int(0.81 * n)
    return {
        "format": "consurv-record",
        "version": 1,
        "study": study,
        "dataset": dataset,
        "model": model,
        "label": MODELS.get(model, model),
        "seed": seed,
        "status": "done",
        "error": None,
        "data": {
            "n": n,
            "n_train": n_train,
            "n_validation": int(0.09 * n),
            "n_test": round(0.1 * n),
            "n_features": n_features,
            "censored": censored,
            "t_max": t_max,
            "size": size_of(n),
            "simulated": simulated,
        },
        "settings": {"validation": True},
        "fit": {
            "seconds": 0.01 + n * 1e-3,
            "n_epochs": 54,
            "reused": False,
            "peak_memory": None,
        },
        "variants": variants,
        "environment": {"consurv": "0.1", "python": "3.11.9", "numpy": "2.0"},
        "started": "2024-01-01T00:00:00",
        "seconds": 1.0,
        **fields,
    }


def failed_record(study, dataset, model, seed, status="failed"):
    error = {"type": "InvalidInput", "message": "more features than subjects"}
    return make_record(
        study, dataset, model, seed, [], status=status, error=error, fit=None
    )


def _stable_rng(*key):
    return np.random.default_rng(list(json.dumps(key).encode()))


def _numbers(rng, dataset, error):
    """Five metrics of curves that are off by *error* (0: as good as KM's)."""
    n, _, _, t_max, _ = DATASETS[dataset]
    floor = 0.15 / (0.1 * n)
    noise = rng.chisquare(9) / 9
    return np.array(
        [
            0.68 + 0.03 * rng.standard_normal() * (500 / n) ** 0.25,
            floor * noise + error * rng.uniform(0.8, 1.2),
            2 * floor * noise + 0.6 * error * rng.uniform(0.8, 1.2),
            0.16 + 0.4 * error + 0.01 * rng.standard_normal() * (500 / n) ** 0.5,
            t_max * (0.2 + error + 0.01 * rng.standard_normal()),
        ]
    )


def _details(rng, dataset, error):
    levels = np.arange(1, 20) / 20
    bend = 2.5 * np.sqrt(error) * levels * (1 - levels)
    times = np.linspace(0, DATASETS[dataset][3] * rng.uniform(0.8, 1), 51)
    km = np.exp(-2 * times / DATASETS[dataset][3])
    return {
        "pp": {
            "levels": levels.tolist(),
            "observed": (levels + bend + 0.01 * rng.standard_normal(19)).tolist(),
        },
        "mean_curve": {
            "times": times.tolist(),
            "survival": (km ** (1 + 10 * error)).tolist(),
            "kaplan_meier": km.tolist(),
        },
    }


def _main(dataset, model, seed, auto):
    rng = _stable_rng("main", dataset, model, seed)
    n = DATASETS[dataset][0]
    error = _ERRORS.get(model, 0.001)
    raw = _numbers(rng, dataset, error)
    if model == "km":
        raw[0] = 0.5
    variants = [make_variant("raw", raw, details=_details(rng, dataset, error))]
    names = ("csd", "auto", "cipot") if auto else ("csd",)
    if model == "km":
        names = ()
    for name in names:
        after = _numbers(rng, dataset, 0.0003)
        after[0] = raw[0] + (name == "cipot") * rng.normal(0, 0.005)
        counts = {"n_conformal": int(0.9 * n), "n_rearranged": 3, "n_clipped": 1}
        variants.append(
            make_variant(
                name,
                after,
                counts=counts,
                seconds={"conformalize": 0.004, "predict": 0.01, "evaluate": 0.02},
                details=_details(rng, dataset, 0.0003),
            )
        )
    return make_record("main", dataset, model, seed, variants)


def _ablation(study, names, dataset, model, seed, errors):
    rng = _stable_rng(study, dataset, model, seed)
    base = _numbers(rng, dataset, 0.0)
    variants = []
    for name, error in zip(names, errors, strict=True):
        shift = np.array([0, error, error, 0.2 * error, 0])
        noise = 1 + 0.02 * rng.standard_normal(5) * np.array([0, 1, 1, 0.05, 0.05])
        variants.append(make_variant(name, (base + shift) * noise))
    return make_record(study, dataset, model, seed, variants)


def _objective(dataset, model, seed):
    rng = _stable_rng("objective", dataset, model, seed)
    kind, _, power = model.removeprefix("lognormal-").partition("-1e")
    error = {"likelihood": 0.02, "crps": 0.015, "x-cal": 0.02, "sfm": 0.03}[kind]
    error /= 1 + int(power or 0)
    raw = _numbers(rng, dataset, error)
    raw[0] -= 0.03 * int(power or 0) * (kind == "x-cal")
    variants = [make_variant("raw", raw)]
    if kind == "likelihood":
        after = _numbers(rng, dataset, 0.0005)
        after[0] = raw[0]
        variants.append(make_variant("csd", after))
    return make_record("objective", dataset, model, seed, variants)


def _cost(dataset, model, seed):
    rng = _stable_rng("cost", dataset, model, seed)
    n = DATASETS[dataset][0]
    cost = {"uncensored": 1, "margin": 1.2, "pseudo-observation": 1.5}
    cost |= {"kaplan-meier": 3.0, "kaplan-meier-sampled": 16.0}
    memory = dict.fromkeys(RULES, 1) | {"kaplan-meier-sampled": 900}
    variants = []
    for name in RULES:
        seconds = 1e-3 + 1e-6 * n * cost[name] * rng.uniform(0.9, 1.1)
        variants.append(
            make_variant(
                name,
                {},
                n_samples=1000 if name.endswith("sampled") else None,
                counts={"n_conformal": int(0.9 * n)},
                seconds={"conformalize": seconds, "predict": 0.01, "evaluate": None},
                peak_memory=int(n * 19 * 8 * memory[name] * 1.3),
            )
        )
    return make_record("cost", dataset, model, seed, variants)


def make_records(
    datasets=tuple(DATASETS),
    models=tuple(MODELS),
    seeds=10,
    auto=True,
    studies=("main", "objective", "ablations", "cost"),
):
    """Return records of whole studies; AFT fails on DLBCL as in the paper."""
    records = []
    for dataset in datasets:
        rows = [(m, s) for m in models for s in range(seeds)]
        for model, seed in rows:
            fails = dataset == "DLBCL" and model == "weibull-aft"
            for study, make in _makers(auto, studies).items():
                if model == "km" and study != "main":
                    continue
                if fails:
                    records.append(failed_record(study, dataset, model, seed))
                else:
                    records.append(make(dataset, model, seed))
        if "objective" in studies:
            records += [
                _objective(dataset, model, seed)
                for model in OBJECTIVES
                for seed in range(min(seeds, 5))
            ]
    return records


def _makers(auto, studies):
    makers = {}
    if "main" in studies:
        makers["main"] = lambda *cell: _main(*cell, auto)
    if "cost" in studies:
        makers["cost"] = _cost
    if "ablations" in studies:
        rules = ("raw", *RULES, *(NEW_RULES if auto else ()))
        rule_errors = (
            *(0.005, 0.004, 0.002, 0.0015, 0.0005),
            *(0.0005, 0.0006, 0.0004, 0, 0.0007),
        )
        tables = {
            "ablation-censoring": (rules, rule_errors[: len(rules)]),
            "ablation-conformal-set": (
                ("raw", "validation", "train+validation"),
                (0.005, 0.003, 0.0),
            ),
            "ablation-percentiles": (
                ("raw", "9", "19", "39", "49", "99"),
                (0.005, 0.0003, 0.0, 0.0, 0.0, 0.0),
            ),
        }
        for study, (names, errors) in tables.items():
            makers[study] = lambda *cell, a=(study, names, errors): _ablation(
                a[0], a[1], *cell, a[2]
            )
    return makers


def write_records(records, folder):
    """Store records where the runner does."""
    for record in records:
        write_record(folder, record)
    return folder

"""The preset line by line: what the authors do, what we do, and where it is said."""

from __future__ import annotations

from dataclasses import dataclass

from studies.tables.table import Table

__all__ = ["LINES", "Line", "lines_table"]


@dataclass(frozen=True)
class Line:
    """One setting.

    Attributes
    ----------
    option : str
        The option that switches it: training, tails, stratify, metrics, conformal,
        percentiles; "both" where the two do the same, "neither" where the preset has
        what is ours.
    what, paper, ours : str
    source : str
        A section of the paper, or a file of shi-ang/CSD, commit a212cdf, or of pycox.
    """

    option: str
    what: str
    paper: str
    ours: str
    source: str


_DEEP = "model/__init__.py"
LINES = (
    Line(
        "training",
        "weight decay",
        "0.1 for every deep model",
        "0.001, CQRNN 0.1, chosen on validation loss",
        "args/__init__.py; the paper's appendix on models names none",
    ),
    Line(
        "training",
        "early stopping of DeepSurv, N-MTLR, CQRNN, log-normal",
        "patience 50 (51 epochs without gain), 10,000 epochs at most",
        "patience 20, 1,000 epochs at most",
        f"{_DEEP}, args/__init__.py",
    ),
    Line(
        "training",
        "early stopping of DeepHit and CoxTime",
        "patience 10",
        "patience 20",
        "icp/scorer.py (torchtuples' EarlyStopping as it comes)",
    ),
    Line(
        "training",
        "DeepSurv's loss",
        "divided by events and by rows: decay 0.1 acts as 25.6 in batches of 256",
        "mean over events",
        "model/loss.py, PartialLikelihood",
    ),
    Line(
        "training",
        "N-MTLR's bins",
        "edges from the first event to the last; the last event is in the open bin",
        "edges end bins of equal numbers of events; censored in proportion",
        "utils/util_survival.py, make_time_bins and encode_survival",
    ),
    Line(
        "training",
        "DeepHit's bins",
        "the same edges, the first just before all times: curves begin below 1",
        "as N-MTLR's",
        "run.py; pycox/preprocessing/label_transforms.py",
    ),
    Line(
        "training",
        "network of DeepHit and CoxTime",
        "batch norm after the ReLU, He's initial weights; CoxTime without last bias",
        "batch norm before the ReLU",
        "torchtuples' MLPVanilla; pycox/models/cox_time.py",
    ),
    Line(
        "training",
        "CoxTime's validation loss",
        "one control for each event, drawn anew: stops after 22 to 38 epochs",
        "4,096 controls, the same in every epoch",
        "pycox/models/cox_cc.py",
    ),
    Line(
        "training",
        "CQRNN's times",
        "as they are (days, months); margin 0.1 between percentile times",
        "divided by the largest training time, no margin",
        f"{_DEEP}, CQRNN; model/loss.py, crossing_loss",
    ),
    Line(
        "training",
        "boosting's features",
        "not centred",
        "centred",
        "run.py (scikit-survival's component-wise boosting)",
    ),
    Line(
        "training",
        "log-normal losses",
        "likelihood summed over the batch, terms of calibration not; σ ≥ 0.607",
        "means; σ within the spread of log times × exp(±2.5)",
        "model/loss.py, LikelihoodLogNormal",
    ),
    Line(
        "training",
        "survival function matching",
        "distances at the times of events summed, over the range of these times",
        "integral over time, over the last time",
        "model/loss.py, compute_km_cal",
    ),
    Line(
        "training",
        "log-normal time scale (--time-scale coded)",
        "S on [0, 5] labelled [0, t_max]; validation times not scaled",
        "one scale",
        f"{_DEEP}, LogNormalNN",
    ),
    Line(
        "conformal",
        "step curves",
        "known at all training times, the last one censored or not",
        "at times of events",
        "scikit-survival, pycox and model/__init__.py, as called in run.py",
    ),
    Line(
        "tails",
        "parametric curves",
        "evaluated at training times, then the line to 0",
        "the law's own tail",
        "icp/scorer.py, predict_nc; utils/util_survival.py, survival_to_quantile",
    ),
    Line(
        "stratify",
        "splits",
        "the same rows of each seed, stratified on the event alone: of (time bin, "
        "event) the stratifier sees which are not 0",
        "other rows, on the event alone; 0.1.0 on event and time, as the paper's text",
        "utils/util_survival.py, survival_data_split (scikit-multilearn 0.2.0); the "
        "paper's section 4.1",
    ),
    Line(
        "stratify",
        "validation set",
        "a tenth of all rows (80/10/10)",
        "a tenth of the training part (81/9/10)",
        "run.py",
    ),
    Line(
        "stratify",
        "order of rows",
        "of the loader's file (GBSG: DeepSurv's, shuffled; NACD: one event less)",
        "of the source",
        "data/__init__.py; data/NACD.csv",
    ),
    Line(
        "stratify",
        "gaps and scales",
        "filled by what all rows say; scaled by eight tenths, PBC's trt, edema and "
        "stage and GBSG's size not at all",
        "filled and scaled by the rows that the model is trained on",
        "data/__init__.py, run.py",
    ),
    Line(
        "stratify",
        "Kaplan–Meier curve of the censored",
        "of eight tenths, for AFT and GB too",
        "of the rows that the model is trained on",
        "icp/__init__.py",
    ),
    Line(
        "both",
        "conformal set",
        "train + validation; AFT and GB train on both",
        'the same with conformal_set="paper" on these datasets',
        "run.py (use_train), icp/scorer.py; the paper's section 3.3",
    ),
    Line(
        "conformal",
        "Kaplan–Meier sampling",
        "1,000 draws of each censored subject, one observed time early (here the limit "
        "of many draws)",
        "the exact limit, at event times",
        "utils/util_survival.py, compute_decensor_times",
    ),
    Line(
        "conformal",
        "rank of the conformal quantile",
        "of 1,000 N + 1 scores, which is ρN subjects",
        "⌈ρ(N + 1)⌉ of N subjects",
        "icp/error_functions.py, OnsSideQuantileRegErrFunc",
    ),
    Line(
        "conformal",
        "interpolation",
        "pchip, also where curves are steps; percentile times by pchip of 1 − S ↦ t "
        "that leaves flat stretches out",
        "each model's own: steps, lines, laws; percentile times are the inverse",
        "args/__init__.py; utils/util_survival.py, survival_to_quantile",
    ),
    Line(
        "percentiles",
        "levels",
        "19",
        "19",
        "args/__init__.py; the paper's appendix with P-P plots",
    ),
    Line(
        "metrics",
        "KM-cal",
        "up to the last event of the test set",
        "up to its last observed time, as the paper's text has it",
        "SurvivalEVAL's km_calibration, called in run.py",
    ),
    Line(
        "metrics",
        "IBS",
        "10 points up to the last time of training and test; no error where there are "
        "no weights; no weights where nobody in the test set is censored",
        "100 points up to the last time of the test set that has weights",
        "run.py",
    ),
    Line(
        "metrics",
        "MAE-PO",
        "pseudo-observations are areas below straight lines between events",
        "areas below the steps of Kaplan–Meier, which are its mean",
        "SurvivalEVAL's mae, called in run.py",
    ),
    Line(
        "neither",
        "ties in the weights of IBS",
        "subjects with an event count as at risk of the censorings at its time, and "
        "the weight of an event is taken after them",
        "events leave first, and the weight is taken before",
        "SurvivalEVAL's KaplanMeier and brier_score_multiple_points",
    ),
    Line(
        "neither",
        "learning rate of DeepSurv, N-MTLR, CQRNN, log-normal",
        "falls along a cosine to a thousandth after 10,000 epochs",
        "constant",
        f"{_DEEP}, icp/scorer.py",
    ),
    Line(
        "neither",
        "CRPS, and X-cal of the censored",
        "trapezoid rule on 32 points, 10⁻⁴ added to times; soft shares of bins",
        "quadrature to rounding; exact shares",
        "model/loss.py, CRPS and compute_x_cal",
    ),
    Line(
        "neither",
        "DeepHit's first edge",
        "just before the first time of training and validation rows",
        "just before that of the training rows",
        "run.py",
    ),
    Line(
        "both",
        "test",
        "the pattern of significant cells fits an unpaired t-test",
        "both tests are in every table",
        "the paper's Table 2",
    ),
)


def lines_table() -> Table:
    """Return the lines as a table.

    Examples
    --------
    >>> lines_table().columns
    ('option', 'what', 'authors', 'ours', 'source')
    """
    return Table(
        "preset",
        "What `--preset paper` sets",
        "Files are those of shi-ang/CSD (commit a212cdf) where no other is named.",
        ("option", "what", "authors", "ours", "source"),
        tuple((x.option, x.what, x.paper, x.ours, x.source) for x in LINES),
    )

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
        The option that switches it: training, tails, stratify, metrics, percentiles;
        "both" where the two do the same, "neither" where the preset keeps ours.
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
        "log-normal time scale (--time-scale coded)",
        "S on [0, 5] labelled [0, t_max]; validation times not scaled",
        "one scale",
        f"{_DEEP}, LogNormalNN",
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
        "on the event alone: of (time bin, event) the stratifier sees which are not 0",
        "on the event alone; 0.1.0 on event and time, as the paper's text has it",
        "utils/util_survival.py, survival_data_split; the paper's section 4.1",
    ),
    Line(
        "neither",
        "validation set",
        "a tenth of all rows (80/10/10)",
        "a tenth of the training part (81/9/10)",
        "run.py",
    ),
    Line(
        "both",
        "conformal set",
        "train + validation; AFT and GB train on both",
        'the same with conformal_set="paper" on these datasets',
        "run.py (use_train), icp/scorer.py; the paper's section 3.3",
    ),
    Line(
        "neither",
        "Kaplan–Meier sampling",
        "1,000 draws of each censored subject, one grid step early",
        "the exact limit, at event times",
        "utils/util_survival.py, compute_decensor_times",
    ),
    Line(
        "neither",
        "interpolation",
        "pchip, also where curves are steps",
        "each model's own: steps, lines, laws",
        "args/__init__.py",
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
        "10 points up to the last time of training and test",
        "100 points up to the last time of the test set that has weights",
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

"""Trained models of pycox."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import pandas as pd

from consurv._checks import as_floats
from consurv.adapters.adapter import Adapter, Validation, describe
from consurv.adapters.methods import curves_of_frame
from consurv.adapters.structure import agrees, proportional
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import Steps
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "PycoxAdapter"]

# pycox computes in float32.
_SINGLE = 1e-5
# What pycox adds to the share that survives a time, after rounding to float32.
_GUARD = 2e-7


class PycoxAdapter(Adapter):
    """Models with ``predict_surv_df``: trained by pycox, taken as they are.

    - Cox models (``CoxPH``, ``CoxCC``, ``CoxTime``): step curves of the baseline that
      ``compute_baseline_hazards`` made; those of ``CoxPH`` and ``CoxCC`` are held as
      log risks beside it.
    - Discrete times (``LogisticHazard``, ``PMF``, ``MTLR``, ``DeepHitSingle``, ...):
      straight lines between the times of ``duration_index``, which is what pycox calls
      a constant density; ``model.interpolate(...)`` is taken, too.

    Features become float32, as torch wants them.
    """

    def clone(self, estimator: Any) -> Any:
        """Return the model itself: it cannot be trained here."""
        return estimator

    def is_fitted(self, estimator: Any) -> bool:
        """Say yes: pycox does not tell a trained network from another."""
        return True

    def fit(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> NoReturn:
        """Refuse: pycox trains by its own settings."""
        raise InvalidInput(
            f"{describe(estimator)} is trained by pycox; use conformalize, which takes "
            "it as it is"
        )

    def _predict(self, estimator: Any, X: Any) -> SurvivalCurves:
        if not hasattr(estimator, "predict_surv_df"):
            raise InvalidInput(
                f"{describe(estimator)} of pycox gives no survival curves; give one "
                "with predict_surv_df, such as CoxPH, LogisticHazard or DeepHitSingle"
            )
        features = as_floats(X, "X", ndim=2).astype(np.float32)
        if hasattr(estimator, "compute_baseline_hazards"):
            return _cox_curves(estimator, features)
        if getattr(estimator, "duration_index", 0) is None:
            raise InvalidInput(
                f"{describe(estimator)} numbers its times 0, 1, 2, ...; say which they "
                "are: model.duration_index = labtrans.cuts"
            )
        return curves_of_frame(_falling(estimator.predict_surv_df(features)))


def _falling(frame: Any) -> Any:
    """Take out what rises by no more than pycox's own guard against log 0.

    It adds 1e-7 to the share that survives each time, so that curves creep above 1
    where the network is sure that nothing happens.
    """
    if not isinstance(frame, pd.DataFrame):
        return frame
    frame = frame.sort_index()
    survival = frame.to_numpy(dtype=float)
    lowest = np.minimum.accumulate(np.minimum(survival, 1.0), axis=0)
    if not (survival - lowest).max(initial=0.0) <= _GUARD * len(frame):
        return frame
    return pd.DataFrame(lowest, index=frame.index, columns=frame.columns)


def _cox_curves(model: Any, features: Any) -> SurvivalCurves:
    if not hasattr(model, "baseline_hazards_"):
        raise InvalidInput(
            f"{describe(model)} has no baseline yet; call "
            "model.compute_baseline_hazards() after training"
        )

    def table(rows: slice) -> SurvivalCurves:
        return curves_of_frame(model.predict_surv_df(features[rows]), "step")

    # The risks of CoxTime, which has labtrans, change with time.
    if hasattr(model, "partial_log_likelihood") and not hasattr(model, "labtrans"):
        curves = _proportional_curves(model, features)
        if curves is not None and agrees(curves, table, _SINGLE):
            return curves
    return table(slice(None))


def _proportional_curves(model: Any, features: Any) -> SurvivalCurves | None:
    hazard = getattr(model, "baseline_cumulative_hazards_", None)
    if hazard is None:
        return None
    with np.errstate(divide="ignore"):
        log_hazard = np.log(hazard.to_numpy(dtype=float))
    log_risk = np.asarray(model.predict(features), dtype=float)
    if log_risk.shape != (len(features), 1):  # a network of time and features
        return None
    times = hazard.index.to_numpy(dtype=float)
    return proportional([Steps(times, log_hazard)], log_risk[:, 0])


ADAPTER = PycoxAdapter()

"""A masked array, or a tensor with gradients, is refused wherever arrays come in."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from consurv import ConformalSurvival, Outcome
from consurv.adapters import adapter_for
from consurv.datasets import TableEncoder
from consurv.errors import InvalidInput
from consurv.models import CoxPH, GradientBoosting
from consurv.report.predictions import predict_both

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = Outcome(time=RNG.exponential(np.exp(X[:, 0])), event=np.ones(60))
MASKED = np.ma.array(X, mask=np.abs(X) > 2)
FITTED = CoxPH().fit(X, Y)
CONFORMAL = ConformalSurvival(FITTED).conformalize(X, Y)
SEARCH = GridSearchCV(CoxPH(), {"penalty": [0.1, 1.0]}, cv=2)


def curves(rows: Any) -> tuple[list[float], list[list[float]]]:
    return [1.0, 2.0], [[0.6, 0.3]] * len(rows)


class OwnTimes:
    """A model whose percentile times come with a mask."""

    levels_ = np.array([0.5])

    def predict_survival_function(self, rows: Any) -> Any:
        return curves(rows)

    def predict_percentile_times(self, rows: Any) -> Any:
        return np.ma.array(np.ones((len(rows), 1)), mask=True)


ENTRIES: dict[str, Callable[[Any], Any]] = {
    "model fit": lambda x: CoxPH().fit(x, Y),
    "model fit with validation": lambda x: CoxPH().fit(X, Y, x, Y),
    "boosting fit": lambda x: GradientBoosting().fit(x, Y),
    "model curves": FITTED.predict_survival_function,
    "model risk": FITTED.predict,
    "model score": lambda x: FITTED.score(x, Y),
    "fit": lambda x: ConformalSurvival(CoxPH()).fit(x, Y),
    "fit with validation": lambda x: ConformalSurvival(CoxPH()).fit(X, Y, x, Y),
    "conformalize": lambda x: ConformalSurvival(FITTED).conformalize(x, Y),
    "conformalize a function": lambda x: ConformalSurvival(curves).conformalize(x, Y),
    "curves": CONFORMAL.predict_survival_function,
    "both": CONFORMAL.predict_both,
    "quantile": lambda x: CONFORMAL.predict_quantile(x, [0.5]),
    "interval": CONFORMAL.predict_interval,
    "score": lambda x: CONFORMAL.score(x, Y),
    "restore": lambda x: ConformalSurvival(FITTED).restore(CONFORMAL.adjustment_, x),
    "report": lambda x: predict_both(CONFORMAL, x, Y),
    "encoder fit": lambda x: TableEncoder().fit(x),
    "encoder transform": lambda x: TableEncoder().fit(X).transform(x),
    "adapter fit": lambda x: adapter_for(CoxPH()).fit(CoxPH(), x, Y),
    "adapter curves": lambda x: adapter_for(curves).curves(curves, x),
    "pipeline fit": lambda x: _fit(make_pipeline(FunctionTransformer(), CoxPH()), x),
    "search fit": lambda x: _fit(SEARCH, x),
}


def _fit(estimator: Any, rows: Any) -> Any:
    return adapter_for(estimator).fit(estimator, rows, Y)


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_masked_table_is_refused(entry: str) -> None:
    with pytest.raises(InvalidInput, match="X is a masked array and the mask would"):
        ENTRIES[entry](MASKED)


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_list_of_masked_rows_is_refused(entry: str) -> None:
    with pytest.raises(InvalidInput, match="X is a masked array and the mask would"):
        ENTRIES[entry](list(MASKED))


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_tensor_with_gradients_is_refused(entry: str) -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(InvalidInput, match=r"give X\.detach\(\)"):
        ENTRIES[entry](torch.tensor(X, requires_grad=True))


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_plain_table_is_taken(entry: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ENTRIES[entry](X)


def test_masked_percentile_times_of_a_model_are_refused() -> None:
    with pytest.raises(InvalidInput, match="OwnTimes gave as percentile times is a"):
        adapter_for(OwnTimes()).own_percentile_times(OwnTimes(), X)


def test_outcomes_with_gradients_are_refused() -> None:
    torch = pytest.importorskip("torch")
    time = torch.ones(3, requires_grad=True)
    with pytest.raises(InvalidInput, match=r"time is a tensor .* give time\.detach"):
        Outcome(time=time, event=[1, 0, 1])

"""FromTorch: survival curves of a trained torch module, by what its output means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.special import expit, softmax

from consurv._checks import Float, as_floats
from consurv._params import AtLeast, Constraints, InstanceOf, OneOf
from consurv.curves.breslow import breslow
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput, MissingDependency
from consurv.models.model import AT_ONCE, Data, SurvivalModel

try:
    import torch
except ImportError as error:
    raise MissingDependency("torch", "deep") from error

__all__ = ["FromTorch"]


class FromTorch(SurvivalModel):
    """A trained torch module; ``output`` says what it gives.

    The module is asked in batches, without gradients and in ``eval`` mode, and left in
    the mode that it was in. It is not trained here: ``fit`` only estimates Breslow's
    baseline, which ``"log-hazard"`` needs, from training rows.

    Parameters
    ----------
    module : torch.nn.Module
        From features (n, m) to a tensor of n rows, or to a tuple of them, which become
        columns.
    output : str
        - ``"log-hazard"``, (n,) or (n, 1): the log of a hazard ratio (Cox, DeepSurv).
        - ``"survival"``, (n, k): probabilities at ``times``.
        - ``"pmf"``, (n, k) or (n, k + 1): those of the intervals that end at ``times``
          and, in a last column, of later; ``"pmf-logits"`` before a softmax.
        - ``"hazards"``, (n, k): of an event in an interval for those who reach it;
          ``"hazard-logits"`` before a sigmoid.
        - ``"weibull"``, (n, 2): log scale and log shape, as in torchsurv; one column is
          an exponential law.
        - ``"log-normal"``, ``"log-logistic"``, (n, 2): location and log scale of log T.
    times : array-like of shape (k,), optional
        Where curves have their nodes; for outputs of k columns.
    interpolation : {"linear", "step", "pchip"}, default="linear"
        Between ``times``.
    batch_size : int, default=8192
    device : str, optional
        Where to compute; by default where the module is.

    Examples
    --------
    >>> module = torch.nn.Linear(3, 2)
    >>> model = FromTorch(module, "weibull")
    >>> len(model.predict_survival_function(np.zeros((5, 3))))
    5
    """

    _rules: ClassVar[Constraints] = {
        "module": InstanceOf(torch.nn.Module),
        "interpolation": OneOf("linear", "step", "pchip"),
        "batch_size": AtLeast(1),
        "device": (OneOf(None), InstanceOf(str, torch.device)),
    }
    _dtype: ClassVar[DTypeLike] = np.float32
    _chunk_rows: ClassVar[int] = AT_ONCE

    def __init__(
        self,
        module: Any,
        output: str,
        *,
        times: ArrayLike | None = None,
        interpolation: str = "linear",
        batch_size: int = 8192,
        device: Any = None,
    ) -> None:
        self.module = module
        self.output = output
        self.times = times
        self.interpolation = interpolation
        self.batch_size = batch_size
        self.device = device

    def _check_params(self) -> None:
        super()._check_params()
        if self.output not in (*_CURVES, "log-hazard"):
            raise InvalidInput(
                f"output={self.output!r} is not valid; it must be one of "
                f"{', '.join(map(repr, ('log-hazard', *_CURVES)))}"
            )
        if self.output in _ON_TIMES and self.times is None:
            raise InvalidInput(
                f"output={self.output!r} needs times, one for each column of the output"
            )

    def _fit(self, data: Data, validation: Data | None) -> None:
        if self.output == "log-hazard":
            self.baseline_ = breslow(self._log_hazard(self._ask(data[0])), data[1])

    def __sklearn_is_fitted__(self) -> bool:
        return self.output != "log-hazard" or hasattr(self, "baseline_")

    def _check_features(self, X: Any) -> NDArray[Any]:
        self._check_params()
        return super()._check_features(X)

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        found = self._ask(features)
        if self.output == "log-hazard":
            return self.baseline_.curves(self._log_hazard(found))
        return _CURVES[self.output](self, found)

    def _log_hazard(self, found: Float) -> Float:
        self._check_columns(found, 1)
        return found[:, 0]

    def _check_columns(self, found: Float, *wanted: int) -> None:
        if found.shape[1] not in wanted:
            raise InvalidInput(
                f"the module gave {found.shape[1]} columns, and output="
                f"{self.output!r} means {' or '.join(map(str, wanted))}"
            )

    def _ask(self, features: NDArray[Any]) -> Float:
        """Return the module's output for all rows, of shape (n, columns)."""
        module = self.module if self.device is None else self.module.to(self.device)
        first = next(iter(module.parameters()), torch.empty(0))
        parts = []
        with _evaluating(module), torch.no_grad():
            for start in range(0, len(features), self.batch_size):
                batch = np.array(features[start : start + self.batch_size])
                x = torch.from_numpy(batch).to(first.device, first.dtype)
                parts.append(self._columns(module(x), len(batch)))
        found: Float = as_floats(
            np.concatenate(parts), "the output of the module", ndim=2
        )
        return found

    def _columns(self, output: Any, n: int) -> NDArray[Any]:
        tensors = output if isinstance(output, tuple | list) else (output,)
        columns = [t.double().cpu().numpy() for t in tensors]
        for part in columns:
            if part.ndim not in (1, 2) or len(part) != n:
                raise InvalidInput(
                    f"the module gave shape {part.shape} for {n} rows of X; it must "
                    "give a row for each"
                )
        return np.column_stack(columns)


def _on_times(
    model: FromTorch,
    values: Float,
    make: Callable[..., SurvivalCurves],
    more: int = 0,
) -> SurvivalCurves:
    times = as_floats(np.atleast_1d(np.asarray(model.times)), "times")
    model._check_columns(values, *(len(times) + i for i in range(more + 1)))
    return make(times, values, model.interpolation)


def _pmf_logits(model: FromTorch, logits: Float) -> SurvivalCurves:
    total = logits.sum(axis=1)
    if logits.min() >= 0 and np.allclose(total, 1, atol=1e-4):
        raise InvalidInput(
            "the rows of the output are probabilities already; give output='pmf'"
        )
    return _pmf(model, softmax(logits, axis=1))


def _pmf(model: FromTorch, values: Float) -> SurvivalCurves:
    return _on_times(model, values, SurvivalCurves.from_pmf, 1)


def _hazards(model: FromTorch, values: Float) -> SurvivalCurves:
    return _on_times(model, values, SurvivalCurves.from_hazards)


def _weibull(model: FromTorch, found: Float) -> SurvivalCurves:
    model._check_columns(found, 1, 2)
    log_shape = found[:, 1] if found.shape[1] == 2 else np.zeros(len(found))
    return SurvivalCurves.from_aft(found[:, 0], np.exp(-log_shape), "weibull")


def _law(name: str) -> Callable[[FromTorch, Float], SurvivalCurves]:
    def curves(model: FromTorch, found: Float) -> SurvivalCurves:
        model._check_columns(found, 2)
        return SurvivalCurves.from_aft(found[:, 0], np.exp(found[:, 1]), name)

    return curves


_CURVES: dict[str, Callable[[FromTorch, Float], SurvivalCurves]] = {
    "survival": lambda model, found: _on_times(model, found, SurvivalCurves),
    "pmf": _pmf,
    "pmf-logits": _pmf_logits,
    "hazards": _hazards,
    "hazard-logits": lambda model, found: _hazards(model, expit(found)),
    "weibull": _weibull,
    "log-normal": _law("log-normal"),
    "log-logistic": _law("log-logistic"),
}
_ON_TIMES = ("survival", "pmf", "pmf-logits", "hazards", "hazard-logits")


@contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    """Put a module in ``eval`` mode and each of its parts back as it was."""
    before = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in before:
            part.training = training

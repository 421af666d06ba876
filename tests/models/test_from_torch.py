"""Curves of torch modules, against closed forms and torchsurv."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from sklearn.exceptions import NotFittedError

from consurv import InvalidInput, SurvivalCurves

torch = pytest.importorskip("torch")
from consurv.models import FromTorch  # noqa: E402

TIMES = np.array([0.5, 1.0, 3.0])


def linear(outputs):
    torch.manual_seed(0)
    return torch.nn.Linear(3, outputs)


def output_of(module, X):
    with torch.no_grad():
        return module(torch.from_numpy(X).float()).double().numpy()


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class TestOutputs:
    def test_log_hazard_is_breslows(self, simulated):
        from consurv import breslow

        X, y = simulated
        module = linear(1)
        scores = output_of(module, X)[:, 0]
        expected = breslow(scores, y).curves(scores).median()
        model = FromTorch(module, "log-hazard")
        with pytest.raises(NotFittedError):
            model.predict_survival_function(X)
        found = model.fit(X, y).predict_survival_function(X).median()
        assert_allclose(found, expected, rtol=1e-6)

    def test_weibull_is_torchsurvs(self, simulated):
        weibull = pytest.importorskip("torchsurv.loss.weibull")
        X, _ = simulated
        for outputs in (1, 2):
            module = linear(outputs)
            curves = FromTorch(module, "weibull").predict_survival_function(X)
            params = torch.from_numpy(output_of(module, X))
            theirs = weibull.survival_function_weibull(params, torch.from_numpy(TIMES))
            assert_allclose(
                curves.survival_at(TIMES), theirs.numpy(), rtol=1e-5, atol=1e-9
            )

    @pytest.mark.parametrize("law", ["log-normal", "log-logistic"])
    def test_laws_have_location_and_log_scale(self, simulated, law):
        X, _ = simulated
        module = linear(2)
        found = FromTorch(module, law).predict_survival_function(X).median()
        assert_allclose(found, np.exp(output_of(module, X)[:, 0]), rtol=1e-6)

    def test_probabilities_and_logits(self, simulated):
        X, _ = simulated
        module = linear(3)
        logits = output_of(module, X)
        more = linear(4)
        cases = {
            "hazard-logits": (module, np.cumprod(1 - expit(logits), axis=1)),
            "pmf-logits": (
                more,
                1 - np.cumsum(softmax(output_of(more, X), axis=1), axis=1)[:, :3],
            ),
            "hazards": (
                Module(lambda x: torch.sigmoid(module(x))),
                np.cumprod(1 - expit(logits), axis=1),
            ),
            "pmf": (
                Module(lambda x: torch.softmax(module(x), dim=1)),
                1 - np.cumsum(softmax(logits, axis=1), axis=1),
            ),
            "survival": (
                Module(lambda x: torch.sigmoid(module(x)).cumprod(dim=1)),
                np.cumprod(expit(logits), axis=1),
            ),
        }
        for output, (network, expected) in cases.items():
            model = FromTorch(network, output, times=TIMES)
            found = model.predict_survival_function(X).survival_at(TIMES)
            assert_allclose(found, expected, atol=1e-5, err_msg=output)

    def test_a_tuple_becomes_columns(self, simulated):
        X, _ = simulated
        pair = Module(lambda x: (x[:, 0], x[:, 1:2]))
        found = FromTorch(pair, "log-normal").predict_survival_function(X)
        expected = SurvivalCurves.from_aft(X[:, 0], np.exp(X[:, 1]), "log-normal")
        assert_allclose(found.median(), expected.median(), rtol=1e-6)


class TestManners:
    def test_a_table_is_no_reason_to_warn(self):
        """A trained module does not say what its columns were called."""
        model = FromTorch(linear(2), "weibull")
        table = pd.DataFrame(np.eye(3), columns=list("abc"))
        same = model.predict_survival_function(np.eye(3)).median()
        for X in (table, table.astype({"a": np.float32})):
            found = model.predict_survival_function(X).median()
            assert_array_equal(found, same)

    def test_batches_change_nothing(self, simulated):
        X, _ = simulated
        whole, parts = (
            FromTorch(linear(2), "weibull", batch_size=size)
            .predict_survival_function(X)
            .median()
            for size in (8192, 7)
        )
        assert_allclose(parts, whole, rtol=1e-6)

    def test_every_part_keeps_its_mode_and_no_gradient_is_kept(self, simulated):
        X, _ = simulated
        seen = []

        class Watching(torch.nn.Linear):
            def forward(self, x):
                seen.append((self.training, torch.is_grad_enabled()))
                return super().forward(x)

        module = torch.nn.Sequential(Watching(3, 4), torch.nn.Linear(4, 2))
        module.train()
        module[1].eval()  # frozen by its owner
        FromTorch(module, "weibull").predict_survival_function(X)
        assert set(seen) == {(False, False)}
        assert [module.training, module[0].training, module[1].training] == [
            True,
            True,
            False,
        ]

    def test_the_mode_comes_back_after_an_error(self, simulated):
        module = Module(lambda x: 1 / 0).train()
        with pytest.raises(ZeroDivisionError):
            FromTorch(module, "weibull").predict_survival_function(simulated[0])
        assert module.training

    def test_double_modules_and_a_named_device_will_do(self, simulated):
        X, _ = simulated
        model = FromTorch(linear(2).double(), "weibull", device="cpu")
        expected = FromTorch(linear(2), "weibull").predict_survival_function(X).median()
        found = model.predict_survival_function(X).median()
        assert_allclose(found, expected, rtol=1e-5)


class TestRefusals:
    @pytest.mark.parametrize(
        ("module", "output", "message"),
        [
            (linear(2), "log-risk", "output='log-risk' is not valid; it must be one"),
            (linear(2), "pmf", "output='pmf' needs times"),
            (len, "weibull", "module=.* is not valid"),
            (linear(3), "weibull", "gave 3 columns, and output='weibull' means 1 or 2"),
            (Module(lambda x: x[:5, :2]), "weibull", r"gave shape \(5, 2\) for 200 ro"),
            (Module(lambda x: x[:, :2] * np.nan), "weibull", "400 NaN"),
        ],
    )
    def test_of_what_cannot_be(self, simulated, module, output, message):
        with pytest.raises(InvalidInput, match=message):
            FromTorch(module, output).predict_survival_function(simulated[0])

    def test_probabilities_that_are_called_logits(self, simulated):
        module = linear(3)
        network = Module(lambda x: torch.softmax(module(x), dim=1))
        model = FromTorch(network, "pmf-logits", times=TIMES)
        with pytest.raises(InvalidInput, match="probabilities already; give output='p"):
            model.predict_survival_function(simulated[0])

    def test_logits_that_are_called_probabilities(self, simulated):
        model = FromTorch(linear(3), "hazards", times=TIMES)
        with pytest.raises(InvalidInput, match="hazard-logits"):
            model.predict_survival_function(simulated[0])

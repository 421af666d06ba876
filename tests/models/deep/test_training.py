import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from consurv.errors import ConsurvError, InvalidInput  # noqa: E402
from consurv.models.deep.network import mlp  # noqa: E402
from consurv.models.deep.training import (  # noqa: E402
    Settings,
    _batches,
    _evaluate,
    find_device,
    seeded,
    train,
)


def squares(network, batch):
    return (network(batch["x"])[:, 0] - batch["t"]).square().mean()


def make(n=100, seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 3, generator=generator)
    return {"x": x, "t": x[:, 0] + 0.1 * torch.randn(n, generator=generator)}


def make_network(seed=0, **params):
    with seeded(seed):
        return mlp(3, 1, **params)


class TestTraining:
    def test_learns(self):
        network = make_network()
        settings = Settings(learning_rate=0.01, batch_size=32)
        history = train(network, squares, make(400), make(100, 1), settings)
        assert history.validation_loss.min() < 0.3
        assert history.n_epochs == len(history.validation_loss)

    def test_without_penalty_finds_least_squares(self):
        data = make(64)
        network = make_network(hidden=())
        settings = Settings(0.05, 0.0, batch_size=64, max_epochs=500, patience=500)
        train(network, squares, data, data, settings)
        A = torch.cat([data["x"], torch.ones(64, 1)], dim=1)
        expected = torch.linalg.lstsq(A, data["t"][:, None]).solution[:, 0]
        found = torch.cat([network[0].weight[0], network[0].bias])
        torch.testing.assert_close(found, expected, atol=1e-3, rtol=0)

    def test_gives_the_same_for_the_same_seed(self):
        runs = []
        for seed in (1, 1, 2):
            network = make_network()
            settings = Settings(max_epochs=3, seed=seed, batch_size=32)
            runs.append(train(network, squares, make(), make(50, 1), settings))
        first, same, other = (run.validation_loss for run in runs)
        np.testing.assert_array_equal(first, same)
        assert (first != other).any()

    def test_leaves_the_global_generator_alone(self):
        torch.manual_seed(5)
        expected = torch.rand(3)
        torch.manual_seed(5)
        train(make_network(), squares, make(), make(), Settings(max_epochs=2))
        assert torch.equal(torch.rand(3), expected)

    def test_ends_in_evaluation_mode_and_leaves_the_data_alone(self):
        data = make()
        before = copy.deepcopy(data)
        network = make_network()
        train(network, squares, data, data, Settings(max_epochs=2))
        assert not network.training
        assert all(torch.equal(data[name], before[name]) for name in data)


class TestStopping:
    def test_keeps_the_best_weights(self):
        network, validation = make_network(), make(50, 1)
        settings = Settings(learning_rate=0.03, patience=7)
        history = train(network, squares, make(), validation, settings)
        assert history.best_epoch == history.validation_loss.argmin()
        assert history.n_epochs == history.best_epoch + 1 + 7
        now = squares(network, validation).item()
        assert now == pytest.approx(history.validation_loss.min(), rel=1e-5)

    def test_runs_no_longer_than_allowed(self):
        settings = Settings(max_epochs=3)
        history = train(make_network(), squares, make(), make(), settings)
        assert history.n_epochs == 3

    def test_sees_the_same_random_draws_in_every_validation(self):
        seen = []

        def noisy(network, batch):
            if not network.training:
                seen.append(float(torch.rand(1)))
            return squares(network, batch)

        train(make_network(), noisy, make(), make(), Settings(max_epochs=3))
        assert len(set(seen)) == 1

    def test_compares_means_over_all_validation_rows(self):
        network, rows = make_network().eval(), make(5000)
        chunks = _batches(5000, 2048, torch.Generator(), torch.device("cpu"))
        assert [len(chunk) for chunk in chunks] == [2048, 2048, 904]
        whole = squares(network, rows).item()
        assert _evaluate(network, squares, rows, chunks) == pytest.approx(whole)


class TestBatches:
    @pytest.mark.parametrize(
        ("n", "sizes"), [(8, [4, 4]), (9, [4, 5]), (10, [4, 4, 2]), (3, [3]), (1, [1])]
    )
    def test_hold_every_row_once_and_never_one_alone(self, n, sizes):
        batches = _batches(n, 4, torch.Generator(), torch.device("cpu"))
        assert [len(batch) for batch in batches] == sizes
        assert sorted(torch.cat(batches).tolist()) == list(range(n))

    def test_come_in_another_order_each_time(self):
        generator = torch.Generator()
        first, second = (
            torch.cat(_batches(50, 9, generator, torch.device("cpu"))) for _ in range(2)
        )
        assert not torch.equal(first, second)


class TestTrouble:
    @pytest.mark.parametrize(("n", "n_validation"), [(1, 5), (5, 0)])
    def test_with_too_few_rows_is_told(self, n, n_validation):
        with pytest.raises(InvalidInput, match=f"{n} subjects to train on and"):
            train(make_network(), squares, make(n), make(n_validation), Settings())

    def test_with_lengths_is_told(self):
        wrong = {"x": torch.zeros(3, 3), "t": torch.zeros(4)}
        with pytest.raises(InvalidInput, match="x has 3, t has 4"):
            train(make_network(), squares, wrong, make(), Settings())

    @pytest.mark.parametrize("kind", ["training", "validation"])
    def test_with_numbers_is_told(self, kind):
        def broken(network, batch):
            loss = squares(network, batch)
            return loss / 0 if network.training == (kind == "training") else loss

        with pytest.raises(ConsurvError, match=f"the {kind} loss became inf in epoch"):
            train(make_network(), broken, make(), make(), Settings())


class TestDevice:
    def test_auto_is_one_that_is_there(self):
        assert find_device("auto").type in {"cpu", "cuda"}

    @pytest.mark.parametrize("name", ["abacus", "cuda:99", "meta:1:2"])
    def test_that_is_not_there_is_told(self, name):
        with pytest.raises(InvalidInput, match=f"device='{name}' cannot be used here"):
            find_device(name)

    @pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
    def test_gpu_learns_and_keeps_its_generator(self):
        torch.cuda.manual_seed(5)
        before = torch.cuda.get_rng_state()
        network = make_network()
        settings = Settings(learning_rate=0.01, batch_size=32, device="cuda")
        history = train(network, squares, make(400), make(100, 1), settings)
        assert history.validation_loss.min() < 0.3
        assert torch.equal(torch.cuda.get_rng_state(), before)

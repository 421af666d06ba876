"""What a file of data cannot hold is named; what a file must not set is refused."""

import numpy as np
import pytest

from consurv.keep import NotPlain, generator


def test_old_random_states_are_not_kept():
    with pytest.raises(NotPlain, match=r"numpy\.random\.RandomState"):
        generator.store(np.random.RandomState(0))


def test_a_generator_comes_back_where_it_stood():
    rng = np.random.default_rng(3)
    rng.random(5)
    state = generator.store(rng)
    assert generator.restore(state).random() == rng.random()


def test_an_unknown_generator_is_refused():
    with pytest.raises(ValueError, match="it has a generator 'os'"):
        generator.restore({"bit_generator": "os"})


class TestModules:
    def test_code_of_ones_own_is_not_part_of_a_file(self):
        torch = pytest.importorskip("torch")
        from consurv.keep import torch as kept

        class Mine(torch.nn.Linear):
            pass

        with pytest.raises(NotPlain, match="the module Mine is not part of a file"):
            kept.store(torch.nn.Sequential(Mine(2, 1)))

    def test_a_hook_is_code(self):
        torch = pytest.importorskip("torch")
        from consurv.keep import torch as kept

        layer = torch.nn.Linear(2, 1)
        layer.register_forward_hook(lambda *_: None)
        with pytest.raises(NotPlain, match="hooks or hidden buffers"):
            kept.store(layer)

    def test_a_file_that_sets_more_than_a_module_has_is_refused(self):
        torch = pytest.importorskip("torch")
        from consurv.keep import torch as kept

        state = kept.store(torch.nn.Linear(2, 1))
        assert kept.restore(state)(torch.zeros(1, 2)).shape == (1, 1)
        state["layers"]["attributes"]["_forward_hooks"] = {}
        with pytest.raises(ValueError, match="sets what no module sets"):
            kept.restore(state)

import pytest

from consurv.distributed.federated import Plan
from consurv.distributed.federated.papers import (
    check_seal,
    digest,
    read_paper,
    sealed,
    usable,
    write_paper,
)
from consurv.distributed.federated.tables import FirstTables, outcomes_from_plain
from consurv.errors import InvalidInput


class TestPapers:
    def test_come_back_as_they_were(self, tmp_path):
        paper = sealed(what="question", numbers=[0.1, 1e-300, 3])
        write_paper(tmp_path / "q.json", paper)
        assert read_paper(tmp_path / "q.json") == paper

    def test_of_a_later_version_are_refused(self):
        paper = sealed(round=1) | {"version": 2}
        with pytest.raises(InvalidInput, match="x has version 2"):
            check_seal(paper, "x")

    def test_hold_plain_values_alone(self):
        for value in (float("nan"), object()):
            with pytest.raises(InvalidInput, match="not plain"):
                sealed(value=value)

    def test_that_are_not_there_are_named(self, tmp_path):
        for read in (read_paper, digest):
            with pytest.raises(InvalidInput, match=r"no\.json cannot be read"):
                read(tmp_path / "no.json")

    @pytest.mark.parametrize("error", [KeyError("a"), TypeError("b"), ValueError("c")])
    def test_that_lack_something_are_one_line(self, error):
        with pytest.raises(InvalidInput, match="x cannot be used"), usable("x"):
            raise error


class TestPlans:
    def test_come_back_as_they_were(self):
        plan = Plan(sites=("a", "b"), levels=(0.25, 0.5), edges=(1, 2.5), minimum=7)
        assert Plan.from_plain(plan.to_plain()) == plan

    def test_with_other_parts_are_refused(self):
        plain = Plan(sites=("a",), levels=(0.5,), edges=(1,)).to_plain()
        with pytest.raises(InvalidInput, match="other parts"):
            Plan.from_plain(plain | {"more": 1})

    @pytest.mark.parametrize("sites", [(), ("a", "a"), ("../a",), ("",), ("a b",)])
    def test_name_sites_so_that_files_can_be_called_so(self, sites):
        with pytest.raises(InvalidInput, match="different names"):
            Plan(sites=sites, levels=(0.5,), edges=(1,))

    def test_have_a_minimum_of_one_at_least(self):
        with pytest.raises(InvalidInput, match="minimum"):
            Plan(sites=("a",), levels=(0.5,), edges=(1,), minimum=0)


class TestTables:
    def test_refuse_counts_that_do_not_fit(self):
        with pytest.raises(ValueError, match="do not fit together"):
            outcomes_from_plain({"times": [2, 1], "events": [1, 1], "censored": [0, 0]})

    def test_refuse_other_levels(self):
        summary = {
            "outcomes": {"times": [1], "events": [2], "censored": [0]},
            "events": [[]],
            "censored": [],
            "infinite": [[0, 0]],
        }
        assert FirstTables.of([summary], 1).outcomes.n == 2
        with pytest.raises(ValueError, match="other levels"):
            FirstTables.of([summary], 2)

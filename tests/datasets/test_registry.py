import pytest

from consurv.datasets import TableEncoder, dataset_names, load_dataset
from consurv.errors import InvalidInput

# name, rows, % censored, last time, features, encoded features: Table 1 of the paper.
TABLE_1 = [
    ("VALCT", 137, 6.57, 999, 6, 8),
    ("PBC", 418, 61.48, 4795, 17, 17),
    ("GBSG", 2232, 43.23, 87.36, 7, 7),
]


class TestEveryDataset:
    @pytest.mark.parametrize("row", TABLE_1, ids=lambda row: row[0])
    def test_has_the_figures_of_the_papers_table(self, row: tuple) -> None:
        name, n, censored, last, features, encoded = row
        data = load_dataset(name)
        assert (data.name, len(data), data.X.shape[1]) == (name, n, features)
        assert round(100 * data.censored, 2) == censored
        assert round(data.y["time"].max(), 2) == last
        assert TableEncoder().fit_transform(data.X).shape == (n, encoded)

    def test_is_in_the_table(self) -> None:
        assert dataset_names() == [row[0] for row in TABLE_1]

    @pytest.mark.parametrize("name", dataset_names())
    def test_says_where_it_comes_from(self, name: str) -> None:
        data = load_dataset(name)
        assert data.source
        assert data.licence
        assert data.time_unit in ("days", "months")

    @pytest.mark.parametrize("name", dataset_names())
    def test_numbers_its_rows_from_0(self, name: str) -> None:
        data = load_dataset(name)
        assert data.X.index.tolist() == list(range(len(data)))


class TestNames:
    def test_ignore_case(self) -> None:
        assert load_dataset("gBsG").name == "GBSG"

    def test_that_are_unknown_get_the_list(self) -> None:
        with pytest.raises(InvalidInput, match=r"'GBSH', did you mean 'gbsg'\?.*VALCT"):
            load_dataset("GBSH")

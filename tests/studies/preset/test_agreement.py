"""Comparators and agreement: counts that can be told by hand."""

from pathlib import Path

import pytest

from studies.preset.agreement import agreement
from studies.preset.comparators import make_digest, read_digest

FIGURES = """metric,dataset,model,better,pixels_csd_minus_raw
D-cal,PBC,DeepSurv,CSD,5.0
D-cal,PBC,CQRNN,raw,-3.0
D-cal,SEER-brain,AFT,CSD,9.0
C-index,PBC,AFT,within half a pixel,0.0
"""
RUNS = """dataset,model,seed,variant,n_quantiles,cindex,dcal,kmcal,ibs,mae_po
PBC,CoxPH,0,raw,,.7,.5,0,0,0
PBC,CoxPH,0,csd,9,.7,.2,0,0,0
PBC,CoxPH,0,csd,19,.7,.9,0,0,0
PBC,CoxPH,1,raw,,.7,.5,0,0,0
PBC,CoxPH,1,csd,9,.7,.4,0,0,0
PBC,CQRNN,0,raw,9,.7,.5,0,0,0
PBC,CQRNN,0,csd,9,.7,.4,0,0,0
"""


class TestDigest:
    def test_joins_figures_and_runs(self, tmp_path: Path) -> None:
        (tmp_path / "figures").write_text(FIGURES)
        (tmp_path / "runs").write_text(RUNS)
        path = tmp_path / "signs.csv"
        make_digest(tmp_path / "figures", tmp_path / "runs", path)
        first, second, third = read_digest(path)
        assert (first.paper, first.pixels, first.decided) == ("CSD", 5.0, True)
        assert first.authors == pytest.approx(-0.2)
        assert first.authors_error == pytest.approx(0.1)
        # Exactly two standard errors is not more than two.
        assert (first.authors_side, first.authors_sure) == ("CSD", False)
        # One seed has no standard error, so the code says nothing.
        assert (second.paper, second.authors_side) == ("raw", None)
        assert (third.paper, third.decided) == ("tie", False)

    @pytest.mark.parametrize(
        ("metric", "counts"),
        [
            ("D-cal", (47, 6, 2)),
            ("KM-cal", (42, 13, 0)),
            ("IBS", (42, 7, 6)),
            ("MAE-PO", (29, 19, 7)),
        ],
    )
    def test_holds_the_papers_public_totals(
        self, metric: str, counts: tuple[int, int, int]
    ) -> None:
        sides = [c.paper for c in read_digest() if c.metric == metric]
        assert tuple(sides.count(s) for s in ("CSD", "raw", "tie")) == counts

    def test_holds_how_far_the_authors_code_agrees(self) -> None:
        cells = [c for c in read_digest() if c.metric == "D-cal" and c.decided]
        found = agreement((c.paper, c.authors_side) for c in cells)
        assert (found.agreed, found.n) == (30, 40)


class TestAgreement:
    def test_always_csd_has_no_kappa_above_chance(self) -> None:
        found = agreement([("CSD", "CSD")] * 47 + [("raw", "CSD")] * 6)
        assert (found.agreed, found.n, found.first_raw) == (47, 53, 6)
        assert found.kappa == pytest.approx(0)

    def test_the_same_everywhere_has_no_kappa(self) -> None:
        assert agreement([("CSD", "CSD")]).kappa is None
        assert agreement([]).kappa is None

    def test_kappa_by_hand(self) -> None:
        pairs = [("CSD", "CSD")] * 4 + [("raw", "raw")] * 3
        pairs += [("CSD", "raw")] * 2 + [("raw", "CSD")]
        # Agreed .7; by chance .6 × .5 + .4 × .5 = .5.
        assert agreement(pairs).kappa == pytest.approx(0.4)

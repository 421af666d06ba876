from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import consurv
from consurv import ConformalSurvival, Outcome
from consurv.report.facts import about_data, about_model, about_rows, model_title
from consurv.report.facts import versions as installed
from consurv.report.predictions import predict_both


class TestModelTitle:
    def test_is_the_name_of_a_class_or_function(self, stretched_model):
        assert model_title(Ridge()) == "Ridge"
        assert model_title(stretched_model) == "twice_too_long"

    def test_shows_the_steps_of_pipelines_within_pipelines(self):
        inner = make_pipeline(StandardScaler(), Ridge())
        assert model_title(make_pipeline(StandardScaler(), inner)) == (
            "StandardScaler → StandardScaler → Ridge"
        )


class TestAboutModel:
    def test_says_what_was_done(self, simulate, stretched_model):
        model = ConformalSurvival(
            stretched_model,
            percentiles=9,
            censoring="kaplan-meier",
            n_samples=1000,
        )
        facts = about_model(model.conformalize(*simulate(1200)))
        assert facts["Model"] == "twice_too_long"
        assert facts["Conformal set"] == "given: subjects given to conformalize()"
        assert facts["Conformal subjects"] == "1,200"
        assert facts["Levels"] == "9, from 0.1 to 0.9"
        rule = "kaplan-meier, 1,000 draws for each censored subject"
        assert facts["Censoring rule"] == rule
        assert facts["Crossing curves"] == "rearranged, exact"

    def test_says_that_levels_were_moved(self, simulate, stretched_model):
        model = ConformalSurvival(stretched_model, adjustment="level")
        facts = about_model(model.conformalize(*simulate(200)))
        assert facts["Method"] == "levels moved to conformal quantiles (CiPOT)"
        assert facts["Censoring rule"] == "self-consistent"
        assert facts["Crossing curves"] == "none can cross"


class TestAboutData:
    def test_counts_subjects_and_events(self):
        y = Outcome(time=[1, 2, 3, 4.5678], event=[1, 0, 0, 0])
        assert about_data(y) == {
            "Subjects": "4",
            "Events": "1",
            "Censored": "3 (75.0%)",
            "Last observed time": "4.568",
        }
        assert about_data(y, "years")["Last observed time"] == "4.568 years"


class TestAboutRows:
    def test_counts_what_happened_to_the_curves(self, simulate, stretched_model):
        model = ConformalSurvival(stretched_model, adjustment="time")
        model.conformalize(*simulate(300))
        both = predict_both(model, *simulate(80, 1))
        rows = {what: (n, share) for what, n, share in about_rows(both)}
        n = both.calibrated.n_rearranged
        assert rows["Rearranged"] == (n, n / 80)
        assert rows["Clipped at 0"][0] == both.calibrated.n_clipped
        assert rows["Raw tail extrapolated"][0] == both.n_extrapolated
        assert rows["Never comes down"] == (0, 0.0)


class TestVersions:
    def test_leave_out_what_is_not_installed(self, monkeypatch):
        from consurv.report import facts

        monkeypatch.setattr(facts, "_LIBRARIES", ("numpy", "no-such-library"))
        found = installed()
        assert list(found) == ["consurv", "Python", "numpy"]
        assert found["consurv"] == consurv.__version__

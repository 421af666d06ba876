"""Workflows call what people call: targets of the Makefile, and nothing else."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
RULES = {
    name: needs.split()
    for name, needs in re.findall(r"^([a-z-]+):([^=#\n]*)", MAKEFILE, re.M)
}
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
JOBS = [
    pytest.param(job, id=f"{path.stem}-{name}")
    for path in FILES
    for name, job in yaml.safe_load(path.read_text())["jobs"].items()
]


def commands(job):
    return [step["run"] for step in job["steps"] if "run" in step]


def targets(job):
    return [name for line in commands(job) for name in line.split()[1:]]


@pytest.mark.parametrize("job", JOBS)
def test_a_job_runs_targets_that_exist(job):
    assert commands(job)
    for line in commands(job):
        assert re.fullmatch(r"make( [a-z-]+)+", line)
    assert set(targets(job)) <= set(RULES)


def test_all_that_make_check_does_is_run_and_the_oldest_versions_too():
    run = {name for job in JOBS for name in targets(job.values[0])}
    assert run == {*RULES["check"], "test-oldest"}


@pytest.mark.parametrize("job", JOBS)
def test_a_job_has_the_code_and_a_python_first(job):
    used = [step["uses"] for step in job["steps"] if "uses" in step]
    assert [name.split("@")[0] for name in used[:2]] == [
        "actions/checkout",
        "actions/setup-python",
    ]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", name) for name in used)


def test_every_python_that_is_claimed_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    claimed = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    tested = next(
        job.values[0]["strategy"]["matrix"]["python"]
        for job in JOBS
        if "strategy" in job.values[0]
    )
    assert set(claimed) <= set(tested)
    assert f">={tested[0]}" == project["requires-python"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_published_and_no_secret_is_needed(path):
    assert "secrets." not in path.read_text()
    assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}

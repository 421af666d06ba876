# Two commands do everything, set-up included: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Of `make reproduce`; without any it shows its help.
ARGS ?= --help
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-oldest lint types docs coverage check format wheel bench fuzz reproduce truth bed peers clean

help:  ## List the targets.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# What the demo needs; neither torch nor dask.
$(VENV)/.demo: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e '.[models,datasets,cli,report]'
	@touch $@

# Everything that tests, lint and benchmarks need.
$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo  ## Train, conformalize and compare on a real dataset.
	$(BIN)/consurv demo

# Where the two processes wait for each other (status 75, tests/hangs.py), what is left runs in one.
test: $(VENV)/.dev  ## Run all tests, the slow ones included.
	$(BIN)/python -m pytest -n 2 --dist worksteal || { test $$? = 75 && $(BIN)/python -m pytest @build/tests-left.txt; }

test-fast: $(VENV)/.dev  ## Run the tests that take moments.
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow'

test-oldest:  ## Run the core tests on the lowest versions that are claimed.
	$(PYTHON) -m venv $(VENV)/oldest
	$(VENV)/oldest/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-oldest.txt -e '.[models,datasets,cli]' hypothesis polars pytest pytest-timeout pytest-xdist
	$(VENV)/oldest/bin/python -m pytest -n 2 -m 'not slow' --ignore tests/models/deep tests/adapters tests/conformal tests/contracts/test_scikit_learn.py tests/curves tests/datasets tests/models tests/test_checks.py tests/test_outcome.py tests/test_splits.py

lint: $(VENV)/.dev  ## Check style and formatting.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## Check types, strictly.
	$(BIN)/mypy

format: $(VENV)/.dev  ## Format and fix what can be fixed.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

wheel: $(VENV)/.dev  ## Build the wheel and import it in an empty environment.
	rm -rf dist $(VENV)/wheel-check
	$(BIN)/python -m build --wheel --outdir dist . > /dev/null
	$(PYTHON) -m venv $(VENV)/wheel-check
	$(VENV)/wheel-check/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt dist/*.whl
	cd $(VENV) && wheel-check/bin/python -c "import consurv; print('wheel imports as consurv', consurv.__version__)"

docs: $(VENV)/.dev  ## Run all examples and build the site: build/site/index.html.
	$(BIN)/python -m website $(filter-out --help,$(ARGS))

# The tests of the package alone: those of studies and pages reach it, too, but not for its sake.
coverage: $(VENV)/.dev  ## Measure what the fast tests of the package reach, branches included.
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -m 'not slow' src tests $(addprefix --ignore=tests/,benchmarks examples guarantees studies website)
	$(BIN)/python -m coverage report

check: docs test lint types wheel  ## All that CI runs.

bench: $(VENV)/.dev  ## Measure speed and memory, as ratios side by side.
	$(BIN)/python -m benchmarks

fuzz: $(VENV)/.dev  ## Look for faults in what is read and taken, two minutes long.
	$(BIN)/python -m tests.fuzz $(filter-out --help,$(ARGS))

reproduce: $(VENV)/.dev  ## Run the paper's studies: make reproduce ARGS="main --quick".
	$(BIN)/python -m studies $(ARGS)

truth: $(VENV)/.dev  ## Compare the censoring rules where the true times are known.
	$(BIN)/python -m studies.truth --jobs 2

bed: $(VENV)/.dev  ## Compare the adjustments where the truth is known (ARGS="--quick").
	$(BIN)/python -m studies.bed --jobs 2 $(filter-out --help,$(ARGS))

peers:  ## Hold rival calibrators and pages against packages that need an environment of their own.
	$(PYTHON) -m venv $(VENV)/peers
	$(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[models,datasets,report]' hazardous mlsurv
	# Its pins end before NumPy 2, with which it runs all the same.
	$(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check --no-deps xgbse==0.3.3
	$(VENV)/peers/bin/python -m studies.calibrators.peers
	$(VENV)/peers/bin/python -m website.blocks xgbse mlsurv

clean:  ## Remove what the other targets made.
	rm -rf $(VENV) dist build .cache .mypy_cache .ruff_cache .pytest_cache

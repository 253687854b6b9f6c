# One command per job, the same on a laptop and in CI: `make demo` and `make test` set everything up.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= 2
# Tests and benchmarks use one core per process; threads of their own would only get in the way.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1

.PHONY: demo test test-full test-lowest test-newest lint coverage format bench wheel docs clean

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "purex needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

demo: $(READY)
	$(BIN)/purex reproduce fig1a --runs 300 --jobs $(JOBS) --out out
	@echo
	@echo 'Next: look at out/fig1a.png, which is figure 1a of the paper; docs/reproduce.md has the other figures.'
	@echo 'Then: docs/first-query.md asks your own question in ten lines, and docs/experiments.md studies it.'

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n $(JOBS) --durations 25 -m 'not full'

test-full: lint
	$(BIN)/pytest -n $(JOBS) --durations 40

# The base alone, then every command once, and the tests of these rooms, with the lowest versions that pyproject.toml allows and
# with the newest: in environments of their own, made anew.
LOWEST ?= .venv-lowest
NEWEST ?= .venv-newest
ROOMS := tests/test_jit.py tests/test_numba_doors.py tests/test_streams.py tests/cli tests/convex tests/families \
	tests/plugins tests/explorer tests/experiments tests/figures
# with numpy 1.26 this one misses its bound, of the last bit, by a fifth
LOWEST_ONLY := --deselect 'tests/families/test_special.py::test_three_halley_steps_reach_the_root_everywhere[numpy]'

test-lowest:
	rm -rf $(LOWEST) && $(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints/lowest.txt --editable .
	.ci/smoke $(LOWEST)/bin base
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints/lowest.txt \
		--editable '.[all,test]'
	.ci/smoke $(LOWEST)/bin
	$(LOWEST)/bin/pytest -n $(JOBS) -m 'not full' $(LOWEST_ONLY) $(ROOMS)

test-newest:
	rm -rf $(NEWEST) && $(PYTHON) -m venv $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	.ci/smoke $(NEWEST)/bin base
	$(NEWEST)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[all,test]'
	.ci/smoke $(NEWEST)/bin
	$(NEWEST)/bin/pytest -n $(JOBS) -m 'not full' $(ROOMS)

# The lines of purex that these reach, kernels among them: with numba switched off they are Python. A few minutes.
REACHING := tests/test_streams.py tests/test_tracking.py tests/test_plain_kernels.py tests/model tests/plugins
KERNELS := */kernels/*,*/kernels.py,*_kernels.py,*/compiled/*,*/learners/*,*/purex/streams.py,*/purex/tracking.py,*/batches.py
coverage: export NUMBA_DISABLE_JIT := 1
coverage: export COVERAGE_FILE := .coverage
coverage: $(READY)
	$(BIN)/coverage run tests/arithmetic_of_kernels.py > /dev/null
	$(BIN)/coverage run --append tests/every_rule.py > /dev/null
	$(BIN)/coverage run --append -m pytest -q -m 'not full' -k 'not numbers_are_those and not both_paths' $(REACHING)
	$(BIN)/coverage report --include '$(KERNELS)'
	@echo 'kernels:' `$(BIN)/coverage report --include '$(KERNELS)' --format total` '% of their lines;' \
		'everything:' `$(BIN)/coverage report --format total` '%'

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python benchmarks/best_response.py
	$(BIN)/python benchmarks/games.py
	$(BIN)/python benchmarks/games.py --large
	$(BIN)/python benchmarks/simulate.py
	$(BIN)/python benchmarks/simulate.py --arms
	$(BIN)/python benchmarks/simulate.py --table
	$(BIN)/python benchmarks/simulate.py --start

# A wheel with the commonest kernels inside, for this Python, numba and kind of CPU. Some minutes.
wheel: $(READY)
	$(BIN)/python -m purex.engine.common_kernels
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .

docs: $(READY)
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	@echo 'Open docs/_build/html/index.html'

clean:
	rm -rf $(VENV) $(LOWEST) $(NEWEST) docs/_build docs/notebooks purex/built .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage dist build

# Everything runs from a virtual environment of its own, made by the first target that needs it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := -m pip --disable-pip-version-check --quiet
# What is installed: this checkout, which follows every edit, or a wheel (as `.ci/run` has it):
# make VENV=build/wheel EDITABLE= SOURCE=dist/NAME.whl …
EDITABLE := --editable
SOURCE := .
# More words for pytest.
OPTIONS :=
# One more than there are processors: tests wait for time to pass, too. A worker takes the tests of
# a file one after the other, which make what they share once, until another one has none left.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# Where temporary files of tests go: into memory where there is enough, else where pytest puts them. `.ci/run` has them
# on its disk.
TEMPORARY = $(shell $(PYTHON) tests/support/temporary.py)
# What pytest compiles of the tests is kept, or each worker would do it anew at each run.
PYTEST = PYTHONDONTWRITEBYTECODE= PYTEST_DEBUG_TEMPROOT=$(TEMPORARY) $(BIN)/python -P -m pytest
# The command alone, for the demo; with what the tests need, for all else.
COMMAND := $(VENV)/.command
STAMP := $(VENV)/.installed

.PHONY: venv test fuzz mutants coverage test-oldest harnesses test-harness lint generated dist demo bench bench-check soak clean
.DEFAULT_GOAL := test

venv: $(STAMP)

$(COMMAND): pyproject.toml st2/script/st2
	@echo "making $(VENV) and installing st2 into it"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) install $(EDITABLE) $(SOURCE)
	touch $@

$(STAMP): $(COMMAND)
	@echo "installing what the tests need"
	$(BIN)/python $(PIP) install $(EDITABLE) '$(SOURCE)[dev]'
	touch $@

# -P: what is imported is what is installed, also where that is not this checkout.
test: venv
	$(PYTEST) -p xdist -n $(WORKERS) --dist worksteal -m "not harness" $(OPTIONS)

# Each boundary where bytes of somebody else's enter: make fuzz SECONDS=600 BOUNDARIES="merge declaration"
SECONDS := 60
BOUNDARIES :=
ATHERIS := $(VENV)/.atheris

# Where atheris has no wheel, inputs are made by hypothesis instead.
$(ATHERIS): $(STAMP)
	$(BIN)/python $(PIP) install $(EDITABLE) '$(SOURCE)[fuzz]' || echo "no atheris here, hypothesis has to do"
	touch $@

fuzz: $(ATHERIS)
	PYTHONPATH=tests nice $(BIN)/python -m fuzz.runner $(BOUNDARIES) --seconds $(SECONDS)

# Mutants of the pure middle, a module at a time: make mutants FILES="catalog/record.py catalog/claim.py"
FILES :=
MUTMUT := $(VENV)/.mutmut

$(MUTMUT): $(STAMP)
	$(BIN)/python $(PIP) install $(EDITABLE) '$(SOURCE)[mutants]'
	touch $@

mutants: $(MUTMUT)
	nice $(BIN)/python tests/mutants/run.py $(FILES)

# Branch coverage of catalog and drivers by the whole suite, in every process that a test starts. Tests of what is
# imported, how long it takes and how much it holds see the measuring itself: they are counted and not asked.
COVERED := build/covered
MEASURED := build/coverage-data
REPORT := $(COVERED)/bin/coverage

coverage:
	$(MAKE) VENV=$(COVERED) venv
	$(COVERED)/bin/python tests/covered/measure.py install
	rm -rf $(MEASURED) && mkdir -p -m 1777 $(MEASURED)
	-nice $(COVERED)/bin/python -P -m pytest -p xdist -n 2 -q -m "not harness" $(OPTIONS)
	$(COVERED)/bin/python tests/covered/measure.py remove
	$(REPORT) combine -q --data-file=build/.coverage $(MEASURED)
	$(REPORT) report --data-file=build/.coverage --include='catalog/*' && $(REPORT) report --data-file=build/.coverage --include='drivers/*'

# The oldest versions that pyproject.toml allows, against the tests of what they do.
OLDEST := $(addprefix tests/,test_agents_command.py test_changes.py test_command_tree.py test_completion.py \
	test_declaration.py test_declaration_cache.py test_docs.py test_expand_command.py test_git.py test_help.py \
	test_kdl.py test_live.py test_manual.py test_mcp.py test_positions.py test_spellings.py \
	test_spellings_refused.py test_validate_command.py test_watch_command.py sync/test_commands.py)

test-oldest:
	rm -rf build/oldest
	$(PYTHON) -m venv build/oldest
	$(PYTHON) -m generators.oldest > build/oldest.txt
	build/oldest/bin/python $(PIP) install --editable . --requirement build/oldest.txt
	build/oldest/bin/python -P -m pytest -p xdist -n 2 $(OLDEST)

# The real programs, by pinned version, into a cache outside the repository: 1.2 GB, once.
harnesses: venv
	$(BIN)/python tests/harness/install.py

test-harness: harnesses
	$(BIN)/python -P -m pytest -p xdist -n 2 --dist loadgroup -m harness tests/harness

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# What is written from the sources: the table of completion, help, the manual, the lists of messages and cases, the picture.
generated: venv
	$(BIN)/python -m generators

# What is shipped: the source archive, and the wheel that is built from it and nothing else.
dist:
	rm -rf dist build/maker
	$(PYTHON) -m venv build/maker
	build/maker/bin/python $(PIP) install hatchling
	build/maker/bin/python -m hatchling build -t sdist
	build/maker/bin/python $(PIP) wheel --no-deps --wheel-dir dist dist/*.tar.gz
	rm -rf build/maker

demo: $(COMMAND)
	$(BIN)/python examples/demo/demo.py

# -P, and the checkout last: what is measured is what is installed, as for the tests.
BENCH = $(BIN)/python -P -c 'import runpy, sys; sys.path.append("."); runpy.run_module("$(1)", run_name="__main__")'
PLOTS := $(VENV)/.plots

$(PLOTS): $(STAMP)
	@echo "installing what draws the plots"
	$(BIN)/python $(PIP) install $(EDITABLE) '$(SOURCE)[bench]'
	touch $@

bench: $(PLOTS)
	$(call BENCH,benchmarks) --write

# A few minutes, ratios alone: exit 1 where one is missed three times.
bench-check: venv
	$(call BENCH,benchmarks.check)

# Two hosts of wrapped fakes for 30 minutes; `python -m benchmarks.soak --help` has shorter ones.
soak: venv
	$(BIN)/python -m benchmarks.soak --write

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

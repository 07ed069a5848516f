# Two commands matter: `make run` and `make test`. They need python3 (3.11 or newer), make and git, nothing else.
# Paths stay relative, so that the clone may live in a folder with spaces in its name.

PYTHON ?= python3
WORKERS ?= 2
BIN := .venv/bin
READY := .venv/.ready
# What only runs needs a quarter of what develops; where the larger environment is there already, it does both.
SERVER := $(firstword $(wildcard $(READY)) .venv-run/.ready)
CLIENTS := .venv-clients/.ready
BROWSER := .venv/.browser
SITE := .venv-docs/.ready
ON_POSTGRES := tests/stores/postgres tests/contract/test_postgres_contract.py tests/contract/test_same_ranking.py \
	tests/server/test_scale_out.py
ELSEWHERE := $(foreach path,tests/console $(ON_POSTGRES),--ignore $(path))
FRAMEWORKS := classic classic-0.2 modern mcp mcp-1 agents crewai pydantic-ai google-adk llama-index strands hermes importers
# Where a change waits to be merged, a test that fails has two more tries, and the summary names it: of ten thousand
# that kill, cut and wait on a busy machine, one must not hold up everybody. Whoever runs tests here sees each failure.
AGAIN := $(if $(CI),--reruns 2 --reruns-delay 2 -r fER)
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(AGAIN)
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run demo test test-core test-all test-long coverage test-frameworks test-postgres test-console docs recording check-name hashes lint types house bench bench-server bench-operator bench-postgres train-judge chaos clean $(FRAMEWORKS:%=.with-%)

help:  ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

run: $(SERVER)  ## Start the server on 127.0.0.1, with a store in the usual folder for data
	@$(dir $(SERVER))bin/truekeep serve

demo: $(SERVER)  ## See it work without a server: one process remembers, another one recalls
	@$(dir $(SERVER))bin/truekeep demo

test: $(READY) $(CLIENTS)  ## Lint, types, and the tests of the core that are run all day; all three at once
	@$(MAKE) --no-print-directory -j 3 lint types test-core

test-core: $(READY) $(CLIENTS)  ## The tests of make test alone, without lint and types
	$(PYTEST) $(ELSEWHERE) -m "not chaos and not long"

test-all: test-long test-postgres test-console test-frameworks docs  ## All that make test leaves out

test-long: $(READY) $(CLIENTS)  ## The tests of the core that repeat, sweep, kill and cut
	$(PYTEST) $(ELSEWHERE) -m "chaos or long"

coverage: $(READY) $(CLIENTS)  ## Which lines of the core its tests run; half as long again as without counting
	$(PYTEST) $(ELSEWHERE) --cov --cov-report=term:skip-covered

lint: $(READY)  ## Style, spelling, and which module may import which
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/codespell

types: $(READY)  ## Check the types, strictly
	$(BIN)/python -m mypy

test-postgres: $(READY) $(CLIENTS)  ## The store on PostgreSQL, and the tests of memory and server again, on it
	$(PYTEST) $(ON_POSTGRES)
	TEST_TRUEKEEP_STORE=postgres $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(AGAIN) tests/server \
	--ignore tests/server/test_scale_out.py

test-console: $(READY) $(BROWSER)  ## The console, in a real browser
	$(PYTEST) tests/console

test-frameworks:  ## The adapters, each against its real framework
	@$(MAKE) --no-print-directory -j 3 $(FRAMEWORKS:%=.venv-frameworks/%/.ready)
	@$(MAKE) --no-print-directory -j $(WORKERS) --output-sync=target $(FRAMEWORKS:%=.with-%)

$(FRAMEWORKS:%=.with-%): .with-%: .venv-frameworks/%/.ready
	@echo "== $*"; .venv-frameworks/$*/bin/python -m pytest tests/frameworks/$*

docs: $(SITE)  ## The documentation as a site that works offline: build/docs/html/index.html
	@.venv-docs/bin/python tests/docs/site_pages.py lay-out
	.venv-docs/bin/zensical build --strict --config-file build/docs/mkdocs.yml
	@.venv-docs/bin/python tests/docs/site_pages.py seal

recording: $(READY)  ## Record the terminal of the README anew
	$(BIN)/python tests/docs/recording.py

hashes: $(READY)  ## Ask the package registry for the hashes of what the container image installs
	$(BIN)/python -m tools.hashes

check-name: $(READY)  ## Ask the package registries whether our name is ours or free; the only test that needs them
	TEST_TRUEKEEP_NAME=1 $(BIN)/python -m pytest tests/test_name.py

house: $(READY)  ## How large the package is, how deep its calls go, and what stands in it twice
	$(BIN)/python -m tools.house

bench: $(READY)  ## Measure, and print a table
	$(BIN)/python -m benchmarks

bench-server: $(READY)  ## Measure the server from a second process
	$(BIN)/python -m benchmarks.server

bench-operator: $(READY)  ## Measure what an operator waits for: probes, restarts, outages, restores
	$(BIN)/python -m benchmarks.operator

bench-postgres: $(READY)  ## Measure PostgreSQL beside the embedded store
	$(BIN)/python -m benchmarks.postgres

train-judge: .venv-training/.ready  ## Make the learned judge and its card: training/out (BASE=, PUBLIC=: training/README.md)
	.venv-training/bin/python -m training $(if $(BASE),--base "$(BASE)") $(if $(PUBLIC),--public "$(PUBLIC)")

chaos: $(READY)  ## The reliability tests, with many more cycles, and fuzzing
	TEST_TRUEKEEP_CHAOS=1 $(BIN)/python -m pytest -m chaos --timeout 0
	$(PIP) install atheris || echo "atheris has no wheel for this Python: what is said is not fuzzed" >&2
	$(BIN)/python -m tests.chaos.fuzz_extract -max_total_time=300 -timeout=5
	$(BIN)/python -m tests.chaos.fuzz_belief -max_total_time=300 -timeout=5

clean:  ## Remove the environment and all that was made by the tools
	rm -rf .venv .venv-run .venv-clients .venv-docs .venv-frameworks .venv-training .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage .coverage.* dist build
	find src eval tests tools examples benchmarks training -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The environments are made once, and again when what they are made from changes.
$(READY): WHAT := --editable '.[dev]' --editable ./eval
.venv-run/.ready: WHAT := --editable '.[server]'
$(READY): eval/pyproject.toml
$(READY) .venv-run/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Truekeep needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(@D) || \
	{ echo "The venv module is incomplete here; Debian and Ubuntu have it as python3-venv." >&2; exit 1; }
	@echo "Installing into $(@D); this takes a minute the first time."
	@$(@D)/bin/python -m pip -qq --disable-pip-version-check install $(WHAT) --constraint constraints.txt
	@touch $@

# One environment a framework, since they do not get along; made again when what it is made from changes.
.venv-frameworks/%/.ready: frameworks/%.txt frameworks/%.constraints.txt pyproject.toml
	@$(PYTHON) -m venv .venv-frameworks/$*
	@echo "Installing the frameworks of $* into .venv-frameworks; this takes a minute or two the first time."
	@.venv-frameworks/$*/bin/python -m pip -qq --disable-pip-version-check install --editable . \
	--requirement frameworks/$*.txt --constraint frameworks/$*.constraints.txt
	@touch $@

# A published client that the server is tested with, and whose needs clash with ours.
$(CLIENTS): constraints-clients.txt
	@$(PYTHON) -m venv .venv-clients
	@echo "Installing published clients into .venv-clients; this takes half a minute the first time."
	@.venv-clients/bin/python -m pip -qq --disable-pip-version-check install zerolatency httpx \
	--constraint constraints-clients.txt
	@touch $@

# What fits networks; nothing of it is needed by the package.
.venv-training/.ready: training/requirements.txt pyproject.toml constraints.txt
	@$(PYTHON) -m venv .venv-training
	@echo "Installing PyTorch into .venv-training; this takes some minutes the first time."
	@.venv-training/bin/python -m pip -qq --disable-pip-version-check install --editable . \
	--requirement training/requirements.txt --constraint constraints.txt
	@touch $@

# What makes a site out of the pages; it needs nothing of ours.
$(SITE): constraints-docs.txt
	@$(PYTHON) -m venv .venv-docs
	@echo "Installing Zensical into .venv-docs; this takes half a minute the first time."
	@.venv-docs/bin/python -m pip -qq --disable-pip-version-check install zensical --constraint constraints-docs.txt
	@touch $@

# Chromium for the tests of the console: installed where that is possible. Without it they are skipped, and say so.
$(BROWSER): $(READY) tests/console/set_up.py
	@$(BIN)/python tests/console/set_up.py
	@touch $@

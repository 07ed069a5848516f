# Two commands matter: `make run` and `make test`. They need python3 (3.11 or newer), make and git, nothing else.
# Paths stay relative, so that the clone may live in a folder with spaces in its name.

PYTHON ?= python3
WORKERS ?= 2
BIN := .venv/bin
READY := .venv/.ready
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run test lint types bench chaos clean

help:  ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

run: $(READY)  ## See it work: one process remembers, another one recalls
	@demo=$$(mktemp -d) && trap 'rm -rf "$$demo"' EXIT && \
	$(BIN)/python examples/first_memory.py remember --at "$$demo/memory.db" && \
	$(BIN)/python examples/first_memory.py recall --at "$$demo/memory.db"

test: $(READY) lint types  ## Lint, types, and every test with its coverage
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --cov --cov-report=term:skip-covered

lint: $(READY)  ## Style, spelling, and which module may import which
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/codespell

types: $(READY)  ## Check the types, strictly
	$(BIN)/python -m mypy

bench: $(READY)  ## Measure, and print a table
	$(BIN)/python -m benchmarks

chaos: $(READY)  ## The reliability tests, with many more cycles
	RECOLLECT_CHAOS=1 $(BIN)/python -m pytest -m chaos --timeout 0

clean:  ## Remove the environment and all that was made by the tools
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage .coverage.* dist build
	find src tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The environment is made once, and again when what it is made from changes.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Recollect needs Python 3.11 or newer. Name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv .venv || \
	{ echo "The venv module is incomplete here; Debian and Ubuntu have it as python3-venv." >&2; exit 1; }
	@echo "Installing into .venv; this takes a minute the first time."
	@$(PIP) install --editable '.[dev]' --constraint constraints.txt
	@touch $@

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

# The environment of the checkout. It is made anew when pyproject.toml has changed or the checkout has
# moved since, and reused otherwise.
VENV := .venv
PYTHON := $(VENV)/bin/python
BASE = $(word 2,$(shell scripts/pythons | head -n 1))
NEEDS := -e .[widgets,lab,dask] --group dev

.PHONY: help lab test test-all lint check bench binder binder-check coverage-pages environment clean

help: ## what can be asked of this Makefile
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 16

lab: environment ## open JupyterLab on the first notebook
	$(VENV)/bin/jupyter lab notebooks/00-start-here.ipynb

test: lint ## everything that has to hold: linters, types, imports, tests, doctests, notebooks, browser
	$(PYTHON) -m pytest -n 2 --dist loadfile --cov --cov-report=term:skip-covered

test-all: environment ## the tests on every Python from 3.11 up that this machine has
	scripts/test-all

lint: environment
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	$(VENV)/bin/lint-imports

bench: environment ## peers and limits side by side
	$(PYTHON) -m benchmarks

binder: environment ## write binder/requirements.txt from what is installed
	$(PYTHON) scripts/binder.py write

binder-check: environment ## what a published demo does, done here
	$(PYTHON) scripts/binder.py check

coverage-pages: environment ## write docs/coverage from the rules, the tests and the notebooks
	$(PYTHON) scripts/coverage_pages.py

environment:
	@scripts/environment $(VENV) "$(BASE)" $(NEEDS)

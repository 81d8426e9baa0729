# Two commands matter:  make lab  (learn)  and  make test  (check).  `make help` lists the rest.
PYTHON ?= python3
PY     := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help lab test lessons picture lock clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A stamp per set of packages: nothing is installed again until a file that decides it changes.
.venv/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"mcmteach needs Python 3.11 or newer, and {sys.executable} is {v[0]}.{v[1]}.\nName another one:  make lab PYTHON=python3.12")'
	$(PYTHON) -m venv .venv

.venv/%.stamp: requirements/%.txt pyproject.toml | .venv/bin/python
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

lab: .venv/lessons.stamp  ## open the course in JupyterLab (installs it first, once)
	$(PY) -m jupyterlab --notebook-dir=lessons

test: .venv/dev.stamp  ## ruff, mypy, pytest and nbval: everything that must hold
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest
	$(PY) -m pytest lessons --nbval --nbval-sanitize-with tests/nbval_sanitize.cfg

lessons: .venv/dev.stamp  ## run every lesson again and store its outputs
	$(PY) -m jupyter nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False lessons/*.ipynb

picture: .venv/lessons.stamp  ## draw the README's picture again
	$(PY) -c 'from mcmteach import plots; plots.plot_welcome().savefig("lessons/welcome.png", dpi=110)'

lock: .venv/dev.stamp  ## solve the pinned, hashed requirement files anew from pyproject.toml
	for set in lessons dev; do \
	  extras="--extra lessons"; [ $$set = dev ] && extras="$$extras --extra fast --extra dev"; \
	  .venv/bin/uv pip compile pyproject.toml $$extras --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-header --upgrade --quiet -o requirements/$$set.txt || exit 1; \
	done

clean:  ## remove the virtual environment and caches
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis

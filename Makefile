# Two commands matter:  make lab  (learn)  and  make test  (check).  `make help` lists the rest.
PYTHON ?= python3
PY     := .venv/bin/python
SITE   := .venv-site/bin/python
OLDEST := .venv-oldest/bin/python
LOCK    = .venv/bin/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --upgrade --quiet \
          --no-emit-index-url --no-header --no-annotate --no-strip-extras

# Python keeps what it has compiled, whatever the shell says: without, each process compiles numpy, scipy and the rest anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help lab afresh quick test test-oldest audit sbom soak bench edge site test-site lessons exercises picture shots slides lock clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A stamp per set of packages: nothing is installed again until a file that decides it changes.
.venv/bin/python:
	@$(PYTHON) tools/python_version.py
	$(PYTHON) -m venv .venv

.venv/%.stamp: requirements/%.txt pyproject.toml | .venv/bin/python
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

lab: .venv/lessons.stamp  ## open your own copy of the course, in my-course/, in JupyterLab (installs it first, once)
	$(PY) -m mcmteach lab

afresh: .venv/lessons.stamp  ## start afresh: new copies in my-course/; the earlier ones are kept in my-course-1/, -2/, …
	$(PY) -m mcmteach lab --afresh --no-open

quick: .venv/dev.stamp  ## while one works: ruff, mypy, and the tests without browser, sandbox and notebooks
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder -m "not browser and not sandbox and not notebook and not site and not slow and not long and not soak"

test: .venv/dev.stamp  ## ruff, mypy, pytest and nbval: everything that must hold
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder -m "not site and not soak" --cov --cov-report=term:skip-covered
	$(PY) -m pytest lessons -n auto --dist loadfile --nbval --nbval-sanitize-with tests/nbval_sanitize.cfg

# The oldest versions that pyproject.toml admits, in an environment of their own. The library, its engines and its pictures are
# tried there; lessons, panels, browser and grading are tried in the other one only.
.venv-oldest/oldest.stamp: requirements/oldest.txt pyproject.toml | .venv/dev.stamp
	.venv/bin/uv venv --quiet --clear --no-python-downloads --python 3.11 .venv-oldest
	.venv/bin/uv pip install --quiet --python $(OLDEST) --require-hashes -r $<
	.venv/bin/uv pip install --quiet --python $(OLDEST) --no-deps -e .
	@touch $@

test-oldest: .venv-oldest/oldest.stamp  ## the tests of the library with the oldest packages that pyproject.toml admits
	$(OLDEST) -m tools.reliability.versions

audit: .venv/dev.stamp  ## bandit: each finding is mended or judged in tools/reliability/audit.py
	$(PY) -m tools.reliability.audit

sbom: .venv/dev.stamp  ## the software bill of materials of what students install, from its lock, as CycloneDX into build/sbom.json
	mkdir -p build
	.venv/bin/uv tool run --from cyclonedx-bom==7.5.0 cyclonedx-py requirements requirements/lessons.txt \
	  --pyproject pyproject.toml --mc-type library --output-reproducible -o build/sbom.json

soak: .venv/dev.stamp  ## what takes hours: long tests, mutants of the core, thirty kernels, make test three times under load; docs/RELIABILITY.md
	$(PY) -m pytest -m soak
	$(PY) -m tools.reliability.mutation
	$(PY) -m tools.reliability.kernels
	$(PY) -m tools.reliability.load
	$(PY) -m tools.reliability.page

# The site's tools have an environment of their own: no student and no test needs them.
.venv-site/site.stamp: requirements/site.txt
	@$(PYTHON) tools/python_version.py
	$(PYTHON) -m venv .venv-site
	$(SITE) -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

site: .venv-site/site.stamp .venv/dev.stamp  ## the course as a web site with a laboratory, into build/site (OFFLINE=1: nothing from another host)
	$(PY) -m tools.slides --stored -o build/site/slides
	$(SITE) -m tools.site $(if $(OFFLINE),--offline)

test-site: .venv/dev.stamp  ## build the site with everything inside and try it in a browser (ALL=1: the two longest lessons and every exercise, too)
	$(MAKE) site OFFLINE=1
	$(PY) -m pytest tests/site -n auto --dist worksteal -m "site$(if $(ALL),, and not soak)"

bench: .venv/dev.stamp .venv/bench.stamp  ## our solvers, linprog, SVC and others side by side, the large-scale machine, panels against the clock (QUICK=1: a minute; BEFORE=folder of other code, DATA=folder of sets)
	$(PY) -m tools.bench.solvers $(if $(QUICK),--quick)
	$(PY) -m tools.bench.held_out $(if $(QUICK),--cases iris wine) $(if $(DATA),--data $(DATA)) $(if $(BEFORE),--before $(BEFORE))
	$(PY) -m tools.bench.large_scale $(if $(QUICK),--quick)
	$(PY) -m tools.bench.panels $(if $(QUICK),--quick)
	$(PY) -m tools.bench.regression $(if $(QUICK),--quick)
	$(PY) -m tools.bench.guarantee $(if $(QUICK),--quick)

edge: .venv/dev.stamp .venv/bench.stamp  ## machines as C on two chips in an emulator: bytes, instructions, accuracy, docs/EDGE.md
	$(PY) -m tools.edge.study

lessons: .venv/dev.stamp  ## run every lesson again and store its outputs (make lessons LESSON=01_….ipynb for one)
	$(PY) -m tools.notebooks $(LESSON)

exercises: .venv/dev.stamp  ## make the students' notebooks and the solutions out of exercises/source
	$(PY) -m tools.exercises

picture: .venv/lessons.stamp  ## take the README's picture out of the first lesson
	$(PY) -m tools.picture

shots: .venv/dev.stamp  ## photograph every lesson in JupyterLab, on a laptop and on a projector (make shots LESSON=01_….ipynb)
	$(PY) -m tools.shots $(LESSON)

slides: .venv/dev.stamp  ## lecture slides and the cheat sheet, files that need no network, into build/slides (make slides LESSON=01_….ipynb)
	$(PY) -m tools.slides $(LESSON)
	$(PY) -m tools.cheat_sheet

lock: .venv/dev.stamp  ## solve the pinned, hashed requirement files anew from pyproject.toml
	$(LOCK) --extra lessons -o requirements/lessons.txt
	$(LOCK) --extra lessons --extra experiments --extra fast --extra classroom --extra onnx --extra dev -c requirements/lessons.txt -o requirements/dev.txt
	sed -n 's/^\([a-z0-9][^ []*\)\(\[.*\]\)\{0,1\}\(==.*\) \\$$/\1\3/p' requirements/dev.txt > requirements/constraints.txt
	$(subst --universal,--resolution lowest-direct,$(LOCK)) --extra lessons --extra experiments --extra fast --extra classroom --extra onnx --extra dev -o requirements/oldest.txt
	.venv/bin/uv pip compile requirements/site.in $(wordlist 5,99,$(LOCK)) -c requirements/constraints.txt -o requirements/site.txt
	.venv/bin/uv pip compile requirements/laboratory.in $(wordlist 5,99,$(LOCK)) --no-deps -o requirements/laboratory.txt
	.venv/bin/uv pip compile tools/bench/requirements.in $(wordlist 5,99,$(LOCK)) -c requirements/constraints.txt -o requirements/bench.txt

clean:  ## remove the virtual environment and caches
	rm -rf .venv .venv-site .venv-oldest build docs/api .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* shots tests/browser/failures

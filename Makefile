# `make demo` runs the main job, and `make test` runs all tests. Both need only Python 3.11.
# Each target installs only what it needs into .venv; `make .venv/installed` installs everything.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: demo test test-here test-all test-browser lint format build docs changelog reference lab-page clean

demo: .venv/raddle
	$(BIN)/raddle demo

# Runs the tests on the reference interpreter and the newest one. The last line names the Pythons that were not found.
# `make test-here` runs them only on the reference interpreter.
test: .venv/nox
	@$(BIN)/nox

test-here: .venv/nox
	@$(BIN)/nox --session tests-3.11

# Runs the tests on every supported interpreter, including those that take minutes each, and in a browser.
test-all: .venv/nox test-browser
	@$(BIN)/nox --session tests long

# Tests the pages of `raddle html` in a real browser, which is installed if apt is available.
test-browser: .venv/installed
	command -v chromium >/dev/null || ! command -v apt-get >/dev/null || apt-get install -y chromium chromium-driver
	$(INSTALL) --editable '.[browser]'
	npm install --silent --prefix build axe-core || echo "npm could not install axe-core: accessibility is not tested"
	RADDLE_BROWSER=1 $(BIN)/python -m pytest tests/html

lint: .venv/lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/lint
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

build: .venv/raddle
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

# Builds the documentation into build/docs. The packages that build it are installed only here.
docs: .venv/raddle
	@$(INSTALL) --editable '.[docs]' || { \
	  echo "make docs: pip could not install mkdocs-material and mkdocstrings, which build the pages; the Markdown sources are in docs/" >&2; exit 1; }
	$(BIN)/mkdocs build --strict --quiet
	@echo "open build/docs/index.html"

# Shows the fragments in changes/ as they will appear in CHANGELOG.md. A release runs `towncrier build`.
changelog: .venv/installed
	@$(BIN)/towncrier build --draft

reference: .venv/raddle
	$(BIN)/python tools/reference.py

# Runs the experiments of docs/explanation-lab.md and writes their tables into it. RESULTS selects some of them. All of
# them take about 40 minutes on one processor.
lab-page: .venv/installed
	$(BIN)/python tools/lab_page.py $(RESULTS)

clean:
	rm -rf .venv .nox build dist

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/raddle: pyproject.toml | .venv/bin/python
	$(INSTALL) --editable .
	touch $@

.venv/nox: pyproject.toml | .venv/bin/python
	$(INSTALL) 'nox>=2026.10'
	touch $@

.venv/lint: pyproject.toml | .venv/bin/python
	$(INSTALL) --editable '.[lint]'
	touch $@ .venv/raddle

.venv/installed: pyproject.toml | .venv/bin/python
	$(INSTALL) --editable '.[dev]'
	touch $@ .venv/raddle .venv/nox .venv/lint

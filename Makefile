# One command runs the main job (make demo), one runs all tests (make test). Python 3.11 is all they need.
# Each target installs what it needs into .venv and no more; `make .venv/installed` installs everything.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: demo test test-here test-all test-browser lint format build docs changelog reference lab-page clean

demo: .venv/raddle
	$(BIN)/raddle demo

# The tests on the reference interpreter and on the newest one; the last line names the Pythons that were not found.
# make test-here runs them on the reference interpreter alone.
test: .venv/nox
	@$(BIN)/nox

test-here: .venv/nox
	@$(BIN)/nox --session tests-3.11

# On every supported interpreter, with the tests that take minutes each, and in a browser.
test-all: .venv/nox test-browser
	@$(BIN)/nox --session tests long

# The pages of `raddle html` in a real browser, which is installed where apt can do that.
test-browser: .venv/installed
	command -v chromium >/dev/null || ! command -v apt-get >/dev/null || apt-get install -y chromium chromium-driver
	$(INSTALL) --editable '.[browser]'
	npm install --silent --prefix build axe-core || echo "npm cannot have axe-core: accessibility is not tested"
	RADDLE_BROWSER=1 $(BIN)/python -m pytest tests/html

lint: .venv/lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/lint
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

build: .venv/raddle
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

# The documentation as pages in build/docs. What makes them is installed here and nowhere else.
docs: .venv/raddle
	@$(INSTALL) --editable '.[docs]' || { \
	  echo "make docs: pip could not install mkdocs-material and mkdocstrings, which make the pages; they are also readable as they are, in docs/" >&2; exit 1; }
	$(BIN)/mkdocs build --strict --quiet
	@echo "open build/docs/index.html"

# The fragments in changes/ as they will stand in CHANGELOG.md. A release runs `towncrier build`.
changelog: .venv/installed
	@$(BIN)/towncrier build --draft

reference: .venv/raddle
	$(BIN)/python tools/reference.py

# Run the experiments of docs/explanation-lab.md and write their tables into it; RESULTS names some of them. All of
# them take about 40 minutes of one processor.
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

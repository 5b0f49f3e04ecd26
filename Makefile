# One command runs the main job (make demo), one runs all tests (make test). Python 3.11 is all they need.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

.PHONY: demo test test-here test-all test-browser lint format build docs changelog reference clean

demo: .venv/installed
	$(BIN)/raddle demo

# The tests on the reference interpreter, then on the oldest and the newest one, if this machine has them.
test: test-here
	$(BIN)/python tools/other_pythons.py

test-here: .venv/installed
	$(BIN)/python -m pytest -m "not long" -n $$($(BIN)/python -c "import os; print(2 * (os.cpu_count() or 1))")  # many wait

# With those that take minutes of their own.
test-all: test test-browser
	$(BIN)/python tools/other_pythons.py 3.12
	$(BIN)/python -m pytest -m long -n auto
	RADDLE_DIFFERENTIAL=1600 RADDLE_SCHEDULES=10000 $(BIN)/python -m pytest -n auto tests/differential tests/determinism

# The pages of `raddle html` in a real browser, which is installed where apt can do that.
test-browser: .venv/installed
	command -v chromium >/dev/null || ! command -v apt-get >/dev/null || apt-get install -y chromium chromium-driver
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[browser]'
	npm install --silent --prefix build axe-core || echo "npm cannot have axe-core: accessibility is not tested"
	RADDLE_BROWSER=1 $(BIN)/python -m pytest tests/html

lint: .venv/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

build: .venv/installed
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

# The documentation as pages in build/docs. What makes them is installed here and nowhere else.
docs: .venv/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]' || { \
	  echo "make docs: pip could not install mkdocs-material and mkdocstrings, which make the pages; they are also readable as they are, in docs/" >&2; exit 1; }
	$(BIN)/mkdocs build --strict --quiet
	@echo "open build/docs/index.html"

# What is made from something else: from the fragments in changes/, and from the commands themselves.
changelog: .venv/installed
	$(BIN)/python tools/changelog.py

reference: .venv/installed
	$(BIN)/python tools/reference.py

clean:
	rm -rf .venv .venv-* build dist

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

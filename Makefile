# One command runs the main job (make demo), one runs all tests (make test). Python 3.11 is all they need.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

.PHONY: demo test test-here lint format build clean

demo: .venv/installed
	$(BIN)/raddle demo

# The tests on the reference interpreter, then on every other supported one that this machine has.
test: test-here
	$(BIN)/python tools/other_pythons.py

test-here: .venv/installed
	$(BIN)/python -m pytest -n auto

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

clean:
	rm -rf .venv .venv-* build dist

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

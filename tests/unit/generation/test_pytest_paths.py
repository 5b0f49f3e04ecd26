"""pytest can import the modules under test, wherever the tests are."""

from __future__ import annotations

import importlib

import pytest

from raddle.generation.pytest_paths import missing_paths, write_conftest


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Create a project whose package is in the folder `src`, and import it."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/package_of_paths.py").write_text("x = 1\n")
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.syspath_prepend(tmp_path / "src")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.delitem(importlib.import_module("sys").modules, "package_of_paths", raising=False)
    importlib.import_module("package_of_paths")
    return tmp_path


def test_the_folder_of_a_project_that_is_not_installed_is_missing(project):
    assert missing_paths(["package_of_paths"], project / "tests") == [project / "src"]


def test_an_installed_module_is_found():
    assert missing_paths(["pytest"], importlib.import_module("pathlib").Path("tests")) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src"]\n'),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = "lib src"\n'),
        ("pytest.ini", "[pytest]\npythonpath = src\n"),
        ("setup.cfg", "[tool:pytest]\npythonpath = src\n"),
    ],
)
def test_the_configuration_of_pytest_counts(project, file, text):
    (project / file).write_text(text)
    assert missing_paths(["package_of_paths"], project / "tests") == []


def test_a_conftest_in_the_folder_of_the_module_counts(project):
    (project / "src/conftest.py").write_text("")
    assert missing_paths(["package_of_paths"], project / "src/tests") == []


def test_a_later_run_keeps_the_paths_of_an_earlier_one(project):
    folder = project / "tests"
    assert write_conftest([project / "src"], folder) == ""
    assert write_conftest([project / "lib"], folder) == ""
    text = (folder / "conftest.py").read_text()
    assert text.count("../lib") == text.count("../src") == 1
    compile(text, "conftest.py", "exec")


def test_a_conftest_of_the_user_is_kept(project):
    folder = project / "tests"
    folder.mkdir()
    (folder / "conftest.py").write_text("# mine\n")
    assert f"add {project / 'src'} to sys.path there" in write_conftest([project / "src"], folder)
    assert (folder / "conftest.py").read_text() == "# mine\n"

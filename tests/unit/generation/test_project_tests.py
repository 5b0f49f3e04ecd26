import pytest

from raddle.generation.project_tests import ProjectTests

PASSING = """
import unittest

class Cases(unittest.TestCase):
    def test_one(self): pass
    def test_two(self): self.fail()
"""


@pytest.mark.parametrize("file", [True, False], ids=["file", "folder"])
def test_unittest_runs_the_tests_if_pytest_is_not_installed(tmp_path, monkeypatch, file):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / f"test_with_unittest_{file}.py"  # another name each time, because modules are imported once
    path.write_text(PASSING)
    tests = ProjectTests()
    tests.run(str(path if file else tmp_path))
    report = tests.report(timed_out=False)
    assert (report.count, report.problems) == (2, ())  # a test that fails was run, too


def test_unittest_says_which_file_cannot_be_imported(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "test_passing_cases.py").write_text(PASSING)
    (tmp_path / "test_without_module.py").write_text("import no_such_module")
    tests = ProjectTests()
    tests.run(str(tmp_path))
    report = tests.report(timed_out=False)
    assert report.count == 2
    assert report.problems == (
        "test_without_module could not be imported: ModuleNotFoundError: No module named 'no_such_module'",
    )

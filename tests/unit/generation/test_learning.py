import sys

import pytest

from raddle.errors import UsageError
from raddle.generation.expressions import Callback, Imported, Literal, New
from raddle.generation.inspect_class import inspect_class
from raddle.generation.learning import learn
from raddle.generation.targets import find_targets

CART = """
class Item:
    def __init__(self, name): pass

class Cart:
    def __init__(self, owner): pass
    def add(self, item): pass
    def on_change(self, callback): pass
"""
TESTS = """
from learned_cart import Cart, Item

def test_cart():
    cart = Cart("ann")
    cart.add(Item("pear"))
    cart.on_change(lambda: None)

def test_failing():
    Cart("bob")
    assert False
"""
HANGING = """
import threading
from learned_cart import Cart

def test_hanging():
    Cart("ann")
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.function(*thread.args)  # the time is over now
    threading.Event().wait()
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "learned_cart.py").write_text(CART)
    (tmp_path / "tests").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--no-such-option'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    sys.modules.pop("learned_cart", None)


def surface():
    return inspect_class(find_targets("learned_cart:Cart")[0].cls)


def test_values_are_collected_and_the_project_is_unchanged(project):
    (project / "tests" / "test_cart.py").write_text(TESTS)
    before = sorted(project.rglob("*"))
    report = learn(surface(), "tests")
    learned = report.values
    assert learned.of("", "owner") == (Literal("ann"), Literal("bob"))
    assert learned.of("add", "item") == (New(Imported("learned_cart", "Item"), (Literal("pear"),)),)
    assert learned.of("on_change", "callback") == (Callback("callback"),)
    assert learned.count == 4
    assert report.problem == ""
    assert sorted(project.rglob("*")) == before


def test_values_collected_until_the_time_is_over_are_used(project):
    (project / "tests" / "test_cart.py").write_text(HANGING)
    learned = learn(surface(), "tests", seconds=600)
    assert learned.values.of("", "owner") == (Literal("ann"),)
    assert learned.problem == "not everything was learned from tests: the tests were ended after 600 s"


def test_tests_that_do_not_exist_are_a_usage_error(project):
    with pytest.raises(UsageError) as caught:
        learn(surface(), "absent")
    assert caught.value.slug == "no-such-file"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("test_cart.py", "import no_such_module", "tests/test_cart.py could not be imported: ModuleNotFoundError: "
         "No module named 'no_such_module'"),
        ("conftest.py", "import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("test_cart.py", "import os; os._exit(3)", "the process of the tests ended (exit code 3)"),
    ],
)  # fmt: skip
def test_the_reason_is_given_if_no_test_can_be_run(project, name, text, reason):
    (project / "tests" / name).write_text(text)
    learned = learn(surface(), "tests")
    assert learned.values.count == 0
    assert learned.problem.startswith("nothing was learned from tests: ")
    assert reason in learned.problem
    assert "\n" not in learned.problem


def test_files_that_can_be_imported_are_used_if_others_cannot(project):
    (project / "tests" / "test_cart.py").write_text(TESTS)
    (project / "tests" / "test_absent.py").write_text("import no_such_module")
    learned = learn(surface(), "tests")
    assert learned.values.of("", "owner") == (Literal("ann"), Literal("bob"))
    assert learned.problem.startswith(
        "not everything was learned from tests: tests/test_absent.py could not be imported"
    )

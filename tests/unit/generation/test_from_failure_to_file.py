"""The whole way of a failure: found, shrunk, identified and exported, as the search does it."""

from __future__ import annotations

import browser_under_test
import shelf_under_test
from sample_cases import MODULE, SHELF, call, case, new, operator

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.binding import add_sites, bind
from raddle.generation.distinct import identity, symptom
from raddle.generation.export import Exported, Exporter
from raddle.generation.expressions import Imported
from raddle.generation.shrinking import shrink_test
from raddle.instrument import Selection
from raddle.linearizability.checker import Checker
from raddle.linearizability.legal import UnusableTestError


def belongs(file):
    return file == shelf_under_test.__file__


def search(workbench, test):
    try:
        with Checker(workbench, bind(test)) as checker:
            return checker.search().failure
    except UnusableTestError:
        return None


def test_a_failure_becomes_a_file(tmp_path):
    large = case(
        [new(SHELF, 7), call("put", "key", 12), call("put", "b", 5), call("put_if_absent", "c", "d")],
        [call("put", "b", 10), call("take", "key")],
        [call("take", "key"), operator("__len__")],
        observe=[operator("__len__")],
    )
    with Workbench(Threads(Selection(sources=(MODULE,)))) as workbench:
        add_sites(workbench.installation.table)
        found = search(workbench, large)

        def fails(test):
            failure = search(workbench, test)
            return failure is not None and symptom(failure.violation, failure.error, belongs=belongs) == symptom(
                found.violation, found.error, belongs=belongs
            )

        small = shrink_test(large, fails)
        failure = search(workbench, small)
    # Two threads take the only item.
    assert small == case([new(), call("put", "a", 0)], [call("take", "a")], [call("take", "a")])
    bug = identity(small, failure.violation, failure.error, belongs=belongs)
    assert (bug.kind, bug.exception, bug.function) == ("exception", "KeyError", "Shelf.take")
    assert bug == identity(large, found.violation, found.error, belongs=belongs)

    exporter = Exporter(tmp_path, cls=SHELF, command=f"raddle generate {MODULE}.Shelf")
    exported = exporter.export(small, failure.violation)
    assert isinstance(exported, Exported)
    assert exporter.write(exported) is None
    assert exported.path == tmp_path / "test_shelf_take_while_take_raises_key_error.py"
    assert exported.report.passes_sequentially
    assert exported.report.hint_fails


def test_an_exception_in_a_thread_of_the_class_becomes_a_file(tmp_path):
    browser = Imported("browser_under_test", "Browser")
    test = case([new(browser)], [call("add", 1)], [call("add", 1)])
    with Workbench(Threads(Selection(sources=("browser_under_test",)))) as workbench:
        add_sites(workbench.installation.table)
        failure = search(workbench, test)
    bug = identity(test, failure.violation, failure.error, belongs=lambda file: file == browser_under_test.__file__)
    assert (bug.kind, bug.exception, bug.function) == ("exception", "AttributeError", "Browser.run")

    exporter = Exporter(tmp_path, cls=browser, command="raddle generate browser_under_test.Browser")
    exported = exporter.export(test, failure.violation)
    assert isinstance(exported, Exported)
    assert exported.path.name == "test_browser_thread_of_new_browser_while_add_raises_attribute_error.py"
    assert exported.report.passes_sequentially
    assert exported.report.hint_fails
    said = " ".join(exported.text.split())
    # The thread reads `handlers` in line 13.
    assert "Then a thread that they start can raise AttributeError at line 13 of browser_under_test.py" in said

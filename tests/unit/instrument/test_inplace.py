"""Modules instrumented in place: every live function is found, and its original code is restored afterwards."""

from __future__ import annotations

import gc
import importlib
import linecache
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from raddle import probe
from raddle.instrument import NotInstrumented, Undo, instrument_module, instrument_modules, label_of
from raddle.site import SiteTable

pytest_plugins = "pytester"

Importer = Callable[..., ModuleType]

SUBJECT = """
    import functools

    def traced(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            return function(*arguments)
        return wrapper

    class Base:
        def method(self): return 1

    class Subject(Base):
        def __init__(self): self.__private = 3; self.n = 0
        @property
        def prop(self): return self.__private
        @staticmethod
        def static(x): return x.n
        @classmethod
        def of_class(cls): return cls.__name__
        def method(self): return super().method() + self.__private
        @functools.cached_property
        def cached(self): return self.n
        @traced
        def decorated(self): self.n += 1; return self.n

    def counter():
        n = 0
        def count():
            nonlocal n
            n += 1
            return n
        return count

    @functools.lru_cache(None)
    def memoized(x): return x.n

    count = counter()
    partial = functools.partial(lambda x, y: x.n + y, y=1)
    lambdas = [lambda x: x.n, lambda x: x.n + 1]
    """


@pytest.fixture
def subject(imported: Importer) -> ModuleType:
    return imported(SUBJECT)


@pytest.fixture
def table() -> SiteTable:
    return SiteTable()


def use(subject: ModuleType) -> list[object]:
    thing = subject.Subject()
    return [
        thing.prop, thing.static(thing), thing.of_class(), thing.method(), thing.cached, thing.decorated(),
        subject.count() > 0, subject.counter()(), subject.memoized(thing), subject.partial(thing),
        [function(thing) for function in subject.lambdas],
    ]  # fmt: skip


def test_every_function_is_found(subject: ModuleType, table: SiteTable, log: list[tuple[str, int]]) -> None:
    expected = use(subject)
    undo = instrument_module(subject, table)
    assert undo.not_instrumented == []
    assert use(subject) == expected
    passed = {table[site].function for name, site in log if name != "cells"}
    assert passed == {
        "Subject.__init__", "Subject.prop", "Subject.static", "Subject.of_class", "Subject.method",
        "Base.method",
        "Subject.cached", "Subject.decorated", "traced.<locals>.wrapper", "counter", "counter.<locals>.count",
        "memoized", "<lambda>",
    }  # fmt: skip
    undo()


def test_frozen_functions_are_found_too(subject: ModuleType, table: SiteTable, log: list[tuple[str, int]]) -> None:
    """Servers freeze all objects before they fork, so that the collector does not write to shared pages."""
    gc.freeze()
    try:
        with instrument_module(subject, table):
            subject.Subject().method()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
    assert {table[site].function for name, site in log if name != "cells"} >= {"Subject.method", "Base.method"}


def test_no_list_of_all_objects_stays_frozen(subject: ModuleType, table: SiteTable) -> None:
    """A frozen list of all objects would be invisible to `gc.get_referrers`.

    greenlet frees objects for which it finds no referrers.
    """
    anything: list[None] = []
    before = sys.getrefcount(anything)
    gc.freeze()
    try:
        undo = instrument_module(subject, table)
        assert sys.getrefcount(anything) == before
        undo()
    finally:
        gc.unfreeze()


def test_lambdas_on_one_line_are_distinguished(subject: ModuleType, table: SiteTable) -> None:
    thing = subject.Subject()
    with instrument_module(subject, table):
        assert [function(thing) for function in subject.lambdas] == [0, 1]


def test_undo_restores_the_original_code_objects(subject: ModuleType, table: SiteTable) -> None:
    functions = [subject.count, subject.counter, subject.Subject.method, subject.Subject.prop.fget]
    before = [function.__code__ for function in functions]
    undo = instrument_module(subject, table)
    assert all(function.__code__ is not code for function, code in zip(functions, before, strict=True))
    assert set(functions) <= set(undo.functions)
    undo()
    undo()
    assert all(function.__code__ is code for function, code in zip(functions, before, strict=True))
    assert probe.NAME not in vars(subject)


def test_instrumenting_twice_has_no_further_effect(subject: ModuleType, table: SiteTable) -> None:
    with instrument_module(subject, table):
        code = subject.counter.__code__
        with instrument_module(subject, table) as inner:
            assert subject.counter.__code__ is code
            assert inner.functions == []
        assert subject.counter.__code__ is code
        assert vars(subject)[probe.NAME] is probe


def test_closures_keep_their_cells(subject: ModuleType, table: SiteTable) -> None:
    subject.count()
    cell = subject.count.__closure__[0]
    with instrument_module(subject, table):
        assert subject.count() == 2
        assert subject.count.__code__.co_freevars == ("n",)
        assert subject.counter().__code__.co_freevars != ("n",)  # a new closure has one more free variable
    assert subject.count() == 3
    assert subject.count.__closure__ == (cell,)


def test_functions_created_with_probes_work_after_the_undo(subject: ModuleType, table: SiteTable) -> None:
    with instrument_module(subject, table):
        count = subject.counter()
    assert probe.NAME not in vars(subject)
    assert [count(), count()] == [1, 2]


def test_several_modules_can_be_instrumented_at_once(
    imported: Importer, table: SiteTable, log: list[tuple[str, int]]
) -> None:
    first, second = imported("def f(x): return x.a", "first"), imported("def f(x): return x.b", "second")
    with instrument_modules([first, second], table):
        first.f(_Thing())
        second.f(_Thing())
    assert [table[site].place for name, site in log if name == "read"] == [
        "first.py:1 read a",
        "second.py:1 read b",
    ]


class _Thing:
    a = b = 1


def test_compiled_code_is_reused(subject: ModuleType, table: SiteTable, monkeypatch: pytest.MonkeyPatch) -> None:
    with instrument_module(subject, table) as undo:
        first = [function.__code__ for function in undo.functions]
    assert first
    monkeypatch.setattr("raddle.instrument.running_source.LiveSource", None)
    with instrument_module(subject, SiteTable()) as undo:
        assert {id(function.__code__) for function in undo.functions} == set(map(id, first))


def test_a_module_reloaded_after_a_change_is_compiled_again(imported: Importer, folder: Path, table: SiteTable) -> None:
    module = imported("def f(x): return x.old")
    instrument_module(module, table)()
    (folder / "subject.py").write_text("def f(x): return x.new_one")
    importlib.invalidate_caches()
    importlib.reload(module)
    with instrument_module(module, SiteTable()) as undo:
        assert not undo.not_instrumented
        assert "new_one" in module.f.__code__.co_consts


def test_functions_changed_on_disk_are_not_instrumented(imported: Importer, folder: Path, table: SiteTable) -> None:
    subject = imported("def f(x): return x.a\ndef g(x): return x.b\ndef h(x): return 1\n")
    (folder / "subject.py").write_text("def f(x): return x.a\ndef g(x): return x.c\ndef h(x): return 2\n")
    with instrument_module(subject, table) as undo:
        assert [function.__name__ for function in undo.functions] == ["f"]
    path = str(folder / "subject.py")
    assert undo.not_instrumented == [
        NotInstrumented(f"subject.{name}", f"{path} has changed since it was imported") for name in "gh"
    ]


def test_a_module_whose_source_no_longer_compiles_is_refused(
    imported: Importer, folder: Path, table: SiteTable
) -> None:
    subject = imported("def f(): pass\n")
    (folder / "subject.py").write_text("def f(:\n")
    (refusal,) = instrument_module(subject, table).not_instrumented
    assert refusal.what == "subject"
    assert refusal.why.startswith("its source does not compile")


def test_a_module_whose_source_was_deleted_is_refused(imported: Importer, folder: Path, table: SiteTable) -> None:
    subject = imported("def f(): pass\n")
    (folder / "subject.py").unlink()
    vars(subject)["__loader__"] = subject.__spec__.loader = None  # type: ignore[union-attr] # the spec exists
    linecache.clearcache()
    (refusal,) = instrument_module(subject, table).not_instrumented
    assert refusal.why == f"no source found for {folder / 'subject.py'}"


def test_extension_modules_are_refused(table: SiteTable) -> None:
    refusals = instrument_modules([math, sys], table).not_instrumented
    assert [refusal.what for refusal in refusals] == ["math", "sys"]


def test_functions_created_by_exec_are_listed_as_made_at_run_time(imported: Importer, table: SiteTable) -> None:
    subject = imported("exec('def made(x): return x.a')\ndef f(): pass\n")
    with instrument_module(subject, table) as undo:
        assert [function.__name__ for function in undo.functions] == ["f"]
    assert undo.not_instrumented == []
    refusal = NotInstrumented("subject: made", "no source found for <string>")
    assert undo.made_at_run_time == {subject.made.__code__: refusal}
    assert undo.all_refused == [refusal]


def test_code_created_at_run_time_with_the_name_of_the_file_is_refused(
    imported: Importer, folder: Path, table: SiteTable
) -> None:
    # Hypothesis gives its wrappers the file and the line of the test, and `compile` accepts any file name.
    subject = imported(
        """
        from types import FunctionType
        def inner(x): return x.a
        def make():
            def wrapper(x): return inner(x)
            return wrapper
        code = make().__code__.replace(co_name="inner", co_firstlineno=inner.__code__.co_firstlineno)
        wrapper = FunctionType(code, globals(), "inner")
        exec(compile("def made(x): return x.a", __file__, "exec"))
        moved = FunctionType(inner.__code__.replace(co_firstlineno=1), globals(), "moved")
        """
    )
    with instrument_module(subject, table) as undo:
        assert sorted(function.__name__ for function in undo.functions) == ["inner", "make"]
    assert undo.not_instrumented == []  # the file is unchanged
    why = f"its code is not in {folder / 'subject.py'}, and code created at run time cannot be instrumented"
    assert {refusal.why for refusal in undo.all_refused} == {why}
    assert sorted(refusal.what for refusal in undo.all_refused) == [
        "subject.inner",  # the function `moved`
        "subject.made",
        "subject.make.<locals>.wrapper",
    ]


REPLACED = """
    import ast, inspect
    def replaced(function):  # as typeguard does
        tree = ast.parse(inspect.getsource(function))
        tree.body[0].decorator_list = []
        tree.body[0].body.insert(0, ast.Pass())
        tree.body[0].body.append(ast.Return(ast.Constant(1)))
        ast.fix_missing_locations(tree)
        ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
        exec(compile(tree, __file__, "exec"), namespace := {})
        return namespace[function.__name__]
    @replaced
    def f(x):
        if x: return x.a
"""


def test_a_function_recompiled_by_a_decorator_is_refused(imported: Importer, table: SiteTable) -> None:
    subject = imported(REPLACED)
    with instrument_module(subject, table) as undo:
        assert [refusal.what for refusal in undo.all_refused] == ["subject.f"]
    assert undo.not_instrumented == []


@pytest.mark.parametrize("bytecode", [True, False])
def test_functions_deleted_or_moved_in_the_file_are_refused(
    imported: Importer, folder: Path, table: SiteTable, monkeypatch: pytest.MonkeyPatch, bytecode: bool
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", not bytecode)
    subject = imported("def f(x): return x.a\ndef g(x): return x.b\ndef h(x): return x.c\n")
    (folder / "subject.py").write_text("def f(x): return x.a\ndef h(x): return x.c\n")
    with instrument_module(subject, table) as undo:
        changed = [refusal.what for refusal in undo.not_instrumented]
    # Without the bytecode from the import, a deleted function looks like one that was created at run time.
    assert changed == (["subject.g", "subject.h"] if bytecode else ["subject.h"])
    assert sorted(refusal.what for refusal in undo.all_refused) == ["subject.g", "subject.h"]


def test_functions_generated_by_attrs_and_hypothesis_do_not_count_as_changes(
    imported: Importer, table: SiteTable
) -> None:
    subject = imported(
        """
        import dataclasses, attr, attrs
        from hypothesis import given, strategies
        @attrs.define(order=True)
        class One:
            n: int = attrs.field(default=0, converter=int)
        @attr.s(slots=True, hash=True)
        class Two:
            n = attr.ib(default=0, repr=str)
        Three = dataclasses.make_dataclass("Three", [("n", int)], order=True)
        @given(strategies.integers())
        def test_it(n):
            assert n
        """
    )
    with instrument_module(subject, table) as undo:
        assert undo.not_instrumented == []
        assert "test_it" in {function.__name__ for function in undo.functions}  # the function that the user wrote


# A notebook cell inherits the `from __future__` imports of the cells before it.
@pytest.mark.parametrize("inherits", [True, False])
def test_notebook_cells_are_instrumented(table: SiteTable, log: list[tuple[str, int]], inherits: bool) -> None:
    source, name = "def f(x):\n    def g(y: nothing): return x.a\n    return x.a\n", "<ipython-input-7>"
    notebook = ModuleType("__main__")
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec", dont_inherit=not inherits), vars(notebook))
    if not inherits:
        vars(notebook)["nothing"] = None
    with instrument_module(notebook, table) as undo:
        assert undo.not_instrumented == []
        notebook.f(_Thing())
    assert [table[site].place for _, site in log][1] == "<ipython-input-7>:3 read a"


def test_undo_keeps_code_assigned_by_the_program(subject: ModuleType, table: SiteTable) -> None:
    undo = instrument_module(subject, table)
    other_code = (lambda: None).__code__
    subject.counter.__code__ = other_code
    undo()
    assert subject.counter.__code__ is other_code


def test_an_internal_error_restores_the_original_code(
    subject: ModuleType, table: SiteTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, swap = subject.counter.__code__, Undo.swap

    def failing(self: Undo, function: FunctionType, new: object) -> None:
        swap(self, function, new)  # type: ignore[arg-type] # code
        if function.__name__ == "counter":
            raise ZeroDivisionError

    monkeypatch.setattr(Undo, "swap", failing)
    with pytest.raises(ZeroDivisionError):
        instrument_module(subject, table)
    assert subject.counter.__code__ is before
    assert probe.NAME not in vars(subject)


def test_assertions_rewritten_by_pytest_keep_their_explanations(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import sys
        from raddle import probe
        from raddle.instrument import instrument_module
        from raddle.site import SiteTable

        class Thing: n = 1

        def check(thing):
            assert thing.n == 2

        def test_check():
            table, names = SiteTable(), []
            def read(obj, name, site):
                names.append(name)
                return getattr(obj, name)
            with instrument_module(sys.modules[__name__], table) as undo:
                assert not undo.not_instrumented
                probe.attach({"read": read})
                try:
                    check(Thing())
                finally:
                    probe.detach()
                    print(names)
        """)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["*assert 1 == 2", "* where 1 = *Thing object at *.n", "*'n'*"])


@pytest.mark.parametrize(
    ("name", "path", "package", "label"),
    [
        ("shop.cart", "/x/shop/cart.py", False, "shop/cart.py"),
        ("shop", "/x/shop/__init__.py", True, "shop/__init__.py"),
        ("__main__", "/x/try.py", False, "try.py"),
        ("test_cart", "/x/tests/test_cart.py", False, "test_cart.py"),
        ("renamed", "/x/other.py", False, "other.py"),
        ("shop.cart", None, False, "shop/cart.py"),
    ],
)
def test_a_module_is_labeled_by_its_name_or_file(name: str, path: str | None, package: bool, label: str) -> None:
    module = ModuleType(name)
    module.__file__ = path
    if package:
        module.__path__ = []
    assert label_of(module) == label


def test_a_reimported_module_has_the_same_site_numbers(imported: Importer, folder: Path) -> None:
    tables = SiteTable(), SiteTable()
    for table in tables:
        sys.modules.pop("subject", None)
        instrument_module(imported("def f(x): return x.a"), table)()
        importlib.invalidate_caches()
    assert list(tables[0]) == list(tables[1])


def test_functions_created_since_the_last_instrumentation_are_found(
    subject: ModuleType, table: SiteTable, log: list[tuple[str, int]]
) -> None:
    with instrument_module(subject, table):
        created_during = subject.counter()  # created with probes, and keeps them
    created_after = subject.counter()
    with instrument_module(subject, table) as undo:
        assert created_after in undo.functions
        assert created_during not in undo.functions
        del log[:]
        created_after()
    assert {table[site].function for name, site in log if name != "cells"} == {"counter.<locals>.count"}
    assert probe.NAME not in created_after.__code__.co_names

"""The static model of globals, closure variables, contents of containers, methods and blocks."""

from __future__ import annotations

import pytest
from surveyed import build_model, variables

# In all sources, line 1 is empty and the code begins on line 2.


def test_globals_that_functions_rebind_are_variables() -> None:
    # Accesses during the import happen before any thread starts, so they do not count.
    assert variables("""
        count, constant = 0, 1
        class C:
            count = count
        def f():
            global count
            count += constant
        def g(): return count
        """) == {"count": "r7 r8 w7"}  # fmt: skip


def test_closure_variables_count_from_their_capture() -> None:
    # Line 3 runs before `n` can be captured, but line 7 does not. `m` is captured but never changes.
    assert variables("""
        def f(m):
            n = 0
            def g():
                nonlocal n
                n += m
            n = 5
            return n, g
        """) == {"f.n": "r6 r8 w6 w7"}  # fmt: skip


def test_in_a_loop_an_access_before_the_capture_counts() -> None:
    assert variables("""
        def f():
            for i in x:
                n = i
                yield lambda: n
        """) == {"f.n": "r5 w4"}  # fmt: skip


def test_a_global_and_an_attribute_with_the_same_name_are_distinguished() -> None:
    assert variables("""
        class C:
            def f(self): self.x = 1
        def g():
            global x
            x = x.x
        """) == {"C.x": "r6? w3", "x": "r6 w6"}  # fmt: skip


def test_definitions_and_imports_write_globals() -> None:
    assert variables("""
        def f():
            global g, h
            def g(): pass
            import h
        """) == {"g": "w4", "h": "w5"}  # fmt: skip


# -- contents ---------------------------------------------------------------------------------------


def test_operations_on_a_container_access_its_content() -> None:
    assert variables("""
        class C:
            def __init__(self):
                self.d = {}
            def f(self, k):
                self.d[k] = 1
                self.d[k] += 2
                del self.d[k]
                if self.d: pass
                if k in self.d: pass
                for k in self.d: pass
                len(self.d), sorted(self.d), [*self.d]
        """) == {"C.d[]": "r7 r9 r10 r11 r12 r12 r12 w6 w7 w8"}  # fmt: skip


def test_known_methods_of_containers_access_the_content() -> None:
    assert variables("""
        class C:
            def __init__(self):
                self.d = dict()
                self.d.clear()
            def f(self, k):
                self.d.update(k)
                self.d.get(k)
                self.d.something(k)
        """) == {"C.d[]": "r8 w7"}  # fmt: skip


def test_views_and_builtin_functions_read_the_content() -> None:
    # Creating a view is a call that reads the content, and each iteration reads it too.
    assert variables("""
        class C:
            def f(self):
                self.d = {}
                self.d.clear()
                for k in self.d.items(): pass
                list(self.d.keys()), {v for v in self.d.values()}
                next(self.d)
        """) == {"C.d": "r5 r6 r7 r7 r8 w4", "C.d[]": "r6 r6 r7 r7 r7 r7 w5"}  # fmt: skip


@pytest.mark.parametrize(
    "value",
    ["[]", "{1}", "list(a)", "a or {}", "[] if a else b", "[0] * 3", "deque()", "collections.defaultdict(int)",
     "{a: a for a in b}"],
)  # fmt: skip
def test_an_attribute_assigned_a_container_has_content(value: str) -> None:
    source = f"class C:\n    def __init__(self, a, b): self.x = {value}\n    def f(self): self.x.clear()"
    assert variables(source) == {"C.x[]": "w3"}


@pytest.mark.parametrize("value", ["a", "threading.Event()", "(1, 2)", "3", "frozenset()", "f'{a}'"])
def test_an_attribute_assigned_another_value_has_no_content(value: str) -> None:
    source = f"class C:\n    def __init__(self, a, b): self.x = {value}\n    def f(self): self.x.clear()"
    assert variables(source) == {}


def test_annotations_and_field_factories_declare_containers() -> None:
    assert variables("""
        class A:
            x: list[int]
            y: object = field(default_factory=lambda: {})
            def f(self, a):
                self.z: dict[str, int] | None = a
                self.x[0] = self.y[0] = self.z[0] = 1
        """) == {"A.x[]": "w7", "A.y[]": "w7", "A.z": "r7 w6", "A.z[]": "w7"}  # fmt: skip


def test_contents_are_inherited() -> None:
    assert variables("""
        class A:
            def __init__(self): self.items = []
        class B(A):
            def f(self): self.items.append(1)
        def g(b): b.items.append(2)
        """) == {"A.items[]": "w5 w6?"}  # fmt: skip


def test_an_attribute_that_holds_a_number_has_no_content() -> None:
    assert variables("""
        class C:
            def f(self):
                self.n = 0
                self.n += 1
                self.l = []
                self.l += [1]
        """) == {"C.l": "r7 w6 w7", "C.l[]": "w7", "C.n": "r5 w4 w5"}  # fmt: skip


def test_contents_of_global_containers_are_variables() -> None:
    found = variables(
        state="cache = {}\ncache[0] = 1\ndef f(): cache[1] = 2\n",
        app="from state import cache\nimport state\ndef g(): return cache.get(1)\ndef h(): state.cache.clear()\n",
    )
    assert found == {"state.py.cache[]": "rapp.py:3 wstate.py:3 wapp.py:4"}


def test_contents_of_captured_containers_are_variables() -> None:
    # A local list belongs to one call unless an inner function captures it, as on line 5.
    assert variables("""
        def f(threads):
            done, own = [], []
            own.append(0); done.append(0)
            def work(): done.append(1)
            start(work)
            return len(done), own[0]
        """) == {"f.done[]": "r7 w5"}  # fmt: skip


# -- names of variables at sites --------------------------------------------------------------------


def test_sites_have_the_names_of_their_variables() -> None:
    model, table = build_model("""
        cache = dict(a=1)
        def f(x):
            n = 0
            def g():
                nonlocal n
                n += 1
                cache[n] = x.y[0]
        """)  # fmt: skip
    named = {f"{table[site].line} {table[site].kind} {table[site].name}": name for site, name in model.names.items()}
    # The model names a variable even at sites that run before the variable is shared. `x.y` has no name, because the
    # class of x is unknown.
    assert named == {
        "4 write n": ("m.py:f", "n"),
        "7 read n": ("m.py:f", "n"),
        "7 write n[]": ("m.py:f", "n[]"),
        "7 write n": ("m.py:f", "n"),
        "8 read n": ("m.py:f", "n"),
        "8 write cache[]": ("m.py", "cache[]"),
    }
    assert model.variable_at(0) is None


# -- methods ----------------------------------------------------------------------------------------


def methods(*sources: str, **others: str) -> dict[str, str]:
    """Return the methods of each class with the lines on which they begin."""
    model, table = build_model(*sources, **others)
    found = {}
    for owner, sites_by_name in model.methods.items():
        assert all(table[site].kind == "enter" for site in sites_by_name.values())
        found[owner.removeprefix("m.py:")] = " ".join(
            f"{name}{table[site].line}" for name, site in sites_by_name.items()
        )
    return found


def test_public_methods_are_listed_by_class() -> None:
    assert methods("""
        class C:
            def __init__(self): pass
            def b(self): pass
            def _private(self): pass
            def __getitem__(self, k): pass
            def __eq__(self, other): pass
            @classmethod
            def a(cls): pass
            @property
            def p(self): pass
        def f():
            class D:
                def d(self): pass
        class Empty: pass
        """) == {"C": "__getitem__6 a9 b4 p11", "f.<locals>.D": "d14"}  # fmt: skip


def test_inherited_methods_are_listed() -> None:
    base = "class A:\n    def a(self): pass\n    def b(self): pass\n"
    sub = "from base import A\nclass B(A):\n    def b(self): pass\n    def c(self): pass\n"
    assert methods(base=base, sub=sub) == {"base.py:A": "a2 b3", "sub.py:B": "a2 b3 c4"}


def test_test_classes_have_no_methods_because_runners_call_them_sequentially() -> None:
    assert methods("""
        class TestCart:
            def test_add(self): pass
            def helper(self): pass
        class Tester:
            def test(self): pass
        class Testament:
            def read(self): pass
        """) == {"Testament": "read8"}  # fmt: skip


def test_blocks_are_listed_if_instrumented() -> None:
    model, table = build_model("\nif a:\n    b\n", blocks=True)
    assert sorted(table[site].line for site in model.blocks) == [2, 3]
    assert build_model("\nif a:\n    b\n")[0].blocks == frozenset()

"""The static model: globals, closure variables, the contents of containers; methods and blocks."""

from __future__ import annotations

import pytest
from surveyed import modelled, variables

# In all sources line 1 is empty, so that line 2 is the first with code.


def test_globals() -> None:
    # What is done at import is done before there are threads.
    assert variables("""
        count, constant = 0, 1
        class C:
            count = count
        def f():
            global count
            count += constant
        def g(): return count
        """) == {"count": "r7 r8 w7"}  # fmt: skip


def test_closure_variables() -> None:
    # Line 3 is before anything can have captured n, line 7 is not; m is captured, but never changes.
    assert variables("""
        def f(m):
            n = 0
            def g():
                nonlocal n
                n += m
            n = 5
            return n, g
        """) == {"f.n": "r6 r8 w6 w7"}  # fmt: skip


def test_a_loop_comes_back_to_what_is_before_a_capture() -> None:
    assert variables("""
        def f():
            for i in x:
                n = i
                yield lambda: n
        """) == {"f.n": "r5 w4"}  # fmt: skip


def test_a_name_and_an_attribute_of_the_same_name() -> None:
    assert variables("""
        class C:
            def f(self): self.x = 1
        def g():
            global x
            x = x.x
        """) == {"C.x": "r6? w3", "x": "r6 w6"}  # fmt: skip


def test_definitions_and_imports_bind_globals() -> None:
    assert variables("""
        def f():
            global g, h
            def g(): pass
            import h
        """) == {"g": "w4", "h": "w5"}  # fmt: skip


# -- contents ---------------------------------------------------------------------------------------


def test_contents() -> None:
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


def test_methods_of_containers_by_their_names() -> None:
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


def test_views_and_builtins() -> None:
    # A view is made by a call, which looks, and looked at in each round.
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
def test_what_makes_a_container(value: str) -> None:
    source = f"class C:\n    def __init__(self, a, b): self.x = {value}\n    def f(self): self.x.clear()"
    assert variables(source) == {"C.x[]": "w3"}


@pytest.mark.parametrize("value", ["a", "threading.Event()", "(1, 2)", "3", "frozenset()", "f'{a}'"])
def test_what_does_not(value: str) -> None:
    source = f"class C:\n    def __init__(self, a, b): self.x = {value}\n    def f(self): self.x.clear()"
    assert variables(source) == {}


def test_annotations_and_fields_say_so_too() -> None:
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


def test_an_augmented_number_has_no_content() -> None:
    assert variables("""
        class C:
            def f(self):
                self.n = 0
                self.n += 1
                self.l = []
                self.l += [1]
        """) == {"C.l": "r7 w6 w7", "C.l[]": "w7", "C.n": "r5 w4 w5"}  # fmt: skip


def test_containers_in_globals() -> None:
    found = variables(
        state="cache = {}\ncache[0] = 1\ndef f(): cache[1] = 2\n",
        app="from state import cache\nimport state\ndef g(): return cache.get(1)\ndef h(): state.cache.clear()\n",
    )
    assert found == {"state.py.cache[]": "rapp.py:3 wstate.py:3 wapp.py:4"}


def test_containers_in_closures() -> None:
    # A local list is one call's own unless something inside captures it, as it does on line 5.
    assert variables("""
        def f(threads):
            done, own = [], []
            own.append(0); done.append(0)
            def work(): done.append(1)
            start(work)
            return len(done), own[0]
        """) == {"f.done[]": "r7 w5"}  # fmt: skip


# -- how executions name them -----------------------------------------------------------------------


def test_names_at_sites() -> None:
    model, table = modelled("""
        cache = dict(a=1)
        def f(x):
            n = 0
            def g():
                nonlocal n
                n += 1
                cache[n] = x.y[0]
        """)  # fmt: skip
    named = {f"{table[site].line} {table[site].kind} {table[site].name}": name for site, name in model.names.items()}
    # Those that come early are named, too; what x is nobody knows.
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


def methods(*sources: str, **more: str) -> dict[str, str]:
    """For each class, its methods and the lines where they begin."""
    model, table = modelled(*sources, **more)
    found = {}
    for owner, known in model.methods.items():
        assert all(table[site].kind == "enter" for site in known.values())
        found[owner.removeprefix("m.py:")] = " ".join(f"{name}{table[site].line}" for name, site in known.items())
    return found


def test_public_methods() -> None:
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


def test_inherited_methods() -> None:
    base = "class A:\n    def a(self): pass\n    def b(self): pass\n"
    sub = "from base import A\nclass B(A):\n    def b(self): pass\n    def c(self): pass\n"
    assert methods(base=base, sub=sub) == {"base.py:A": "a2 b3", "sub.py:B": "a2 b3 c4"}


def test_a_test_runner_calls_one_method_after_the_other() -> None:
    assert methods("""
        class TestCart:
            def test_add(self): pass
            def helper(self): pass
        class Tester:
            def test(self): pass
        class Testament:
            def read(self): pass
        """) == {"Testament": "read8"}  # fmt: skip


def test_blocks() -> None:
    model, table = modelled("\nif a:\n    b\n", blocks=True)
    assert sorted(table[site].line for site in model.blocks) == [2, 3]
    assert modelled("\nif a:\n    b\n")[0].blocks == frozenset()

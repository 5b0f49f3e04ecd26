"""The static model: attributes, by class and inheritance, and what is guessed."""

from __future__ import annotations

import pytest
from surveyed import modelled, variables

# In all sources line 1 is empty, so that line 2 is the first with code.

APPENDER = """
    class AppenderSkeleton:
        def __init__(self, threshold):
            self.th = threshold
        def isAsSevereAsThreshold(self, priority):
            if self.th is None:
                return True
            return priority.isGreaterOrEqual(self.th)
        def setThreshold(self, threshold):
            self.th = threshold
    """


def test_the_example_of_the_paper() -> None:
    assert variables(APPENDER) == {"AppenderSkeleton.th": "r6 r8 w10"}
    # MAP's T_C: 2 R W + W² + R² W + 3 R W² + W³ with two reads and one write is 16.
    model, _ = modelled(APPENDER)
    (th,) = model.variables.values()
    r, w = len(th.reads), len(th.writes)
    assert 2 * r * w + w**2 + r**2 * w + 3 * r * w**2 + w**3 == 16


# -- self -------------------------------------------------------------------------------------------


def test_self_by_any_name() -> None:
    assert variables("""
        class C:
            def f(this): this.x = 1
            @classmethod
            def g(klass): klass.y = 2
            def h(me): return me.__class__.y, type(me).y
            async def i(self, /): self.z = C.y
        """) == {"C.x": "w3", "C.y": "r6 r6 r7 w5", "C.z": "w7"}  # fmt: skip


def test_a_first_argument_that_is_not_self() -> None:
    # A static method's, one that got another value, and a function's.
    assert variables("""
        class C:
            @staticmethod
            def f(c): c.x = 1
            def g(self, other):
                self = other
                self.y = 2
        def h(self): self.z = 3
        """) == {}  # fmt: skip


def test_self_in_what_is_inside_a_method() -> None:
    assert variables("""
        class C:
            def f(self):
                def inner(): self.x = 1
                return [self.x for i in range(3)], lambda: self.x, inner
        """) == {"C.x": "r5 r5 w4"}  # fmt: skip


def test_augmented_deleted_unpacked() -> None:
    assert variables("""
        class C:
            def f(self):
                self.x += 1
                del self.y
                a, (self.z, *self.y) = 1, (2, 3)
                for self.z in self.x: pass
                with a as self.y: pass
        """) == {"C.x": "r4 r7 w4", "C.y": "w5 w6 w8", "C.z": "w6 w7"}  # fmt: skip


def test_a_chain_of_the_same_name() -> None:
    # In self.next.next the second is the next one's. It is the same class, but that is a guess.
    assert variables("""
        class Node:
            def __init__(self): self.next = None
            def f(self):
                self.next.next = self.next.next
        """) == {"Node.next": "r5 r5? r5 w5?"}  # fmt: skip


def test_private_names() -> None:
    assert variables("""
        class C:
            def f(self): self.__x = self.__y__
        """) == {"C._C__x": "w3"}  # fmt: skip


def test_set_by_name() -> None:
    assert variables("""
        class C:
            def f(self, name):
                setattr(self, "x", 1)
                getattr(self, "x"), hasattr(self, name)
                delattr(self, "x")
        """) == {"C.x": "r5 w4 w6"}  # fmt: skip


# -- what is no variable ----------------------------------------------------------------------------


def test_constructors_come_before_sharing() -> None:
    assert variables("""
        class C:
            limit = 3
            def __init__(self):
                self.x = self.limit
                self.y = 0
                self.f = lambda: self.x
            def __post_init__(self): self.y = self.x
            def g(self): self.y += self.x
        """) == {"C.y": "r9 w9"}  # fmt: skip


def test_the_class_is_shared_while_its_objects_are_made() -> None:
    assert variables("""
        class C:
            made, every = 0, []
            def __init__(self):
                C.made += 1
                type(self).made += 1
                self.__class__.every.append(self)
        """) == {"C.every[]": "w7", "C.made": "r5 r6 w5 w6"}  # fmt: skip


def test_what_a_constructor_leaves_behind_runs_later() -> None:
    assert variables("""
        class C:
            def __init__(self):
                def late(): self.x = 1
        """) == {"C.x": "w4"}  # fmt: skip


def test_new_makes_an_object_of_a_shared_class() -> None:
    assert variables("""
        class C:
            def __new__(cls):
                if cls.only is None:
                    made = super().__new__(cls)
                    made.x = 1
                    cls.only = made
                return cls.only
        """) == {"C.only": "r4 r8 w7"}  # fmt: skip


def test_code_is_no_variable() -> None:
    assert variables("""
        class C:
            def f(self): self.f = self.g = self.p = 1
            g = property(f)
            @property
            def p(self): return self.f
            class D: pass
            def h(self): self.D = 2
        class E(C):
            def i(self): self.f = 3
        """) == {}  # fmt: skip


def test_an_attribute_that_is_called() -> None:
    assert variables("""
        class C:
            def f(self, callback): self.callback = callback
            def g(self): self.callback(); self.f(1)
        """) == {"C.callback": "r4 w3"}  # fmt: skip


def test_managers_are_read_once() -> None:
    assert variables("""
        class C:
            def f(self): self.lock = self.make()
            def g(self):
                with self.lock: pass
        """) == {"C.lock": "r5 w3"}  # fmt: skip


@pytest.mark.parametrize("header", ["import threading", "from threading import local"])
def test_what_each_thread_has_for_itself(header: str) -> None:
    base = "threading.local" if "import threading" in header else "local"
    assert (
        variables(f"{header}\nclass C({base}):\n    def f(self): self.x = 1\nclass D(C):\n    def f(self): self.x = 2")
        == {}
    )


# -- inheritance ------------------------------------------------------------------------------------


def test_the_base_most_class_that_sets_it() -> None:
    assert variables("""
        class A:
            def a(self): self.x = 1
        class B(A): pass
        class C(B):
            def c(self): self.x = self.y
            def d(self): self.y = 2
        class D(C):
            def e(self): return self.x + self.y
        """) == {"A.x": "r9 w3 w6", "C.y": "r6 r9 w7"}  # fmt: skip


def test_setting_in_a_constructor_declares() -> None:
    assert variables("""
        class A:
            def __init__(self): self.x = 0
        class B(A):
            def b(self): self.x = 1
        """) == {"A.x": "w5"}  # fmt: skip


def test_so_do_slots_and_the_class_body() -> None:
    assert variables("""
        class A:
            __slots__ = ("x",)
            y: int
            z = 0
        class B(A):
            def b(self): self.x = self.y = self.z = 1
        """) == {"A.x": "w7", "A.y": "w7", "A.z": "w7"}  # fmt: skip


def test_what_subclasses_set_and_their_base_reads() -> None:
    assert variables("""
        class A:
            def a(self): return self.x
        class B(A):
            def b(self): self.x = 1
        class C(A):
            def c(self): self.x = 2
        """) == {"B.x": "r3 w5", "C.x": "r3 w7"}  # fmt: skip


def test_several_bases() -> None:
    # D's order of look-up is D, B, C, A: C is the base-most that sets x.
    assert variables("""
        class A: pass
        class B(A):
            def b(self): self.x = 1
        class C(A):
            def c(self): self.x = 2
        class D(B, C):
            def d(self): return self.x
        """) == {"B.x": "w4", "C.x": "r8 w6"}  # fmt: skip


def test_generic_nested_and_unknown_bases() -> None:
    assert variables("""
        class Outer:
            class A:
                def a(self): self.x = 1
            class B(A, Unknown, somewhere.Else, make()):
                def b(self): self.x = 2
        class C(Outer.A[int]):
            def c(self): self.x = 3
        """) == {"Outer.A.x": "w4 w6 w8"}  # fmt: skip


A = "class A:\n    def a(self): self.x = 1\n"


@pytest.mark.parametrize(
    ("header", "base"),
    [
        ("from shop.base import A", "A"),
        ("from shop.base import A as B", "B"),
        ("import shop.base", "shop.base.A"),
        ("import shop.base as b", "b.A"),
        ("from shop import base", "base.A"),
        ("from shop import A", "A"),  # what shop/__init__.py has imported
        ("from .base import A", "A"),
        ("from . import base", "base.A"),
        ("from . import A", "A"),
        ("from ..shop.base import A", "A"),
    ],
)
def test_a_base_in_another_module(header: str, base: str) -> None:
    sub = f"{header}\nclass Sub({base}):\n    def b(self): self.x = 2\n"
    found = variables(shop__base=A, shop__init="from .base import A", shop__sub=sub)
    assert found == {"shop/base.py:A.x": "wshop/base.py:2 wshop/sub.py:3"}


def test_imports_in_a_circle() -> None:
    assert variables(a="from b import A\nclass C(A):\n    def c(self): self.x = 1\n", b="from a import A\n") == {
        "a.py:C.x": "wa.py:3"
    }


# -- other receivers --------------------------------------------------------------------------------


def test_a_guess_where_one_class_has_such_an_attribute() -> None:
    assert variables("""
        class Counter:
            def __init__(self): self.value = 0
        def work(c, other):
            c.value += 1
            other[0].value = c.other.value
        """) == {"Counter.value": "r5? r6? w5? w6?"}  # fmt: skip


def test_no_guess_where_two_have_it_or_it_is_code() -> None:
    assert variables("""
        class A:
            def __init__(self): self.value = self.size = 0
        class B:
            def __init__(self): self.value = 0
            def size(self): return 1
        def work(c): c.value = c.size = 1
        """) == {}  # fmt: skip


def test_a_family_is_one() -> None:
    assert variables("""
        class A:
            def __init__(self): self.value = 0
        class B(A):
            def __init__(self): self.value = 1
        def work(c): c.value = 2
        """) == {"A.value": "w6?"}  # fmt: skip


def test_no_guess_about_modules_of_others() -> None:
    assert variables("""
        import os
        class A:
            def __init__(self): self.environ = 0
        def work(): os.environ = 1
        """) == {}  # fmt: skip


def test_names_of_another_module() -> None:
    found = variables(
        config="limit = 3\n",
        app="import config\nfrom config import limit as l\ndef f():\n    config.limit = config.limit + l\n",
    )
    assert found == {"config.py.limit": "rapp.py:4 wapp.py:4"}

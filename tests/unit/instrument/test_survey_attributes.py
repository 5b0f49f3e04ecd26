"""The static model of attributes: their classes, inheritance, and guesses."""

from __future__ import annotations

import pytest
from surveyed import build_model, variables

# In all sources, line 1 is empty and the code begins on line 2.

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


def test_the_papers_example_has_two_reads_and_one_write() -> None:
    assert variables(APPENDER) == {"AppenderSkeleton.th": "r6 r8 w10"}
    # For `map`, the paper defines T_C as 2 R W + W² + R² W + 3 R W² + W³, which is 16 for two reads and one write.
    model, _ = build_model(APPENDER)
    (th,) = model.variables.values()
    r, w = len(th.reads), len(th.writes)
    assert 2 * r * w + w**2 + r**2 * w + 3 * r * w**2 + w**3 == 16


# -- self -------------------------------------------------------------------------------------------


def test_self_and_cls_can_have_any_name() -> None:
    assert variables("""
        class C:
            def f(this): this.x = 1
            @classmethod
            def g(klass): klass.y = 2
            def h(me): return me.__class__.y, type(me).y
            async def i(self, /): self.z = C.y
        """) == {"C.x": "w3", "C.y": "r6 r6 r7 w5", "C.z": "w7"}  # fmt: skip


def test_a_first_argument_that_is_not_self_is_ignored() -> None:
    # The first argument of a static method or a plain function does not count as self. Neither does a parameter named
    # self that has been reassigned.
    assert variables("""
        class C:
            @staticmethod
            def f(c): c.x = 1
            def g(self, other):
                self = other
                self.y = 2
        def h(self): self.z = 3
        """) == {}  # fmt: skip


def test_self_is_recognized_in_functions_nested_in_a_method() -> None:
    assert variables("""
        class C:
            def f(self):
                def inner(): self.x = 1
                return [self.x for i in range(3)], lambda: self.x, inner
        """) == {"C.x": "r5 r5 w4"}  # fmt: skip


def test_augmented_assignment_deletion_and_unpacking_are_writes() -> None:
    assert variables("""
        class C:
            def f(self):
                self.x += 1
                del self.y
                a, (self.z, *self.y) = 1, (2, 3)
                for self.z in self.x: pass
                with a as self.y: pass
        """) == {"C.x": "r4 r7 w4", "C.y": "w5 w6 w8", "C.z": "w6 w7"}  # fmt: skip


def test_a_repeated_name_in_an_attribute_chain_is_a_guess() -> None:
    # In `self.next.next`, the second `next` belongs to another object. The model guesses that this object has the same
    # class.
    assert variables("""
        class Node:
            def __init__(self): self.next = None
            def f(self):
                self.next.next = self.next.next
        """) == {"Node.next": "r5 r5? r5 w5?"}  # fmt: skip


def test_private_names_are_mangled() -> None:
    assert variables("""
        class C:
            def f(self): self.__x = self.__y__
        """) == {"C._C__x": "w3"}  # fmt: skip


def test_setattr_getattr_and_delattr_with_constant_names_are_accesses() -> None:
    assert variables("""
        class C:
            def f(self, name):
                setattr(self, "x", 1)
                getattr(self, "x"), hasattr(self, name)
                delattr(self, "x")
        """) == {"C.x": "r5 w4 w6"}  # fmt: skip


# -- names that are not variables -------------------------------------------------------------------


def test_accesses_in_constructors_do_not_count() -> None:
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


def test_class_attributes_in_constructors_count() -> None:
    assert variables("""
        class C:
            made, every = 0, []
            def __init__(self):
                C.made += 1
                type(self).made += 1
                self.__class__.every.append(self)
        """) == {"C.every[]": "w7", "C.made": "r5 r6 w5 w6"}  # fmt: skip


def test_functions_defined_in_a_constructor_count() -> None:
    assert variables("""
        class C:
            def __init__(self):
                def late(): self.x = 1
        """) == {"C.x": "w4"}  # fmt: skip


def test_class_attributes_in_new_count() -> None:
    assert variables("""
        class C:
            def __new__(cls):
                if cls.only is None:
                    made = super().__new__(cls)
                    made.x = 1
                    cls.only = made
                return cls.only
        """) == {"C.only": "r4 r8 w7"}  # fmt: skip


def test_methods_properties_and_classes_are_not_variables() -> None:
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


def test_calling_an_attribute_is_a_read_unless_it_is_a_method() -> None:
    assert variables("""
        class C:
            def f(self, callback): self.callback = callback
            def g(self): self.callback(); self.f(1)
        """) == {"C.callback": "r4 w3"}  # fmt: skip


def test_a_context_manager_is_read_once() -> None:
    assert variables("""
        class C:
            def f(self): self.lock = self.make()
            def g(self):
                with self.lock: pass
        """) == {"C.lock": "r5 w3"}  # fmt: skip


@pytest.mark.parametrize("header", ["import threading", "from threading import local"])
def test_attributes_of_thread_locals_are_not_variables(header: str) -> None:
    base = "threading.local" if "import threading" in header else "local"
    assert (
        variables(f"{header}\nclass C({base}):\n    def f(self): self.x = 1\nclass D(C):\n    def f(self): self.x = 2")
        == {}
    )


# -- inheritance ------------------------------------------------------------------------------------


def test_an_attribute_belongs_to_the_topmost_base_class_that_sets_it() -> None:
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


def test_an_assignment_in_a_constructor_declares_an_attribute() -> None:
    assert variables("""
        class A:
            def __init__(self): self.x = 0
        class B(A):
            def b(self): self.x = 1
        """) == {"A.x": "w5"}  # fmt: skip


def test_slots_and_the_class_body_declare_attributes() -> None:
    assert variables("""
        class A:
            __slots__ = ("x",)
            y: int
            z = 0
        class B(A):
            def b(self): self.x = self.y = self.z = 1
        """) == {"A.x": "w7", "A.y": "w7", "A.z": "w7"}  # fmt: skip


def test_a_read_in_a_base_class_counts_for_each_subclass_that_sets_the_attribute() -> None:
    assert variables("""
        class A:
            def a(self): return self.x
        class B(A):
            def b(self): self.x = 1
        class C(A):
            def c(self): self.x = 2
        """) == {"B.x": "r3 w5", "C.x": "r3 w7"}  # fmt: skip


def test_several_bases_follow_the_method_resolution_order() -> None:
    # The method resolution order of D is D, B, C, A, so C is the last class in that order that sets x.
    assert variables("""
        class A: pass
        class B(A):
            def b(self): self.x = 1
        class C(A):
            def c(self): self.x = 2
        class D(B, C):
            def d(self): return self.x
        """) == {"B.x": "w4", "C.x": "r8 w6"}  # fmt: skip


def test_generic_and_nested_bases_are_resolved_and_unknown_bases_ignored() -> None:
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
        ("from shop import A", "A"),  # imported by shop/__init__.py
        ("from .base import A", "A"),
        ("from . import base", "base.A"),
        ("from . import A", "A"),
        ("from ..shop.base import A", "A"),
    ],
)
def test_a_base_class_in_another_module_is_resolved(header: str, base: str) -> None:
    sub = f"{header}\nclass Sub({base}):\n    def b(self): self.x = 2\n"
    found = variables(shop__base=A, shop__init="from .base import A", shop__sub=sub)
    assert found == {"shop/base.py:A.x": "wshop/base.py:2 wshop/sub.py:3"}


def test_circular_imports_do_not_hang() -> None:
    assert variables(a="from b import A\nclass C(A):\n    def c(self): self.x = 1\n", b="from a import A\n") == {
        "a.py:C.x": "wa.py:3"
    }


# -- other receivers --------------------------------------------------------------------------------


def test_the_class_is_guessed_if_only_one_has_the_attribute() -> None:
    assert variables("""
        class Counter:
            def __init__(self): self.value = 0
        def work(c, other):
            c.value += 1
            other[0].value = c.other.value
        """) == {"Counter.value": "r5? r6? w5? w6?"}  # fmt: skip


def test_there_is_no_guess_if_two_classes_have_the_attribute_or_it_is_a_method() -> None:
    assert variables("""
        class A:
            def __init__(self): self.value = self.size = 0
        class B:
            def __init__(self): self.value = 0
            def size(self): return 1
        def work(c): c.value = c.size = 1
        """) == {}  # fmt: skip


def test_a_class_and_its_subclasses_count_as_one_in_a_guess() -> None:
    assert variables("""
        class A:
            def __init__(self): self.value = 0
        class B(A):
            def __init__(self): self.value = 1
        def work(c): c.value = 2
        """) == {"A.value": "w6?"}  # fmt: skip


def test_there_is_no_guess_for_attributes_of_unsurveyed_modules() -> None:
    assert variables("""
        import os
        class A:
            def __init__(self): self.environ = 0
        def work(): os.environ = 1
        """) == {}  # fmt: skip


def test_globals_of_another_module_are_resolved() -> None:
    found = variables(
        config="limit = 3\n",
        app="import config\nfrom config import limit as l\ndef f():\n    config.limit = config.limit + l\n",
    )
    assert found == {"config.py.limit": "rapp.py:4 wapp.py:4"}


def test_the_model_knows_all_base_classes_of_a_class() -> None:
    model, _ = build_model(
        """
        from other import Far
        class A: pass
        class B(A): pass
        class C(B, Far): pass
        class D(ValueError): pass
        """,
        other="class Far: pass",
    )
    assert model.bases == {"m.py:B": {"m.py:A"}, "m.py:C": {"m.py:A", "m.py:B", "other.py:Far"}}

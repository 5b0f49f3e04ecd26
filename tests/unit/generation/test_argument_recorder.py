import sys

import pytest

from raddle.generation import argument_recorder
from raddle.generation.argument_recorder import ArgumentRecorder
from raddle.generation.expressions import Callback, Container, Imported, Literal, New


class Item:
    def __init__(self, name, price=1):
        self.name = name


class Cart:
    def __init__(self, owner, *parts):
        self.owner = owner

    def add(self, item, count=1):
        pass

    def __eq__(self, other):
        raise OSError  # comparing must not disturb the tests

    __hash__ = object.__hash__

    @staticmethod
    def price_of(name):
        return len(name)

    @classmethod
    def describe(cls, name, *, size=1):
        return f"{cls.__name__} {name} {size}"

    @classmethod
    def from_name(cls, name: str) -> "Cart":
        return cls(name)


class SmallCart(Cart):
    pass


def make_cart(owner: str) -> Cart:
    return Cart(owner)


def audit(cart: Cart, depth: int = 1) -> int:
    return depth


@pytest.fixture
def recorder(monkeypatch):
    for cls, name in ((Cart, "__init__"), (Cart, "add"), (Item, "__init__")):
        monkeypatch.setattr(cls, name, getattr(cls, name))  # restored after the test
    found = ArgumentRecorder(Cart)
    found.wrap(Cart, "add", "add")
    found.wrap(Cart, "__init__", "")
    found.wrap(Item, "__init__", None)
    return found


def test_the_most_frequent_value_comes_first(recorder):
    cart = Cart("ann")
    for item in ("a", "b", "b"):
        cart.add(item)
    assert recorder.learned().of("add", "item") == (Literal("b"), Literal("a"))
    assert recorder.learned().of("add", "count") == ()  # never passed


def test_the_arguments_of_the_constructor_have_an_empty_name(recorder):
    Cart("ann", 1, 2)
    assert recorder.learned().of("", "owner") == (Literal("ann"),)
    assert recorder.learned().of("", "parts") == (Literal(1), Literal(2))


def test_instances_are_written_as_the_constructor_call_that_made_them(recorder):
    Cart("ann").add([Item("pear", price=2)])
    item = New(Imported(__name__, "Item"), (Literal("pear"),), (("price", Literal(2)),))
    # Objects from test modules cannot be imported by generated tests; this test module is one, but `New` is kept.
    assert recorder.learned().of("add", "item") == (Container("list", (item,)),)


def test_functions_inside_tests_become_callbacks(recorder):
    Cart("ann").add(lambda: 1)
    assert recorder.learned().of("add", "item") == (Callback("item"),)


def test_objects_that_cannot_be_written_are_left_out(recorder):
    Cart("ann").add(object())
    assert recorder.learned().of("add", "item") == ()


def test_wrong_arguments_raise_the_same_exception_as_before(recorder):
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        Cart("ann").add()


def test_only_the_first_calls_are_recorded(recorder, monkeypatch):
    monkeypatch.setattr(argument_recorder, "MAX_RECORDED", 2)
    cart = Cart("ann")
    for number in range(5):
        cart.add(number)
    assert recorder.learned().of("add", "item") == (Literal(0), Literal(1))


@pytest.fixture
def installed(monkeypatch):
    """A recorder for everything that tests of `Cart` may call."""
    names = ("__init__", "add", "__eq__", "price_of", "describe", "from_name")
    for cls, name in [*((Cart, name) for name in names), (Item, "__init__"), (SmallCart, "__init__")]:
        if name in vars(cls):
            monkeypatch.setattr(cls, name, vars(cls)[name])  # restored after the test
    for name in ("make_cart", "audit"):
        monkeypatch.setattr(sys.modules[__name__], name, globals()[name])
    found = ArgumentRecorder(Cart)
    found.install()
    yield found
    if "__init__" in vars(SmallCart):
        del SmallCart.__init__


def test_arguments_of_static_methods_class_methods_and_factories_are_recorded(installed):
    assert Cart.price_of("pear") == 4
    assert Cart("ann").price_of("fig") == 3
    assert Cart.describe("plum", size=2) == "Cart plum 2"
    assert SmallCart.describe("lime") == "SmallCart lime 1"  # a class method still gets the class
    assert type(SmallCart.from_name("bob")) is SmallCart
    learned = installed.learned()
    assert set(learned.of("price_of", "name")) == {Literal("pear"), Literal("fig")}
    assert set(learned.of("describe", "name")) == {Literal("plum"), Literal("lime")}
    assert learned.of("describe", "size") == (Literal(2),)
    assert learned.of("from_name", "name") == (Literal("bob"),)


def test_arguments_of_functions_of_the_module_are_recorded(installed):
    module = sys.modules[__name__]
    assert module.audit(module.make_cart("eve"), depth=3) == 3
    learned = installed.learned()
    assert learned.of("audit", "depth") == (Literal(3),)
    assert Literal("eve") in learned.of("", "owner")  # the constructor, and the function that returns an instance

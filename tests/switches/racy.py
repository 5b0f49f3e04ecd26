"""Small races. Each returns what came of it; under raddle and with real threads alike.

`tried(name, note)` makes a scenario that notes its outcome.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class Box:
    def __init__(self) -> None:
        self.n = 0
        self.m = 0
        self.own = 0


def nothing() -> None:
    """A call is a place where the interpreter may let others run."""


def bare_increment(box: Box) -> None:
    box.n += 1


def read_then_write(box: Box) -> None:
    value = box.n
    box.n = value + 1


def call_in_between(box: Box) -> None:
    value = box.n
    nothing()
    box.n = value + 1


def call_then_something_of_its_own(box: Box) -> None:
    """The switch is possible after the call, though a write to what nobody else has comes in between."""
    mine = Box()
    value = box.n
    nothing()
    mine.own = 1
    box.n = value + 1


def loop(box: Box) -> None:
    for _ in range(2):
        box.n += 1


def two_variables(box: Box) -> None:
    box.n += 1
    box.m += box.n


def method_calls(items: dict[str, int]) -> None:
    items.update(a=items.get("a", 0) + 1)


def check_then_act(items: dict[str, int]) -> None:
    if "a" not in items:
        items["a"] = 0
    items["a"] += 1


def checked_by_a_call(items: dict[str, int]) -> None:
    if items.get("a") is None:
        items["a"] = 0
    items["a"] += 1


def list_item(items: list[int]) -> None:
    items[0] = items[0] + 1


def list_append(items: list[int]) -> None:
    items.append(items[-1] + 1)


def in_try(box: Box) -> None:
    try:
        value = box.n
        box.n = value + 1
    except ValueError:
        box.n = -1
    finally:
        box.m += 1


class Guard:
    def __enter__(self) -> None:
        """A call."""

    def __exit__(self, *exc: object) -> None:
        """Another one."""


def in_with(box: Box) -> None:
    value = box.n
    with Guard():
        box.n = value + 1


class Proxy:
    def __init__(self, box: Box) -> None:
        self.box = box

    @property
    def n(self) -> int:
        return self.box.n

    @n.setter
    def n(self, value: int) -> None:
        self.box.n = value


def through_a_property(box: Box) -> None:
    Proxy(box).n += 1


def outcome(thing: Box | dict[str, int] | list[int]) -> tuple:
    """What is left of it."""
    if isinstance(thing, Box):
        return thing.n, thing.m
    return tuple(thing.items()) if isinstance(thing, dict) else tuple(thing)


def of_box(body: Callable[[Box], None]) -> Callable[[], object]:
    def run() -> object:
        box = Box()
        both(lambda: body(box))
        return outcome(box)

    return run


def of_dict(body: Callable[[dict[str, int]], None]) -> Callable[[], object]:
    def run() -> object:
        items: dict[str, int] = {}
        both(lambda: body(items))
        return outcome(items)

    return run


def of_list(body: Callable[[list[int]], None]) -> Callable[[], object]:
    def run() -> object:
        items = [0]
        both(lambda: body(items))
        return outcome(items)

    return run


def both(body: Callable[[], None]) -> None:
    threads = [threading.Thread(target=body) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


PROGRAMS = {
    **{
        body.__name__: (of_box(body), body, Box)
        for body in (
            bare_increment, read_then_write, call_in_between, call_then_something_of_its_own, loop, two_variables,
            in_try, in_with, through_a_property,
        )
    },
    **{
        body.__name__: (of_dict(body), body, dict)
        for body in (method_calls, check_then_act, checked_by_a_call)
    },
    **{body.__name__: (of_list(body), body, lambda: [0]) for body in (list_item, list_append)},
}  # fmt: skip


def tried(name: str, note: Callable[[object], object]) -> Callable[[], None]:
    run = PROGRAMS[name][0]

    def scenario() -> None:
        note(run())

    return scenario

"""Small racy programs that run under raddle and with real threads.

Each program returns the final state of the shared object.
`recording_scenario(name, record)` turns a program into a scenario.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class Box:
    def __init__(self) -> None:
        self.n = 0
        self.m = 0
        self.own = 0


def do_nothing() -> None:
    """Return immediately. With the GIL, the interpreter can switch threads at a call to this function."""


def bare_increment(box: Box) -> None:
    box.n += 1


def read_then_write(box: Box) -> None:
    value = box.n
    box.n = value + 1


def call_in_between(box: Box) -> None:
    value = box.n
    do_nothing()
    box.n = value + 1


def call_then_unshared_write(box: Box) -> None:
    """Call a function and write to an unshared object, both between the shared read and the shared write.

    A switch is possible after the call, and the unshared write does not prevent it.
    """
    mine = Box()
    value = box.n
    do_nothing()
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


def check_by_call(items: dict[str, int]) -> None:
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
        """Return immediately. The call itself allows the interpreter to switch threads."""

    def __exit__(self, *exc: object) -> None:
        """Return immediately. The call itself allows the interpreter to switch threads."""


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


def final_state(shared: Box | dict[str, int] | list[int]) -> tuple:
    """Return the final state of the shared object in a comparable form."""
    if isinstance(shared, Box):
        return shared.n, shared.m
    return tuple(shared.items()) if isinstance(shared, dict) else tuple(shared)


def with_box(body: Callable[[Box], None]) -> Callable[[], object]:
    def run() -> object:
        box = Box()
        run_in_two_threads(lambda: body(box))
        return final_state(box)

    return run


def with_dict(body: Callable[[dict[str, int]], None]) -> Callable[[], object]:
    def run() -> object:
        items: dict[str, int] = {}
        run_in_two_threads(lambda: body(items))
        return final_state(items)

    return run


def with_list(body: Callable[[list[int]], None]) -> Callable[[], object]:
    def run() -> object:
        items = [0]
        run_in_two_threads(lambda: body(items))
        return final_state(items)

    return run


def run_in_two_threads(body: Callable[[], None]) -> None:
    threads = [threading.Thread(target=body) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


PROGRAMS = {
    **{
        body.__name__: (with_box(body), body, Box)
        for body in (
            bare_increment, read_then_write, call_in_between, call_then_unshared_write, loop, two_variables,
            in_try, in_with, through_a_property,
        )
    },
    **{
        body.__name__: (with_dict(body), body, dict)
        for body in (method_calls, check_then_act, check_by_call)
    },
    **{body.__name__: (with_list(body), body, lambda: [0]) for body in (list_item, list_append)},
}  # fmt: skip


def recording_scenario(name: str, record: Callable[[object], object]) -> Callable[[], None]:
    """Return a scenario that runs the program and passes its final state to `record`."""
    run = PROGRAMS[name][0]

    def scenario() -> None:
        record(run())

    return scenario

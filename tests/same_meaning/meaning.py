"""Compares the observable behavior of a small program with and without probes.

A program logs what it evaluates through `t("label", value)` and through `Box` objects, which log every operation on
them. The comparison includes:

* the log, which shows what is evaluated, how many times and in which order;
* the final namespace, which shows the variables' values and any temporary name that was left behind;
* the type, message, context and traceback lines of an exception.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from raddle import env, probe
from raddle.instrument import rewrite
from raddle.instrument.compiled import compile_probed

FILE = "form.py"


@dataclass(frozen=True)
class Form:
    """A program for one syntax form, the probes that it must call, and the first Python version with that form."""

    name: str
    probes: frozenset[str]
    source: str
    since: tuple[int, ...] = env.SUPPORTED[0]

    def as_parameter(self) -> Any:
        marks = [] if self.since <= env.VERSION else [pytest.mark.skip(f"needs Python {self.since}")]
        return pytest.param(self, id=self.name, marks=marks)


def read_forms(kind: str) -> list[Form]:
    """Read the forms of one kind from the folder `forms`."""
    _, *sections = (Path(__file__).parent / "forms" / f"{kind}.txt").read_text().split("\n=== ")
    found = []
    for section in sections:
        header, _, source = section.partition("\n")
        name, probes, *since = (part.strip() for part in header.split("|"))
        version = tuple(map(int, since[0].split("."))) if since else env.SUPPORTED[0]
        found.append(Form(name, frozenset(probes.split()), source, version))
    assert len({form.name for form in found}) == len(found), "two forms have the same name"
    return found


def forms(items: Iterable[Form]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("form", [form.as_parameter() for form in items])


@dataclass
class Behavior:
    """The observable behavior of a program."""

    log: list[str]
    namespace: dict[str, str]
    error: list[str]
    probes: set[str] = field(compare=False, default_factory=set)


def assert_same_meaning(form: Form) -> None:
    plain = run(compile(form.source, FILE, "exec", dont_inherit=True))
    used: set[str] = set()
    for tokens in (True, False):
        code = compile_probed(form.source, file=FILE, path=FILE, tokens=tokens).code
        assert run(code) == plain
        recorded = run(code, recording=True)
        assert recorded == plain
        used |= recorded.probes
    assert used >= form.probes, "the form was not instrumented"
    # Rewriting the same source twice gives the same sites.
    assert rewrite(form.source, file=FILE, base=0).sites == rewrite(form.source, file=FILE, base=0).sites


def run(code: Any, *, recording: bool = False) -> Behavior:
    """Run the code, with recording probes if requested, and return its observable behavior."""
    log: list[str] = []
    used: set[str] = set()
    namespace = {"__name__": "form", "t": tracer(log), "Box": box(log), "drive": drive, "log": log.append}
    given = {*namespace, "__builtins__", probe.NAME}
    namespace[probe.NAME] = probe
    if recording:
        probe.attach({name: _recording(name, used) for name in probe.PLAIN})
    try:
        exec(code, namespace)
        error = []
    except Exception as raised:
        error = list(_describe(raised))
    finally:
        probe.detach()
    left = {name: _show(value) for name, value in namespace.items() if name not in given}
    return Behavior(log, left, error, used)


def _recording(name: str, used: set[str]) -> Callable[..., Any]:
    plain = probe.PLAIN[name]

    def recorded(*arguments: Any) -> Any:
        used.add(name)
        return plain(*arguments)

    return recorded


def _show(value: object) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x", repr(value))


def _describe(error: BaseException | None) -> Iterable[str]:
    while error is not None:
        yield f"{type(error).__name__}: {_show(str(error))}"
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == FILE:
                yield f"  line {traceback.tb_lineno} in {traceback.tb_frame.f_code.co_name}"
            traceback = traceback.tb_next
        for inner in getattr(error, "exceptions", ()):
            yield from _describe(inner)
        error = error.__cause__ or error.__context__


def tracer(log: list[str]) -> Callable[[str, Any], Any]:
    def t(label: str, value: Any = None) -> Any:
        log.append(label)
        return value

    return t


def drive(coroutine: Any) -> Any:
    """Run a coroutine that never suspends, and return its result."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("the coroutine suspended")


def box(log: list[str]) -> type:
    """Return a class whose objects log every operation on them."""

    class Box:
        _name: str
        _items: Any
        _attributes: dict[str, Any]

        def __init__(self, name: str, items: Iterable[Any] = (), **attributes: Any) -> None:
            object.__setattr__(self, "_name", name)
            object.__setattr__(self, "_items", items)
            object.__setattr__(self, "_attributes", attributes)

        def __repr__(self) -> str:
            return f"Box({self._name}, {self._items}, {self._attributes})"

        def __getattr__(self, name: str) -> Any:
            log.append(f"{self._name}.{name}")
            try:
                return self._attributes[name]
            except KeyError:
                raise AttributeError(f"{self._name} has no {name}") from None

        def __setattr__(self, name: str, value: Any) -> None:
            log.append(f"{self._name}.{name} = {value!r}")
            if name == "refused":
                raise AttributeError(name)
            self._attributes[name] = value

        def __delattr__(self, name: str) -> None:
            log.append(f"del {self._name}.{name}")
            del self._attributes[name]

        def __getitem__(self, key: Any) -> Any:
            log.append(f"{self._name}[{key!r}]")
            return self._items[key]

        def __setitem__(self, key: Any, value: Any) -> None:
            log.append(f"{self._name}[{key!r}] = {value!r}")
            self._items[key] = value

        def __delitem__(self, key: Any) -> None:
            log.append(f"del {self._name}[{key!r}]")
            del self._items[key]

        def __contains__(self, key: Any) -> Any:
            log.append(f"{key!r} in {self._name}")
            return key in self._items

        def __iter__(self) -> Any:
            log.append(f"iter {self._name}")
            return iter(self._items)

        def __len__(self) -> int:
            log.append(f"len {self._name}")
            return len(self._items)

        def __bool__(self) -> bool:
            log.append(f"bool {self._name}")
            return bool(self._items)

        def __eq__(self, other: object) -> bool:
            log.append(f"{self._name} == ...")
            return self is other

        __hash__ = None  # type: ignore[assignment]

        def __add__(self, other: Any) -> Any:
            log.append(f"{self._name} + {other!r}")
            return Box(f"{self._name}+", [*self._items, other])

        def __iadd__(self, other: Any) -> Any:
            log.append(f"{self._name} += {other!r}")
            self._items = [*self._items, other]
            return self

        def __enter__(self) -> Any:
            log.append(f"enter {self._name}")
            return self._items

        def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
            log.append(f"exit {self._name} {kind and kind.__name__}")
            return bool(self._attributes.get("swallows"))

        async def __aenter__(self) -> Any:
            return self.__enter__()

        async def __aexit__(self, *error: Any) -> bool:
            return self.__exit__(*error)

        async def __aiter__(self) -> Any:
            for item in self._items:
                yield item

        def __call__(self, *arguments: Any, **keywords: Any) -> Any:
            log.append(f"{self._name}({arguments}, {keywords})")
            return len(arguments) + len(keywords)

    return Box

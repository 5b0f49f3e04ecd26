"""Records the arguments that the tests of a project pass to a class. It runs in a child process; see `learning`.

python -m raddle.generation.argument_recorder MODULE CLASS TESTS OUTPUT SECONDS
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from raddle.generation.expressions import Callback, Expression, Imported, New, size
from raddle.generation.inspect_class import inspect_class
from raddle.generation.learned_values import MAX_VALUES, LearnedValues
from raddle.generation.package_classes import PackageClasses, imported
from raddle.generation.project_tests import ProjectTests
from raddle.generation.signatures import package_of
from raddle.generation.surface import Method, MethodKind
from raddle.generation.written import expression_of
from raddle.inspection import class_attribute

MAX_RECORDED = 1_000  # calls of each method that are recorded
MAX_INSTANCES = 10_000  # instances whose constructor calls are remembered


@dataclass(frozen=True, slots=True)
class _Target:
    """A function whose arguments are recorded."""

    key: str  # identifies the function
    name: str | None  # the name under which its arguments are recorded; None if they are only remembered
    signature: inspect.Signature
    skip: int  # number of arguments that are not recorded: the object or the class
    constructed: type | None  # the class, if the function is its constructor


class ArgumentRecorder:
    """Wraps the methods of a class, and records the arguments of their calls as expressions.

    >>> import queue
    >>> class Jobs(queue.Queue): pass
    >>> recorder = ArgumentRecorder(Jobs)
    >>> recorder.wrap(Jobs, "put", "put")
    >>> Jobs().put("a")
    >>> recorder.learned().of("put", "item")
    (Literal(value='a'),)
    """

    def __init__(self, cls: type) -> None:
        self._cls = cls
        self._counts: dict[tuple[str, str], Counter[Expression]] = {}
        self._calls: Counter[str] = Counter()
        self._instances: dict[int, tuple[object, New]] = {}  # by id; the instances are kept alive
        self._active = threading.local()

    def install(self) -> None:
        """Wrap everything that tests of the class may call, and the constructors of all classes of its package."""
        surface = inspect_class(self._cls)
        for method in dict.fromkeys((*surface.constructors, *surface.methods)):
            if method.kind is MethodKind.FUNCTION or (method.owner != surface.cls and not method.name):
                self._wrap_function(method)
            elif method.name and method.kind is not MethodKind.PROPERTY:
                self.wrap(self._cls, method.name, method.name)
        for cls in PackageClasses(package_of(self._cls)).all:
            if cls is not self._cls:
                self.wrap(cls, "__init__", None)
        self.wrap(self._cls, "__init__", "")

    def wrap(self, cls: type, attribute: str, name: str | None) -> None:
        """Replace a method of a class by a wrapper, which records arguments under a name; None only remembers them."""
        original = class_attribute(cls, attribute)
        kind = type(original)
        is_descriptor = kind in (staticmethod, classmethod)
        wrapper = self._wrapper(
            original.__func__ if is_descriptor else original,
            f"{cls.__qualname__}.{attribute}",
            name,
            skip=int(kind is not staticmethod),
            constructed=cls if attribute == "__init__" else None,
        )
        if wrapper is None:
            return
        try:
            setattr(cls, attribute, kind(wrapper) if is_descriptor else wrapper)
        except Exception:  # the metaclass does not allow it
            return

    def _wrap_function(self, method: Method) -> None:
        """Replace a function of the class's module. Tests are imported later, so they get the wrapper."""
        module, name = sys.modules[method.owner.module], method.owner.name
        wrapper = self._wrapper(vars(module).get(name), name, method.name, skip=0)
        if wrapper is not None:
            setattr(module, name, wrapper)

    def _wrapper(
        self, original: Any, key: str, name: str | None, *, skip: int, constructed: type | None = None
    ) -> Callable[..., Any] | None:
        """Return a function that records its arguments; None if that is not possible."""
        if not isinstance(original, FunctionType):
            return None
        try:
            target = _Target(key, name, inspect.signature(original), skip, constructed)
        except (TypeError, ValueError):
            return None

        @functools.wraps(original)
        def wrapper(*arguments: Any, **keywords: Any) -> Any:
            self._record(target, arguments, keywords)
            return original(*arguments, **keywords)

        return wrapper

    def _record(self, target: _Target, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        if getattr(self._active, "recording", False) or self._calls[target.key] >= MAX_RECORDED:
            return
        self._active.recording = True  # writing a value can call methods of the class
        try:
            self._calls[target.key] += 1
            bound = target.signature.bind(*arguments, **keywords).arguments
            if target.name is not None:
                for parameter, value in list(bound.items())[target.skip :]:
                    self._count(target.name, target.signature.parameters[parameter], value)
            if target.constructed is not None and type(arguments[0]) is target.constructed:
                self._remember(target.constructed, arguments, keywords)
        except Exception:  # code of the project's classes; the tests must not notice
            pass
        finally:
            self._active.recording = False

    def _count(self, name: str, parameter: inspect.Parameter, value: Any) -> None:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            return
        for item in value if parameter.kind is inspect.Parameter.VAR_POSITIONAL else (value,):
            expression = self._expression(item, parameter.name)
            if expression is not None:
                self._counts.setdefault((name, parameter.name), Counter())[expression] += 1

    def _remember(self, cls: type, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        target = imported(cls)
        positional = [self._expression(value, "callback") for value in arguments[1:]]
        named = {name: self._expression(value, name) for name, value in keywords.items()}
        if target is None or None in positional or None in named.values() or len(self._instances) >= MAX_INSTANCES:
            return
        expression = New(target, tuple(positional), tuple(named.items()))  # type: ignore[arg-type]
        self._instances[id(arguments[0])] = arguments[0], expression

    def _expression(self, value: Any, name: str) -> Expression | None:
        def known(part: Any) -> Expression | None:
            if id(part) in self._instances:
                return self._instances[id(part)][1]
            # A function inside a test cannot be imported.
            return Callback(name) if isinstance(part, FunctionType) and "<" in part.__qualname__ else None

        expression = expression_of(value, known=known)
        is_from_test = isinstance(expression, Imported) and "test" in expression.module.split(".")[-1]
        return None if is_from_test else expression

    def learned(self) -> LearnedValues:
        """Return the values recorded so far."""
        return LearnedValues({
            key: tuple(sorted(counts, key=lambda one: (-counts[one], size(one), repr(one)))[:MAX_VALUES])
            for key, counts in list(self._counts.items())
        })  # fmt: skip


def main(module: str, name: str, tests: str, output: str, seconds: str) -> None:
    """Run the tests, and write what was recorded when they have ended or the time is over."""
    cls = Imported(module, name).load()
    recorder = ArgumentRecorder(cls)
    importlib.import_module(module)
    recorder.install()
    project_tests = ProjectTests()
    written = threading.Lock()

    def write(*, timed_out: bool) -> None:
        with written:
            report = project_tests.report(timed_out=timed_out)
            new = Path(f"{output}.new")
            new.write_text(json.dumps([recorder.learned().to_json(), report.to_json()]), encoding="utf-8")
            os.replace(new, output)
            os._exit(0)  # threads that the tests have left behind must not delay the end

    timer = threading.Timer(float(seconds), functools.partial(write, timed_out=True))
    timer.daemon = True
    timer.start()
    try:
        project_tests.run(tests)
    finally:
        timer.cancel()
        write(timed_out=False)


if __name__ == "__main__":
    main(*sys.argv[1:])

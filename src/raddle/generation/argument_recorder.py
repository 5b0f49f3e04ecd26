"""Records the arguments that the tests of a project pass to a class. It runs in a child process; see `learning`.

python -m raddle.generation.argument_recorder MODULE CLASS TESTS OUTPUT SECONDS
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import json
import os
import sys
import threading
import unittest
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from raddle.generation.expressions import Callback, Expression, Imported, New, size
from raddle.generation.inspect_class import inspect_class
from raddle.generation.learned_values import MAX_VALUES, LearnedValues
from raddle.generation.package_classes import PackageClasses, imported
from raddle.generation.signatures import package_of
from raddle.generation.surface import MethodKind
from raddle.generation.written import expression_of
from raddle.inspection import class_attribute

MAX_RECORDED = 1_000  # calls of each method that are recorded
MAX_INSTANCES = 10_000  # instances whose constructor calls are remembered


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
        """Wrap the methods and the constructor of the class, and the constructors of all classes of its package."""
        for method in inspect_class(self._cls).methods:
            if method.kind in (MethodKind.METHOD, MethodKind.OPERATOR, MethodKind.CONTEXT) and method.name:
                self.wrap(self._cls, method.name, method.name)
        for cls in PackageClasses(package_of(self._cls)).all:
            if cls is not self._cls:
                self.wrap(cls, "__init__", None)
        self.wrap(self._cls, "__init__", "")

    def wrap(self, cls: type, attribute: str, name: str | None) -> None:
        """Replace a method of a class by a wrapper, which records arguments under a name; None only remembers them."""
        original = class_attribute(cls, attribute)
        if not isinstance(original, FunctionType):
            return
        try:
            signature = inspect.signature(original)
        except (TypeError, ValueError):
            return

        @functools.wraps(original)
        def wrapper(*arguments: Any, **keywords: Any) -> Any:
            self._record(cls, attribute, name, signature, arguments, keywords)
            return original(*arguments, **keywords)

        try:
            setattr(cls, attribute, wrapper)
        except Exception:  # the metaclass does not allow it
            return

    def _record(
        self,
        cls: type,
        attribute: str,
        name: str | None,
        signature: inspect.Signature,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> None:
        key = f"{cls.__qualname__}.{attribute}"
        if getattr(self._active, "recording", False) or self._calls[key] >= MAX_RECORDED:
            return
        self._active.recording = True  # writing a value can call methods of the class
        try:
            self._calls[key] += 1
            bound = signature.bind(*arguments, **keywords).arguments
            values = dict(list(bound.items())[1:])  # without `self`
            if name is not None:
                for parameter, value in values.items():
                    self._count(name, signature.parameters[parameter], value)
            if attribute == "__init__" and type(arguments[0]) is cls:
                self._remember(cls, arguments, keywords)
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


def run_tests(tests: str) -> None:
    """Run tests with pytest if it is installed, or else with unittest."""
    if importlib.util.find_spec("pytest") is not None:
        import pytest

        # Without the project's options, no plugin writes a coverage file or starts other processes.
        pytest.main([tests, "-q", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:raddle", "-p", "no:randomly"])
    else:
        folder = tests if os.path.isdir(tests) else os.path.dirname(tests) or "."
        pattern = "test*.py" if os.path.isdir(tests) else os.path.basename(tests)
        unittest.TextTestRunner().run(unittest.defaultTestLoader.discover(folder, pattern))


def main(module: str, name: str, tests: str, output: str, seconds: str) -> None:
    """Run the tests, and write what was recorded when they have ended or the time is over."""
    cls = Imported(module, name).load()
    recorder = ArgumentRecorder(cls)
    importlib.import_module(module)
    recorder.install()
    written = threading.Lock()

    def write(then: Callable[[], object] = lambda: None) -> None:
        with written:
            new = Path(f"{output}.new")
            new.write_text(json.dumps(recorder.learned().to_json()), encoding="utf-8")
            os.replace(new, output)
            then()

    timer = threading.Timer(float(seconds), write, [lambda: os._exit(0)])
    timer.daemon = True
    timer.start()
    try:
        run_tests(tests)
    finally:
        timer.cancel()
        write(lambda: os._exit(0))  # threads that the tests have left behind must not delay the end


if __name__ == "__main__":
    main(*sys.argv[1:])

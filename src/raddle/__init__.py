"""Testing and coverage of thread interleavings in Python.

Public names are imported lazily, because instrumented code imports `raddle.probe` and must not wait for the rest of the
package. PYTEST_DONT_REWRITE keeps pytest from warning that this module was imported before it could be rewritten.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raddle import messages
    from raddle.api import Sample, check, explore, measure, replay
    from raddle.errors import DivergedError, FindingError, RaddleError, ScheduleError, UsageError
    from raddle.finding import Finding
    from raddle.generation.generate import generate
    from raddle.generation.generation_result import GenerationResult
    from raddle.linearizable_check import linearizable
    from raddle.result import Result
    from raddle.schedule import Schedule
    from raddle.tasks import begin_task

__version__ = "0.1.0"

_MODULES = {  # maps a public name to the module that defines it
    "check": "api",
    "explore": "api",
    "measure": "api",
    "Sample": "api",
    "replay": "api",
    "DivergedError": "errors",
    "FindingError": "errors",
    "RaddleError": "errors",
    "ScheduleError": "errors",
    "UsageError": "errors",
    "Finding": "finding",
    "generate": "generation.generate",
    "GenerationResult": "generation.generation_result",
    "linearizable": "linearizable_check",
    "Result": "result",
    "Schedule": "schedule",
    "begin_task": "tasks",
}

__all__ = [
    "DivergedError",
    "Finding",
    "FindingError",
    "GenerationResult",
    "RaddleError",
    "Result",
    "Sample",
    "Schedule",
    "ScheduleError",
    "UsageError",
    "begin_task",
    "check",
    "explore",
    "generate",
    "linearizable",
    "measure",
    "messages",
    "replay",
]


def __getattr__(name: str) -> Any:
    if name == "messages":
        return import_module("raddle.messages")
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'raddle' has no attribute {name!r}")
    value = getattr(import_module(f"raddle.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

"""A scenario with threads, and the options for executing it.

This module validates the options and converts them to the arguments of plans and sessions.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.rules import Rules, Timeouts, Wakeups
from raddle.entities import METHODS
from raddle.errors import UsageError
from raddle.execute.fork import can_fork
from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.exploring.units import Itself, SearchPlan
from raddle.instrument import Selection
from raddle.instrument.selection import PROJECT_MARKS
from raddle.origin import Command, Origin
from raddle.replay_options import ReplayOptions

STEP_LIMIT, PATIENCE_SECONDS = 50_000, 5.0
SWITCHES = ("free-threaded", "gil")


@dataclass(frozen=True, slots=True)
class ThreadScenario:
    """A scenario and its options. The options are those of `raddle.explore`."""

    scenario: Callable[[], object]
    setup: Callable[[], object] | None = None
    _: KW_ONLY
    source: Sequence[str] = ()
    switches: str = "free-threaded"
    isolate: str | None = None
    timeouts: str = Timeouts.LATE
    wakeups: str = Wakeups.FIFO
    step_limit: int = STEP_LIMIT
    patience_seconds: float | None = PATIENCE_SECONDS
    thread_methods: int = METHODS

    def __post_init__(self) -> None:
        _check_scenario(self.scenario)
        if isinstance(getcurrent(), Carrier):
            raise UsageError("nested", "an exploration cannot run inside another exploration")
        _check_one_of("switches", self.switches, SWITCHES)
        if self.isolate not in (None, "none", "fork"):
            raise UsageError("bad-isolate", f"isolate must be 'none' or 'fork', not {self.isolate!r}")
        if self.isolate == "fork" and not can_fork():
            raise UsageError("bad-isolate", "isolate='fork' needs a platform with os.fork")
        patience = self.patience_seconds
        if patience is not None and not (isinstance(patience, (int, float)) and patience > 0):
            raise UsageError("bad-budget", f"patience_seconds must be more than 0, not {patience!r}")
        if isinstance(self.source, (str, bytes)) or not isinstance(self.source, Iterable):
            raise UsageError("bad-source", f"source must be a list of modules, files or folders, not {self.source!r}")
        for name in self.source:
            check_source(name)
        if not isinstance(self.step_limit, int) or self.step_limit < 1:
            raise UsageError("bad-step-limit", f"step_limit must be at least 1, not {self.step_limit!r}")
        check_thread_methods(self.thread_methods)
        _check_one_of("timeouts", self.timeouts, list(Timeouts))
        _check_one_of("wakeups", self.wakeups, list(Wakeups))

    def domain(self, criteria: Sequence[str] = ()) -> Threads:
        """Return the domain for executing the scenario and measuring these criteria."""
        return Threads(
            selection_of(self.scenario, self.source),
            blocks="blocks" in criteria,
            patience_seconds=self.patience_seconds,
            methods=self.thread_methods,
        )

    def session_options(self, criteria: Sequence[str] = ()) -> dict[str, Any]:
        """Return the options of a session, except for the setup."""
        return {
            "switches": self.switches,
            "step_limit": self.step_limit,
            "isolate": self.isolate == "fork",
            "measuring": bool(criteria),
            "criteria": tuple(criteria),
            "rules": Rules(timeouts=Timeouts(self.timeouts), wakeups=Wakeups(self.wakeups)),
            "replay_options": self._replay_options(),
        }

    def _replay_options(self) -> ReplayOptions:
        return ReplayOptions(
            setup=None if self.setup is None else _setup_name(self.setup, self.scenario),
            source=tuple(map(str, self.source)) or None,
            isolate="fork" if self.isolate == "fork" else None,
            step_limit=None if self.step_limit == STEP_LIMIT else self.step_limit,
            patience_seconds=None if self.patience_seconds == PATIENCE_SECONDS else self.patience_seconds,
            timeouts=None if self.timeouts == Timeouts.LATE else str(self.timeouts),
            wakeups=None if self.wakeups == Wakeups.FIFO else str(self.wakeups),
        )

    def session(self, criteria: Sequence[str] = ()) -> Session:
        """Return a session with a new installation."""
        options = self.session_options(criteria)
        return Session(self.scenario, self.domain(criteria).install(), setup=self.setup, **options)

    def plan(self, criteria: tuple[str, ...], **search: Any) -> SearchPlan:
        """Return a plan for a search that measures these criteria; `search` holds the other fields of the plan."""
        domain = self.domain(criteria)
        return SearchPlan(
            Itself(self.scenario),
            None if self.setup is None else Itself(self.setup),
            domain,
            self.session_options(criteria),
            criteria=criteria,
            origin=self._origin(domain),
            **search,
        )

    def _origin(self, threads: Threads) -> str:
        """Return the text of the scenario's origin, which is the same in later runs."""
        code = getattr(inspect.unwrap(self.scenario), "__code__", None)
        label = threads.table().label(code.co_filename) if code is not None else "?"
        return str(Origin(Command.EXPLORE, label, getattr(self.scenario, "__name__", "scenario")))


def _check_one_of(name: str, value: str, values: Sequence[str]) -> None:
    if value not in values:
        raise UsageError(f"bad-{name}", f"{name} must be one of {', '.join(values)}, not {value!r}")


def check_thread_methods(number: int) -> None:
    """Raise `UsageError` if `thread_methods` is invalid."""
    if not isinstance(number, int) or number < 0:
        raise UsageError("bad-thread-methods", f"thread_methods must be a non-negative integer, not {number!r}")


def _setup_name(setup: Callable[[], object], scenario: Callable[[], object]) -> str:
    """Return the setup function's name in the scenario's module, or its qualified name if it has no name there."""
    module = sys.modules.get(getattr(scenario, "__module__", None) or "")
    names = [name for name, value in vars(module).items() if value is setup] if module is not None else []
    own: str = getattr(setup, "__qualname__", type(setup).__name__)
    return names[0] if names else own.replace(".", "::")


def _check_scenario(scenario: Callable[[], object]) -> None:
    if not callable(scenario):
        raise UsageError("not-a-function", f"the scenario must be a function, not {scenario!r}")
    try:
        parameters = inspect.signature(scenario).parameters.values()
    except (TypeError, ValueError):
        return
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    name = getattr(scenario, "__name__", repr(scenario))
    if needed:
        raise UsageError(
            "scenario-has-parameters",
            f"the scenario {name} takes parameters ({', '.join(needed)}); wrap it in a function without parameters",
        )
    if inspect.iscoroutinefunction(scenario) or inspect.isgeneratorfunction(scenario):
        raise UsageError(
            "scenario-not-plain",
            f"the scenario {name} is a coroutine or generator function; a scenario must be a plain function",
        )


def check_source(name: str) -> None:
    """Raise `UsageError` if a source does not exist.

    Without this error, the code under test would silently have no probes.
    """
    if not isinstance(name, (str, os.PathLike)):
        raise UsageError("bad-source", f"a source must be the name of a module, a file or a folder, not {name!r}")
    if os.path.exists(name) or name in sys.modules:
        return
    try:
        found = importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        found = False
    if not found:
        raise UsageError(
            "no-such-source", f"source {name!r} is neither a module that Python can find nor a file or folder"
        )


def selection_of(scenario: Callable[[], object], source: Sequence[str]) -> Selection:
    """Return the code to instrument: the given sources, or else the whole project.

    The scenario's file is always included.
    """
    function = inspect.unwrap(scenario)
    function = getattr(function, "__func__", function)
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    code = getattr(function, "__code__", None)
    file = code.co_filename if code is not None else None
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    root = project_root(os.path.dirname(os.path.realpath(file))) if file and os.path.isfile(file) else os.getcwd()
    if source:
        own = [file] if file else []
        if module is not None:
            own.append(module.__name__)
        return Selection(sources=(*source, *own), root=root)
    if file and os.path.isfile(file):
        return Selection(root=root)
    return Selection(sources=(module.__name__,) if module is not None else (), root=root)


def project_root(folder: str) -> str:
    """Return the nearest folder, among this one and its parents, that contains one of `PROJECT_MARKS`.

    If there is no such folder, return this one.
    """
    here = folder
    while True:
        if any(os.path.exists(os.path.join(here, mark)) for mark in PROJECT_MARKS):
            return here
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above

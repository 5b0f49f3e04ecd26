"""Callees: the functions without probes that the threads of a scenario call.

Accesses to shared state by such a function are invisible, so a search with such calls cannot claim to be exhaustive.
Calls are observed at run time: with `sys.monitoring` in every execution or, on interpreters without it, with
`sys.setprofile` in rehearsals and in some executions of complete searches.

A call matters only while another thread can run. Before the main thread starts the others, and after it has joined
them, its calls cannot race. Calls during an import do not count either. Nor do calls to the standard library, because
`call_effects` describes what its functions do to their arguments.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from greenlet import getcurrent

from raddle import env, probe
from raddle.checks.crash import is_internal_frame, is_raddle_file
from raddle.engine.carrier import Carrier
from raddle.instrument.generated import makes_objects
from raddle.instrument.selection import Verdict, in_standard_library
from raddle.refusal import NotInstrumented
from raddle.site import SiteTable

if TYPE_CHECKING:
    from raddle.instrument.hook import Select

T = TypeVar("T")

# Test tools, whose state does not belong to the scenario. pytest's monkeypatch does not count as a tool, because it
# modifies objects of the program.
_TOOLS = frozenset({"_pytest", "coverage", "debugpy", "greenlet", "hypothesis", "pluggy", "pydevd", "pytest"})
_NOT_A_TOOL = "_pytest.monkeypatch"
_TWIN_FRAMES = 3  # number of frames from `spawned` up to the code that starts a thread

_monitoring: Any = sys.monitoring if env.HAS_MONITORING else None  # type: ignore[attr-defined,unused-ignore]
_TOOL_IDS = (4, 3, 5, 2, 1)  # without 0, which marks an active debugger; ids with a predefined meaning come last


class Visibility(Enum):
    """Whether raddle can observe the accesses of a called function."""

    WATCHED = "it has probes"
    HARMLESS = "it accesses no shared state, or its effects are known"
    UNWATCHED = "its accesses are invisible"


class Callees:
    """Classifies every function that is called, and reports those without probes."""

    def __init__(self, selection: Select, table: SiteTable, refused: list[NotInstrumented]) -> None:
        self._selection = selection
        self._table = table
        self._refused = refused
        # Code of functions that instrumented modules create at run time; it is not in their source.
        self.made_at_run_time: Mapping[CodeType, NotInstrumented] = {}
        # Code without probes, so far called only while no other thread was running.
        self._unwatched: dict[int, CodeType] = {}
        self._settled: dict[int, CodeType] = {}  # code that needs no more checks, by id; kept alive by this dict
        self.sees_every_call = False  # True if `record_call` is called for every function until it is settled

    def record_call(self, code: CodeType, frame: FrameType | None) -> bool:
        """Record that the running thread enters a function; return whether later calls to it can be ignored."""
        if id(code) in self._settled:
            return True
        if frame is None:
            return False
        me = getcurrent()
        if id(code) not in self._unwatched:
            if self._visibility(code, frame) is not Visibility.UNWATCHED:
                self._settled[id(code)] = code
                return True
            self._unwatched[id(code)] = code
        if not isinstance(me, Carrier) or _is_alone(me) or _is_importing(frame):
            return False
        self._refuse(code, frame, me)
        self._settled[id(code)] = code
        return True

    def forget(self) -> None:
        """Forget all calls recorded so far."""
        self._unwatched.clear()
        self._settled.clear()
        if env.HAS_MONITORING:
            _monitoring.restart_events()

    def spawned(self) -> None:
        """Check the active functions of the running thread, which may now race with the thread that it has started."""
        if self.sees_every_call and not self._unwatched:
            return
        frame: FrameType | None = sys._getframe(_TWIN_FRAMES)
        settled = self._settled
        while frame is not None:
            code = frame.f_code
            if id(code) not in settled:
                self.record_call(code, frame)
            frame = frame.f_back

    def refuse_unobserved(self, why: str) -> None:
        """Report that calls cannot be observed, so calls to functions without probes may go unnoticed."""
        refused = NotInstrumented("functions called by threads", f"calls cannot be observed: {why}")
        if refused not in self._refused:
            self._refused.append(refused)

    def _visibility(self, code: CodeType, frame: FrameType) -> Visibility:
        path, module = code.co_filename, _module(frame)
        if is_raddle_file(path) or (module.partition(".")[0] in _TOOLS and module != _NOT_A_TOOL):
            return Visibility.HARMLESS
        if code in self.made_at_run_time:
            return Visibility.HARMLESS if makes_objects(code, frame) else Visibility.UNWATCHED
        if probe.NAME in code.co_names or self._verdict(code, frame) or path in self._table.paths().values():
            return Visibility.WATCHED  # a module that could not be instrumented is reported elsewhere
        if in_standard_library(path) or makes_objects(code, frame):
            return Visibility.HARMLESS
        return Visibility.UNWATCHED

    def _verdict(self, code: CodeType, frame: FrameType) -> Verdict | bool:
        return self._selection(_module(frame), code.co_filename)

    def _refuse(self, code: CodeType, frame: FrameType, me: Carrier) -> None:
        module, verdict = _module(frame), self._verdict(code, frame)
        why = verdict.why if isinstance(verdict, Verdict) else "it is not selected for instrumentation"
        made = self.made_at_run_time.get(code)
        has_source = made is None and code.co_filename.endswith((".py", ".pyw"))
        why_none = f"no source found for {code.co_filename}" if made is None else made.why
        source = _root_of(module, code.co_filename) if has_source else ""
        is_target = me.index > 0 and _is_outermost(frame)
        where = f"{module}." if module else ""
        refused = NotInstrumented(
            what=f"{where}{code.co_qualname} ({'run by a thread' if is_target else 'called by threads'})",
            why=f"{why}; add --source {source}" if source else why_none,
            source=source,
            called=True,
            unwatchable_target=is_target and not has_source,
        )
        if refused not in self._refused and not any(source and one.source == source for one in self._refused):
            self._refused.append(refused)


def _module(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__")
    return name if isinstance(name, str) else ""


def _root_of(module: str, path: str) -> str:
    """Return the shortest name that selects the module: its outermost package, ignoring namespace packages."""
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        name = ".".join(parts[:depth])
        if getattr(sys.modules.get(name), "__file__", None):
            return name
    return path


def _is_outermost(frame: FrameType) -> bool:
    """Return whether a frame is the outermost user frame of its thread."""
    return all(is_internal_frame(file) for file in _files(frame.f_back))


def _is_importing(frame: FrameType) -> bool:
    """Return whether the function runs during an import, which happens only once per process."""
    return any(file.startswith("<frozen importlib") for file in _files(frame))


def _files(frame: FrameType | None) -> Iterator[str]:
    """Yield the file names of a frame and all its callers."""
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back


def _is_alone(me: Carrier) -> bool:
    """Return whether a thread has joined all other threads, so that they have ended at this point in every schedule."""
    return all(
        other is me or (other.done and me.clock.get(other.index, -1) >= other.segment)
        for other in me.engine.queue.carriers
    )


class Monitoring:
    """Observes calls with `sys.monitoring`.

    Once a function has been classified, its events are disabled, so later calls to it cost nothing.
    """

    def __init__(self, callees: Callees) -> None:
        self._callees = callees
        self._tool: int | None = None

    def __enter__(self) -> Monitoring:
        events = _monitoring.events
        self._tool = next((tool for tool in _TOOL_IDS if _monitoring.get_tool(tool) is None), None)
        if self._tool is None:
            self._callees.refuse_unobserved("other tools use all tool ids of sys.monitoring")
            return self
        _monitoring.use_tool_id(self._tool, "raddle")
        for event in (events.PY_START, events.PY_RESUME):
            _monitoring.register_callback(self._tool, event, self._enters)
        _monitoring.set_events(self._tool, events.PY_START | events.PY_RESUME)
        _monitoring.restart_events()  # an earlier session may have disabled events
        self._callees.sees_every_call = True
        return self

    def __exit__(self, *exc: object) -> None:
        if self._tool is None:
            return
        self._callees.sees_every_call = False
        _monitoring.set_events(self._tool, 0)
        for event in (_monitoring.events.PY_START, _monitoring.events.PY_RESUME):
            _monitoring.register_callback(self._tool, event, None)
        _monitoring.free_tool_id(self._tool)

    def _enters(self, code: CodeType, offset: int) -> Any:
        return _monitoring.DISABLE if self._callees.record_call(code, sys._getframe(1)) else None


class Profiling:
    """Observes calls with `sys.setprofile`, which slows an execution down by a factor of two or three."""

    ALWAYS, ONE_IN = 64, 16  # complete searches profile their first 64 executions, then one in 16

    def __init__(self, callees: Callees) -> None:
        self._callees = callees
        self._executions = 0  # number of executions of complete searches

    def wants(self, *, complete: bool) -> bool:
        """Return whether to profile the next execution; `complete` says whether it belongs to a complete search."""
        self._executions += complete
        return complete and (self._executions <= self.ALWAYS or self._executions % self.ONE_IN == 0)

    def run(self, execute: Callable[[], T]) -> T:
        """Run an execution and observe its calls."""
        if sys.getprofile() is not None:
            self._callees.refuse_unobserved("another profiler is active, and this interpreter supports only one")
            return execute()
        sys.setprofile(self._enters)
        try:
            return execute()
        finally:
            sys.setprofile(None)

    def _enters(self, frame: FrameType, event: str, arg: object) -> None:
        if event == "call":
            self._callees.record_call(frame.f_code, frame)

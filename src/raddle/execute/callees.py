"""Callees: the functions that the threads of a scenario call although they have no probes.

What such a function does to shared state is invisible, so "exhausted" may not be claimed when there is one. Which
functions are called is observed, not listed in advance: by `sys.monitoring` in every execution, or, on
interpreters without it, by `sys.setprofile` in rehearsals and in some executions of complete searches.

A call matters only while another thread can run. What the main thread does before it starts the others, and after it
has joined them, cannot race with anything. What an import runs does not count either, nor does the standard library:
`foreign` describes what its functions do to their arguments.
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

# Test tools: their own state is none of the scenario's. What pytest's monkeypatch does to objects of the program is.
_TOOLS = frozenset({"_pytest", "coverage", "debugpy", "greenlet", "hypothesis", "pluggy", "pydevd", "pytest"})
_NOT_A_TOOL = "_pytest.monkeypatch"
_TWIN_FRAMES = 3  # between `spawned` and the code that starts a thread: `_spawn`, and the twin that calls it

_monitoring: Any = sys.monitoring if env.HAS_MONITORING else None  # type: ignore[attr-defined,unused-ignore]
_TOOL_IDS = (4, 3, 5, 2, 1)  # not 0, which says that a debugger is active; others with a meaning of their own last


class Standing(Enum):
    """What is known of a function that is called."""

    WATCHED = "it has probes"
    HARMLESS = "it touches nothing that threads share, or its effects are known"
    UNWATCHED = "what it does is invisible"


class Callees:
    """Judges every function that is called, and enters those without probes in a list."""

    def __init__(self, selection: Select, table: SiteTable, refused: list[NotInstrumented]) -> None:
        self._selection = selection
        self._table = table
        self._refused = refused
        # Functions of watched modules whose code is not in the module's source.
        self.made_at_run_time: Mapping[CodeType, NotInstrumented] = {}
        self._unwatched: dict[int, CodeType] = {}  # by id; called only while no other thread could run, so far
        self._settled: dict[int, CodeType] = {}  # by id, which stays in use while the code is kept here
        self.hears_all = False  # is every function reported when it is entered, until it is settled?

    def called(self, code: CodeType, frame: FrameType | None) -> bool:
        """Note that the running thread enters a function; return whether this function needs no more attention."""
        if id(code) in self._settled:
            return True
        if frame is None:
            return False
        me = getcurrent()
        if id(code) not in self._unwatched:
            if self._standing(code, frame) is not Standing.UNWATCHED:
                self._settled[id(code)] = code
                return True
            self._unwatched[id(code)] = code
        if not isinstance(me, Carrier) or _alone(me) or _importing(frame):
            return False
        self._refuse(code, frame, me)
        self._settled[id(code)] = code
        return True

    def forget(self) -> None:
        """Begin again, as if nothing had been called yet."""
        self._unwatched.clear()
        self._settled.clear()
        if env.HAS_MONITORING:
            _monitoring.restart_events()

    def spawned(self) -> None:
        """Note that the running thread has started another: the functions that it is in go on beside that one."""
        if self.hears_all and not self._unwatched:
            return
        frame: FrameType | None = sys._getframe(_TWIN_FRAMES)
        settled = self._settled
        while frame is not None:
            code = frame.f_code
            if id(code) not in settled:
                self.called(code, frame)
            frame = frame.f_back

    def refuse_unobserved(self, why: str) -> None:
        """Note that calls cannot be observed, so that there may be any."""
        refused = NotInstrumented("what threads call is not known", why)
        if refused not in self._refused:
            self._refused.append(refused)

    def _standing(self, code: CodeType, frame: FrameType) -> Standing:
        path, module = code.co_filename, _module(frame)
        if is_raddle_file(path) or (module.partition(".")[0] in _TOOLS and module != _NOT_A_TOOL):
            return Standing.HARMLESS
        if code in self.made_at_run_time:
            return Standing.HARMLESS if makes_objects(code, frame) else Standing.UNWATCHED
        if probe.NAME in code.co_names or self._verdict(code, frame) or path in self._table.paths().values():
            return Standing.WATCHED  # or it was refused when its module was instrumented, which is noted there
        if in_standard_library(path) or makes_objects(code, frame):
            return Standing.HARMLESS
        return Standing.UNWATCHED

    def _verdict(self, code: CodeType, frame: FrameType) -> Verdict | bool:
        return self._selection(_module(frame), code.co_filename)

    def _refuse(self, code: CodeType, frame: FrameType, me: Carrier) -> None:
        module, verdict = _module(frame), self._verdict(code, frame)
        why = verdict.why if isinstance(verdict, Verdict) else "it is not selected"
        made = self.made_at_run_time.get(code)
        has_source = made is None and code.co_filename.endswith((".py", ".pyw"))
        why_none = f"no source found for {code.co_filename}" if made is None else made.why
        source = _root_of(module, code.co_filename) if has_source else ""
        is_target = me.index > 0 and _starts_here(frame)
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
    """The shortest name that selects the module: its top-level package, below namespace packages."""
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        name = ".".join(parts[:depth])
        if getattr(sys.modules.get(name), "__file__", None):
            return name
    return path


def _starts_here(frame: FrameType) -> bool:
    """Whether the frame is the outermost one of its thread that is not plumbing."""
    return all(is_internal_frame(file) for file in _files(frame.f_back))


def _importing(frame: FrameType) -> bool:
    """Whether the function runs because a module is being imported, which happens once in a process."""
    return any(file.startswith("<frozen importlib") for file in _files(frame))


def _files(frame: FrameType | None) -> Iterator[str]:
    """Yield the file of a frame and of each one that called it."""
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back


def _alone(me: Carrier) -> bool:
    """Whether all other threads, if there are any, ended before this point in every schedule: they were joined."""
    return all(
        other is me or (other.done and me.clock.get(other.index, -1) >= other.segment)
        for other in me.engine.queue.carriers
    )


class Monitoring:
    """Reports calls by `sys.monitoring`; each function that is settled costs nothing from then on."""

    def __init__(self, callees: Callees) -> None:
        self._callees = callees
        self._tool: int | None = None

    def __enter__(self) -> Monitoring:
        events = _monitoring.events
        self._tool = next((tool for tool in _TOOL_IDS if _monitoring.get_tool(tool) is None), None)
        if self._tool is None:
            self._callees.refuse_unobserved("other tools use all places that sys.monitoring has")
            return self
        _monitoring.use_tool_id(self._tool, "raddle")
        for event in (events.PY_START, events.PY_RESUME):
            _monitoring.register_callback(self._tool, event, self._enters)
        _monitoring.set_events(self._tool, events.PY_START | events.PY_RESUME)
        _monitoring.restart_events()  # an earlier session had other answers
        self._callees.hears_all = True
        return self

    def __exit__(self, *exc: object) -> None:
        if self._tool is None:
            return
        self._callees.hears_all = False
        _monitoring.set_events(self._tool, 0)
        for event in (_monitoring.events.PY_START, _monitoring.events.PY_RESUME):
            _monitoring.register_callback(self._tool, event, None)
        _monitoring.free_tool_id(self._tool)

    def _enters(self, code: CodeType, offset: int) -> Any:
        return _monitoring.DISABLE if self._callees.called(code, sys._getframe(1)) else None


class Profiling:
    """Reports calls by `sys.setprofile`, which slows an execution down two or three times."""

    ALWAYS, ONE_IN = 64, 16  # complete searches: so many executions at first, then a sample

    def __init__(self, callees: Callees) -> None:
        self._callees = callees
        self._executions = 0  # of complete searches

    def wants(self, *, complete: bool) -> bool:
        """Return whether the next execution is to be observed, if it is one of a complete search."""
        self._executions += complete
        return complete and (self._executions <= self.ALWAYS or self._executions % self.ONE_IN == 0)

    def run(self, execute: Callable[[], T]) -> T:
        """Run an execution, and report its calls."""
        if sys.getprofile() is not None:
            self._callees.refuse_unobserved("another profiler is active, and this interpreter has room for one")
            return execute()
        sys.setprofile(self._enters)
        try:
            return execute()
        finally:
            sys.setprofile(None)

    def _enters(self, frame: FrameType, event: str, arg: object) -> None:
        if event == "call":
            self._callees.called(frame.f_code, frame)

"""Runs calls one after the other in a controlled execution, to learn which of them work.

The execution is controlled so that a call that blocks, never ends or exits cannot stop raddle.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from raddle.engine.carrier import Abort, Carrier, getcurrent
from raddle.exploring.workbench import Workbench
from raddle.generation.binding import make
from raddle.generation.expressions import Values
from raddle.generation.sandbox import Sandbox
from raddle.generation.surface import Method
from raddle.generation.testcase import Call
from raddle.linearizability.checker import STEP_LIMIT
from raddle.outcome import OutcomeKind
from raddle.schedulers.sequential import Sequential

SECONDS = 1.0  # time limit for one execution
RETRY_SECONDS = 0.1  # time limit for an execution that makes a call of a method that did not end in time before
MAX_REMEMBERED = 5_000  # results that are kept; strategies draw the same calls again and again


@dataclass(frozen=True, slots=True)
class SequentialResult:
    """How a sequence of calls ended. Calls after the first one that did not return were not made."""

    calls: tuple[Call, ...]
    returned: tuple[type, ...]  # the classes of the results of the calls that returned
    error: BaseException | None = None  # the exception that the next call raised
    stopped: str = ""  # why the next call did not end: it blocks, or takes too long
    blocks: bool = False  # whether the next call waits for something, as opposed to taking too long

    @property
    def works(self) -> bool:
        """Whether all calls returned."""
        return len(self.returned) == len(self.calls)

    @property
    def failed_call(self) -> Call | None:
        """The call that raised an exception or did not end."""
        return None if self.works else self.calls[len(self.returned)]

    @property
    def types(self) -> Mapping[str, type]:
        """The classes of the variables that the calls assigned."""
        return {call.result: kind for call, kind in zip(self.calls, self.returned, strict=False) if call.result}


class SequentialRunner:
    """Runs sequences of calls on a workbench. It is a context manager, which can stay open while checkers run tests.

    >>> from raddle.execute.thread_installation import Threads
    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import Method, MethodKind
    >>> from raddle.instrument import Selection
    >>> new = Method("", MethodKind.CONSTRUCTOR, Imported("queue", "Queue"))
    >>> calls = (Call(new, result="shared"), Call(Method("get", MethodKind.METHOD, new.owner)))
    >>> with Workbench(Threads(Selection(root="/nowhere"))) as workbench, Sandbox() as sandbox:
    ...     with SequentialRunner(workbench, sandbox) as runner:
    ...         result = runner.run(calls)
    >>> result.works, result.returned[0].__name__, result.stopped
    (False, 'Queue', 'the call blocks')
    """

    def __init__(
        self,
        workbench: Workbench,
        sandbox: Sandbox,
        *,
        reset: Callable[[], object] | None = None,
        seconds: float = SECONDS,
        step_limit: int = STEP_LIMIT,
    ) -> None:
        self._sandbox = sandbox
        self._reset = reset
        self._seconds = seconds
        self._watchdog = workbench.installation.watchdog
        self._session = workbench.session(self._scenario, setup=self._set_up, renewed=False, step_limit=step_limit)
        self._stack = ExitStack()
        self._calls: Sequence[Call] = ()
        self._returned: list[type] = []
        self._error: BaseException | None = None
        self._known: dict[tuple[Call, ...], SequentialResult] = {}
        self._slow: set[Method] = set()  # methods of which a call did not end in time
        self.executions = 0  # number of executions so far

    def __enter__(self) -> SequentialRunner:
        self._stack.enter_context(self._session)
        return self

    def __exit__(self, *exc: Any) -> None:
        self._stack.close()

    def run(self, calls: Sequence[Call]) -> SequentialResult:
        """Run the calls in this order, in one thread, until one of them does not return.

        The same calls are not run again, because every execution begins in the same state.
        """
        key = tuple(calls)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
            known = self._known[key] = self._run(key)
        return known

    def _run(self, calls: tuple[Call, ...]) -> SequentialResult:
        self._calls = calls
        scheduler = Sequential()
        scheduler.begin(self.executions + 1, self._session.known_points.version)
        deadline = self._watchdog.deadline
        is_suspicious = bool(self._slow) and any(call.method in self._slow for call in calls)
        seconds = min(self._seconds, RETRY_SECONDS) if is_suspicious else self._seconds
        self._session.end_by(min(deadline, time.monotonic() + seconds))
        try:
            outcome = self._session.run_for(scheduler).outcome
        finally:
            self._session.end_by(None if deadline == float("inf") else deadline)
        self.executions += 1
        stopped, blocks = "", False
        if self._error is None and len(self._returned) < len(calls):
            blocks = outcome.kind in (OutcomeKind.DEADLOCK, OutcomeKind.LOST_WAKEUP)
            stopped = outcome.message or ("the call takes too long" if outcome.kind == OutcomeKind.INTERRUPTED else "")
            stopped = "the call blocks" if blocks else stopped or str(outcome.kind)
            if outcome.kind == OutcomeKind.INTERRUPTED:
                self._slow.add(calls[len(self._returned)].method)
        return SequentialResult(calls, tuple(self._returned), self._error, stopped, blocks)

    def _set_up(self) -> None:
        if self._reset is None:
            self._sandbox.empty()
        else:
            self._reset()  # which also empties the sandbox
        self._returned, self._error = [], None

    def _scenario(self) -> None:
        values, me = Values(folder=self._sandbox.folder), getcurrent()
        for call in self._calls:
            try:
                result = make(call, values)
                if inspect.iscoroutine(result):
                    result.close()  # it would warn that it was never awaited
                    raise TypeError("the call returns a coroutine, which no thread runs")
            except Abort:
                raise
            except BaseException as error:
                if not (isinstance(me, Carrier) and me.engine.aborting):
                    self._error = error.with_traceback(None)  # frames would keep objects of the execution alive
                return
            self._returned.append(type(result))

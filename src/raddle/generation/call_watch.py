"""Watches the calls of generated tests: which are in progress, which methods have returned, and which are refused.

`binding.make` notifies the watch of the process, if there is one, of every call. A process has one watch, because the
calls in progress are a property of the process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from raddle.engine.carrier import Abort, Carrier, getcurrent
from raddle.generation.file_shortage import FileShortage
from raddle.generation.heartbeat import Heartbeat, encoded
from raddle.generation.portable import portable_call
from raddle.generation.slow_methods import SlowMethods
from raddle.generation.surface import Method
from raddle.generation.testcase import SHARED, Call
from raddle.inspection import name_of

_MAX_REMEMBERED = 5_000  # encoded calls to remember; they repeat in many executions
_LONGEST_TEXT = 120
_SLOW_SECONDS = 0.08  # a call that raddle had to end after this time counts as one that does not return
_DOES_NOT_RETURN = "does not return: it blocks outside raddle's control or computes for too long"
_clock = time.monotonic
_arguments_of = vars(BaseException)["args"].__get__


@dataclass(frozen=True, slots=True)
class MethodRecord:
    """How the calls of one method ended. Records of several processes can be added with `+`."""

    returned: int = 0
    error: str = ""  # the last exception, as "KeyError: 'a'"
    aborted: int = 0  # number of calls that raddle ended, because they blocked or took too long

    def __add__(self, other: MethodRecord) -> MethodRecord:
        return MethodRecord(self.returned + other.returned, other.error or self.error, self.aborted + other.aborted)


@dataclass(frozen=True, slots=True)
class Refusals:
    """The calls that are not made again, because they have ended a process or did not return, each with the reason."""

    methods: Mapping[Method, str] = field(default_factory=dict)  # all calls of these methods
    calls: Mapping[Call, str] = field(default_factory=dict)

    def reason(self, call: Call) -> str:
        """Return why a call is refused; "" if it is not."""
        return self.methods.get(call.method, "") or (self.calls.get(call, "") if self.calls else "")


class RefusedCallError(Exception):
    """Raised instead of making a call that has ended a process before."""


class CallWatch:
    """The watch of a process."""

    def __init__(
        self,
        heartbeat: Heartbeat | None = None,
        refusals: Refusals | None = None,
        *,
        after_call: Callable[[], object] = lambda: None,
    ) -> None:
        self._heartbeat = heartbeat
        self._after_call = after_call  # called while the call still counts as being in progress
        self._refusals = Refusals() if refusals is None else refusals
        self._slow = SlowMethods()
        self._has_slow = False
        self._constructor: Call | None = None  # the call that has created the object under test
        self.file_shortage = FileShortage()
        self._began = 0.0  # when the last call began
        self._encoded: dict[int, tuple[Call, bytes]] = {}  # by id; the calls are kept alive
        self._returned: dict[Method, int] = {}
        self._aborted: dict[Method, int] = {}
        self._errors: dict[Method, str] = {}
        self._ended: dict[Method, int] = {}  # number of calls that returned or raised an exception

    def begin(self, call: Call) -> int:
        """Record the beginning of a call; raise `RefusedCallError` if it must not be made."""
        if call.result == SHARED:
            self._constructor = call
        reason = self._refusals.reason(call)
        if self._has_slow and not reason:
            ended = self._ended.get(call.method, 0)
            is_slow = self._slow.are_given_up(self._constructor, call.method, ended=ended)
            reason = _DOES_NOT_RETURN if is_slow else ""
        if reason:
            raise RefusedCallError(reason)
        self._began = _clock()
        if self._heartbeat is None:
            return -1
        known = self._encoded.get(id(call))
        if known is None:
            if len(self._encoded) >= _MAX_REMEMBERED:
                self._encoded.clear()
            known = self._encoded[id(call)] = call, encoded(portable_call(call))
        return self._heartbeat.begin(known[1])

    def end(self, slot: int, call: Call, error: BaseException | None) -> None:
        """Record that a call returned or raised an exception."""
        self._after_call()
        if self._heartbeat is not None:
            self._heartbeat.end(slot)
        method = call.method
        if error is None:
            self._returned[method] = self._returned.get(method, 0) + 1
        elif type(error) is Abort:
            self._aborted[method] = self._aborted.get(method, 0) + 1
            self._note_slowness(method)
            return
        else:
            self._errors[method] = error_text(error)
            self.file_shortage.note(error)
        self._ended[method] = self._ended.get(method, 0) + 1

    def _note_slowness(self, method: Method) -> None:
        """Record that a call had to be ended after some time, although no thread was running.

        Calls in threads do not count: that they do not return can be a bug.
        """
        me = getcurrent()
        is_alone = isinstance(me, Carrier) and me.index == 0
        if is_alone and _clock() - self._began >= _SLOW_SECONDS:
            self._slow.add(self._constructor, method)
            self._has_slow = True

    @property
    def refused(self) -> dict[Method, str]:
        """The methods whose calls do not return, each with the reason."""
        return dict.fromkeys(self._slow.everywhere(self._ended), _DOES_NOT_RETURN)

    def records(self) -> dict[str, MethodRecord]:
        """Return how the calls of each method ended, by the name of the method."""
        found: dict[str, MethodRecord] = {}
        for method in {**self._returned, **self._aborted, **self._errors}:
            record = MethodRecord(
                self._returned.get(method, 0), self._errors.get(method, ""), self._aborted.get(method, 0)
            )
            found[str(method)] = found.get(str(method), MethodRecord()) + record
        return found


def error_text(error: BaseException) -> str:
    """Return an exception as text, without running code of its class.

    >>> error_text(KeyError("a")), error_text(OSError(2, "No such file")), error_text(ValueError())
    ("KeyError: 'a'", 'FileNotFoundError: No such file', 'ValueError')
    """
    texts = [argument for argument in _arguments_of(error) if type(argument) is str]
    text = texts[0].partition("\n")[0][:_LONGEST_TEXT] if texts else ""
    if text and issubclass(type(error), KeyError):
        text = repr(text)
    return name_of(type(error)) + (f": {text}" if text else "")


current: CallWatch | None = None  # the watch of this process; None if its calls are not watched


@contextmanager
def watching(watch: CallWatch) -> Iterator[CallWatch]:
    """Make this the watch of the process."""
    global current
    previous, current = current, watch
    try:
        yield watch
    finally:
        current = previous

"""Runs the search for bugs of a class in this process, and reports everything that happens as messages."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from raddle.errors import RaddleError
from raddle.generation.bug import Bug
from raddle.generation.call_watch import CallWatch, Refusals, watching
from raddle.generation.class_search import ClassSearch, Counts
from raddle.generation.file_shortage import is_shortage
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.heartbeat import Heartbeat
from raddle.generation.portable import portable_bug, portable_test
from raddle.generation.search_end import SearchEnd
from raddle.generation.search_messages import (
    Broken,
    Covered,
    Dismissed,
    Ended,
    Found,
    Message,
    Raised,
    Refused,
    Started,
    Status,
    Suspected,
)
from raddle.generation.strategy import Proposal

STATUS_SECONDS = 0.2  # time between two messages about the status
FIRST_COVERAGE_SECONDS = 2.0  # when the coverage is reported first; later reports come at twice the time


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to search."""

    cls: type
    options: GenerationOptions
    refusals: Refusals = field(default_factory=Refusals)
    keeps_tests: bool = False  # whether tests that raise coverage are reported


def run_search(
    request: SearchRequest,
    send: Callable[[Message], None],
    heartbeat: Heartbeat | None = None,
    *,
    after_call: Callable[[], object] = lambda: None,
) -> None:
    """Search, and send messages. The last one is an `Ended`, `Refused` or `Broken`, unless Ctrl-C ends the search.

    `send` returns once a message has been handled.
    """
    watch = CallWatch(heartbeat, request.refusals, after_call=after_call)
    reporter = _Reporter(send, watch)
    try:
        with watching(watch):
            search = _WatchedSearch(request, reporter, heartbeat)
            try:
                search.run()
            finally:
                reporter.send_status(search.counts, search.seconds)
        result = search.result()
        send(Ended(search.why_ended(), reporter.status, result.coverage, result.notes))
    except RaddleError as error:
        send(Refused(error))
    except Exception as error:
        if is_shortage(error) and heartbeat is not None:
            raise  # the parent continues in a new process
        send(Broken(traceback.format_exc()))


class _Reporter:
    """Sends messages about a search, not too often."""

    def __init__(self, send: Callable[[Message], None], watch: CallWatch) -> None:
        self.send = send
        self.status = Status()
        self._watch = watch
        self._next_status = 0.0
        self._next_coverage = FIRST_COVERAGE_SECONDS

    def send_status(self, counts: Counts, seconds: float) -> None:
        refused = {str(method): reason for method, reason in self._watch.refused.items()}
        self.status = Status(counts, seconds, self._watch.records(), refused)
        self.send(self.status)

    def on_bug(self, search: _WatchedSearch, bug: Bug) -> None:
        self.send_status(search.counts, search.seconds)  # the search may be ended now
        self.send(Found(portable_bug(bug)))

    def on_suspect(self, bug: Bug) -> None:
        self.send(Suspected(portable_bug(bug)))

    def on_test(self, search: _WatchedSearch, counts: Counts, seconds: float) -> None:
        now = time.monotonic()
        if now >= self._next_status:
            self._next_status = now + STATUS_SECONDS
            self.send_status(counts, seconds)
        if seconds >= self._next_coverage:
            self._next_coverage = 2 * seconds
            self.send(Covered(search.result().coverage))


class _WatchedSearch(ClassSearch):
    """A search that reports what it does, and that leaves out methods that have ended a process before."""

    def __init__(self, request: SearchRequest, reporter: _Reporter, heartbeat: Heartbeat | None) -> None:
        super().__init__(
            request.cls,
            request.options,
            on_bug=lambda bug: reporter.on_bug(self, bug),
            on_test=lambda counts, seconds: reporter.on_test(self, counts, seconds),
            on_suspect=reporter.on_suspect,
            on_dismissed=lambda: reporter.send(Dismissed()),
            is_stopping=lambda: heartbeat is not None and heartbeat.is_stopping,
        )
        methods = tuple(method for method in self.surface.methods if method not in request.refusals.methods)
        self.surface = replace(self.surface, methods=methods)
        self._request = request
        self._reporter = reporter

    def _search(self) -> None:
        self._reporter.send(Started())
        super()._search()

    def why_ended(self) -> SearchEnd:
        """Return why the search ended by itself."""
        options = self._request.options
        if self.nothing_works:
            return SearchEnd.NOTHING_WORKS
        is_full = options.max_tests is not None and self.counts.tests >= options.max_tests
        return SearchEnd.TESTS if is_full else SearchEnd.SECONDS

    def _try(self, proposal: Proposal) -> None:
        before = self._meter.covered("map")
        super()._try(proposal)
        gain = self._meter.covered("map") - before
        if gain and self._request.keeps_tests:
            self._reporter.send(Raised(portable_test(proposal.test), gain))

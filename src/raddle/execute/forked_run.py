"""Isolated executions: each runs in its own child process, so crashes and leftover state do not affect the parent.

The parent takes over the scheduling points and sites that a child finds. If a child process dies, a second child
repeats the execution and reports its state at the last recorded event.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from raddle.checks.crash import process_died
from raddle.engine.points import KnownPoints
from raddle.errors import RaddleError
from raddle.execute.crash_replay import SharedCounter
from raddle.execute.fork import ChildDiedError, ChildFailedError, in_child_with_exit
from raddle.execute.watchdog import Watchdog
from raddle.instrument import NotInstrumented
from raddle.outcome import Outcome
from raddle.site import Site, SiteTable

T = TypeVar("T")


class ChildState(NamedTuple):
    """The state that a child process changed and its parent must take over."""

    sites: set[int]  # sites that are scheduling points
    kinds: set[str]  # kinds of operation that are scheduling points
    not_instrumented: list[NotInstrumented]
    imported: tuple[tuple[int, Site], ...]  # sites in modules that the child imported, with their numbers
    paths: dict[str, str]  # maps the files of the sites in `imported` to their paths


class IsolatedRunner:
    """Runs executions in child processes, and takes over the scheduling points and sites that they find."""

    def __init__(
        self,
        table: SiteTable,
        known_points: Callable[[], KnownPoints],  # returns the current points, which the session may replace
        not_instrumented: list[NotInstrumented],
        watchdog: Watchdog,
    ) -> None:
        self.counter = SharedCounter()
        self._table = table
        self._known_points = known_points
        self._not_instrumented = not_instrumented
        self._watchdog = watchdog

    def run(self, run: Callable[[], T], so_far: Callable[[Outcome], T], nothing: Callable[[Outcome], T]) -> T:
        """Call `run` in a child process and return its result.

        If the child dies, repeat the execution in a second child up to the last recorded event, and return what
        `so_far` returns there. If the second child also dies, return what `nothing` returns.
        """

        def survive() -> T:
            run()
            return so_far(process_died(how))  # the first child died, but the second did not

        self.counter.begin()
        try:
            return self._result_of_child(run)
        except ChildDiedError as died:
            how = died.how
        if self.counter.count:
            self.counter.begin(last=self.counter.count)
            with suppress(ChildDiedError):  # the second child died at another event, so its state is unknown
                return self._result_of_child(survive, lambda thread: so_far(process_died(how, thread)))
        return nothing(process_died(how))

    def _result_of_child(self, run: Callable[[], T], at_last_event: Callable[[str], T] | None = None) -> T:
        """Call `run` in a child process, take over the state that it changed, and return its result.

        If `at_last_event` is given, it is called when the counter reaches the last event. The child then ends, and the
        value that `at_last_event` returned is the result.
        """
        site_count = len(self._table)

        def with_state(result: T) -> tuple[T, ChildState]:
            imported = tuple((number, self._table[number]) for number in islice(self._table, site_count, None))
            paths = {site.file: self._table.path(site.file) for _, site in imported}
            known_points = self._known_points()
            return result, ChildState(known_points.sites, known_points.kinds, self._not_instrumented, imported, paths)

        def in_child(exit_with: Callable[[Any], None]) -> Any:
            self._watchdog.start()
            if at_last_event is not None:
                self.counter.on_last = lambda thread: exit_with(with_state(at_last_event(thread)))
            return with_state(run())

        try:
            result, state = in_child_with_exit(in_child)
        except ChildFailedError as failed:
            raise RaddleError("child-died", f"an isolated execution ended without a result: {failed}") from None
        self._take_over(state)
        return result  # type: ignore[no-any-return]

    def _take_over(self, state: ChildState) -> None:
        known_points = self._known_points()
        for number in sorted(state.sites):
            known_points.add_site(number)
        for kind in sorted(state.kinds):
            known_points.add_kind(kind)
        self._not_instrumented[:] = state.not_instrumented
        for number, site in state.imported:
            self._table.add(number, (site,), file=site.file, path=state.paths[site.file])

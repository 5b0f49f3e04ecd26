"""Executions in children of this process, one each: what they break, and their death, are their own.

What a child finds out about the scenario is taken over. Of one that died as much is told as another one can tell, which
does the same up to the last moment.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from raddle.checks.crash import process_died
from raddle.engine.points import KnownPoints
from raddle.errors import RaddleError
from raddle.execute.crash_replay import Pulse
from raddle.execute.fork import ChildDiedError, ChildFailedError, told_by_child
from raddle.execute.watchdog import Watchdog
from raddle.instrument import NotInstrumented
from raddle.outcome import Outcome
from raddle.site import Site, SiteTable

T = TypeVar("T")


class News(NamedTuple):
    """What an execution in a child found out that its parent has to know."""

    sites: set[int]
    kinds: set[str]
    not_instrumented: list[NotInstrumented]
    imported: tuple[tuple[int, Site], ...]  # the sites of modules that were imported there, with their numbers
    paths: dict[str, str]  # their files


class Apart:
    """Runs what it is given in children, and adds what they learn to what is known here."""

    def __init__(
        self,
        table: SiteTable,
        known_points: Callable[[], KnownPoints],  # as it is at the time
        not_instrumented: list[NotInstrumented],
        watchdog: Watchdog,
    ) -> None:
        self.pulse = Pulse()
        self._table = table
        self._learned = known_points
        self._not_instrumented = not_instrumented
        self._watchdog = watchdog

    def run(self, run: Callable[[], T], so_far: Callable[[Outcome], T], nothing: Callable[[Outcome], T]) -> T:
        """Run in a child; if it dies, take what it was `so_far`, or `nothing` where that cannot be had."""

        def survive() -> T:
            run()
            return so_far(process_died(how))  # the other one did not

        self.pulse.begin()
        try:
            return self._told_by_child(run)
        except ChildDiedError as died:
            how = died.how
        if self.pulse.count:
            self.pulse.begin(last=self.pulse.count)
            with suppress(ChildDiedError):  # at another place, so that nothing can be told of it
                return self._told_by_child(survive, lambda thread: so_far(process_died(how, thread)))
        return nothing(process_died(how))

    def _told_by_child(self, run: Callable[[], T], last_words: Callable[[str], T] | None = None) -> T:
        """What a child has to say, and take over what was learnt there."""
        known = len(self._table)

        def told(answer: T) -> tuple[T, News]:
            imported = tuple((number, self._table[number]) for number in islice(self._table, known, None))
            paths = {site.file: self._table.path(site.file) for _, site in imported}
            known_points = self._learned()
            return answer, News(known_points.sites, known_points.kinds, self._not_instrumented, imported, paths)

        def inside(tell: Callable[[Any], None]) -> Any:
            self._watchdog.start()
            if last_words is not None:
                self.pulse.tell = lambda thread: tell(told(last_words(thread)))
            return told(run())

        try:
            answer, news = told_by_child(inside)
        except ChildFailedError as failed:
            raise RaddleError("child-died", f"an isolated execution ended without an answer: {failed}") from None
        self._take_over(news)
        return answer  # type: ignore[no-any-return]

    def _take_over(self, news: News) -> None:
        known_points = self._learned()
        for number in sorted(news.sites):
            known_points.site(number)
        for kind in sorted(news.kinds):
            known_points.kind(kind)
        self._not_instrumented[:] = news.not_instrumented
        for number, site in news.imported:
            self._table.add(number, (site,), file=site.file, path=news.paths[site.file])

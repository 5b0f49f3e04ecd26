"""The workbench: one installation on which many scenarios are explored, run and replayed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from raddle.corpus import CorpusEntry
from raddle.execute.domain import Domain
from raddle.execute.session import Execution, Session
from raddle.exploring.findings import replayed_finding
from raddle.exploring.progress import ProgressCallback
from raddle.exploring.results import make_result
from raddle.exploring.stop_rules import Budget
from raddle.exploring.units import Itself, SearchPlan, Unit, open_session, run_unit
from raddle.finding import Finding
from raddle.result import Result
from raddle.schedule import Schedule
from raddle.schedulers.base import Scheduler

FIRST = Budget(executions=1_000)  # the default budget: stop at the first finding or after 1,000 executions


class Workbench:
    """Runs scenarios of a domain on one installation, which is active inside the `with` block of the workbench.

    >>> import threading
    >>> from raddle.execute.thread_installation import Threads
    >>> from raddle.instrument import Selection
    >>> def scenario():
    ...     lock = threading.Lock()
    ...     threads = [threading.Thread(target=lock.acquire) for _ in range(2)]
    ...     for thread in threads: thread.start()
    ...     for thread in threads: thread.join()
    >>> with Workbench(Threads(Selection(root="/nowhere"))) as workbench:
    ...     finding = workbench.explore(scenario, scheduler="random").findings[0]
    ...     again = workbench.replay(scenario, finding.schedule)
    >>> finding.kind == again.kind == "deadlock"
    True
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self.installation = domain.install()

    def __enter__(self) -> Workbench:
        self.installation.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        self.installation.__exit__(*exc)

    def session(self, scenario: Callable[[], object], **options: Any) -> Session:
        """Return a session for a scenario; `options` are passed to `Session`."""
        return Session(scenario, self.installation, **options)

    def explore(
        self,
        scenario: Callable[[], object],
        *,
        scheduler: str = "portfolio",
        seed: int = 1,
        budget: Budget = FIRST,
        criteria: tuple[str, ...] = (),
        shrink: bool = True,
        **options: Any,
    ) -> Result:
        """Explore the interleavings of a scenario; `options` are passed to `Session`."""
        settings = {"measuring": bool(criteria), "criteria": criteria, **options}
        plan = SearchPlan(
            Itself(scenario),
            None,
            self._domain,
            settings,
            scheduler=scheduler,
            seed=seed,
            criteria=criteria,
            until=budget.until,
            shrink=shrink,
            keep=False,
        )
        return self.search(plan, budget)[0]

    def search(
        self,
        plan: SearchPlan,
        budget: Budget,
        *,
        corpus: tuple[CorpusEntry, ...] = (),
        progress: ProgressCallback | None = None,
    ) -> tuple[Result, tuple[CorpusEntry, ...]]:
        """Search in this process, as one unit; return the result and the corpus entries that no longer fit the code."""
        with open_session(plan, self.installation) as session:
            deadline = None if budget.seconds is None else time.time() + budget.seconds
            unit = Unit(plan, 0, budget.executions, deadline=deadline, corpus=corpus, of_several=False)
            done = run_unit(unit, session, progress=progress)
        return make_result(plan, done), done.unfit

    def run(self, scenario: Callable[[], object], scheduler: Scheduler, **options: Any) -> Execution:
        """Run a scenario once under a scheduler."""
        with self.session(scenario, **options) as session:
            scheduler.begin(1, session.known_points.version)
            return session.run_for(scheduler)

    def replay(self, scenario: Callable[[], object], schedule: str | Schedule, **options: Any) -> Finding | None:
        """Run a scenario once with a schedule; return the finding, or None if the execution passes."""
        schedule = Schedule.parse(schedule) if isinstance(schedule, str) else schedule
        with self.session(scenario, **options) as session:
            return replayed_finding(session, schedule)

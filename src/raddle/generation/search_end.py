"""The reasons why the search for bugs of a class ends."""

from __future__ import annotations

from raddle.stop_reason import Reason


class SearchEnd(Reason):
    """The reasons to end a search. `docs/formats.md` describes each reason.

    >>> SearchEnd("seconds").sentence
    'stopped: time limit reached'
    """

    SECONDS = "seconds", "stopped: time limit reached"
    TESTS = "tests", "stopped: limit on tests reached"
    MANY_BUGS = "many-bugs", "stopped: enough bugs found; fix some of them first"
    INTERRUPTED = "interrupted", "interrupted"
    REJECTED = "rejected", "not tested: the class is of a kind that cannot be tested"
    UNBUILDABLE = "unbuildable", "not tested: no instance can be created"
    NO_METHODS = "no-methods", "stopped: no method is left that can be called"
    NOTHING_WORKS = "nothing-works", "stopped: no method works, so there is nothing to test"
    PROCESS_DIES = "process-dies", "stopped: the process of the search keeps dying"
    INTERNAL_ERROR = "internal-error", "stopped by an internal error of raddle"

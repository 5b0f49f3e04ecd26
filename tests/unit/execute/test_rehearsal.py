"""Differences between rehearsals lead to notes and findings.

The totals of a run include the executions and scheduling points of its rehearsals.
"""

from __future__ import annotations

import re
import threading

import raddle

SEEN = []


class Cache:
    def __init__(self):
        self.filled = 0
        self.checked = 0

    def fill(self):
        self.filled += 1

    def check(self):
        self.checked += 1


def run(function):
    threads = [threading.Thread(target=function) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fills_only_the_first_time():
    cache = Cache()
    known = bool(SEEN)
    SEEN.append(1)
    run(cache.check if known else cache.fill)


def does_something_else_every_time():
    cache = Cache()
    SEEN.append(1)
    run([cache.fill, cache.check][len(SEEN) % 2 - 1])


def explored(scenario, **options):
    SEEN.clear()
    return raddle.explore(scenario, source=[__file__], **{"executions": 5, "until": "budget", **options})


def test_a_note_says_how_the_first_execution_differs_from_the_second():
    (note,) = [note for note in explored(fills_only_the_first_time).notes if "first execution differs" in note]
    assert re.search(r"where the first did 'T1 [^']* Cache\.fill', the second did 'T1 [^']* Cache\.check'", note)


def test_a_divergence_says_what_happened_in_each_execution():
    (finding,) = explored(does_something_else_every_time).findings
    assert finding.kind == "divergence"
    expected = r"where the first did 'T1 [^']* Cache\.fill', the second did 'T1 [^']* Cache\.check'"
    assert re.search(expected, finding.message)


def fails_the_second_time():
    SEEN.append(1)
    if len(SEEN) == 2:
        raise ValueError("two")


def test_a_divergence_says_how_each_execution_ended():
    (finding,) = explored(fails_the_second_time).findings
    assert "the first ended with 'passed', the second with 'exception: ValueError: two'" in finding.message


def test_scheduling_points_of_two_differing_executions_are_counted():
    result = explored(does_something_else_every_time)
    assert result.executions == 2
    assert result.scheduling_points >= 2 * 4  # each execution starts two threads and joins them


class Flag:
    def __init__(self):
        self.up = False


def spins():
    flag = Flag()

    def wait():
        while not flag.up:
            pass

    run(wait)


def test_scheduling_points_of_an_execution_that_reaches_the_step_limit_are_counted():
    # The search stops after the first execution, because that execution reaches the step limit.
    result = explored(spins, step_limit=500, criteria="default", until="saturated")
    assert (result.outcome, result.executions) == ("step-limit", 1)
    assert result.scheduling_points > 500
    assert result.tally.executions == 0


def test_scheduling_points_of_a_failing_rehearsal_are_counted():
    def fails():
        run(Cache().fill)
        raise ValueError("always")

    result = explored(fails, until="first-finding", executions=None)
    assert (result.outcome, result.executions) == ("exception", 1)
    assert result.scheduling_points >= 4

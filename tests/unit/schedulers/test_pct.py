"""PCT gives a spinning thread the lowest priority."""

from __future__ import annotations

import threading

from fake_threads import Do, Fake

import raddle
from raddle.schedulers.pct import PCT, SPINNING


class Gate:
    def __init__(self):
        self.open = False

    def wait(self):
        while not self.open:
            pass

    def prepare(self):
        self.open = True


def test_every_spinning_thread_gets_a_turn():
    # At depth 1 there are no priority changes. The thread with the highest priority runs `SPINNING` steps and then
    # counts as spinning. The second thread does the same, and then the third one runs.
    things: dict[str, object] = {}
    threads = [Fake(number, [Do("read", "flag")], things) for number in (1, 2, 3)]
    pct = PCT(seed=1, depth=1)
    pct.begin(1, 0)
    chosen = [pct.choose(threads, None).index for _ in range(2 * SPINNING + 1)]
    first, second, third = dict.fromkeys(chosen)
    assert {first, second, third} == {1, 2, 3}
    assert chosen == [first] * SPINNING + [second] * SPINNING + [third]


def test_two_threads_waiting_in_a_loop_do_not_starve_the_third():
    # Both waiting threads may have a higher priority than the third. If a spinning thread gave way for only one step,
    # these two would keep alternating.
    def scenario():
        gate = Gate()
        threads = [threading.Thread(target=body) for body in (gate.wait, gate.prepare, gate.wait)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    result = raddle.explore(scenario, scheduler="pct", executions=20, until="budget", seed=1, source=[__name__])
    assert (result.executions, result.outcome) == (20, "passed")

"""PCT: who spins falls below everybody else."""

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


def test_everybody_has_a_turn_where_all_the_others_spin():
    # Without changes (depth 1) the highest of three runs SPINNING steps after its first, then the next one, then the
    # last one: 1 + SPINNING choices are the first's, of which the last one goes to the second already.
    things: dict[str, object] = {}
    threads = [Fake(number, [Do("read", "flag")], things) for number in (1, 2, 3)]
    pct = PCT(seed=1, depth=1)
    pct.begin(1, 0)
    chosen = [pct.choose(threads, None).index for _ in range(2 * SPINNING + 1)]
    first, second, third = dict.fromkeys(chosen)
    assert {first, second, third} == {1, 2, 3}
    assert chosen == [first] * SPINNING + [second] * SPINNING + [third]


def test_two_threads_that_wait_in_a_loop_do_not_keep_the_third_from_opening():
    # If both have a higher priority than the third, one turn for just anybody is always the other one's.
    def scenario():
        gate = Gate()
        threads = [threading.Thread(target=body) for body in (gate.wait, gate.prepare, gate.wait)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    result = raddle.explore(scenario, scheduler="pct", executions=20, until="budget", seed=1, source=[__name__])
    assert (result.executions, result.outcome) == (20, "passed")

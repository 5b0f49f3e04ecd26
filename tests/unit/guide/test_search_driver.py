"""A search: what is evaluated, what it remembers, and when it stops."""

from __future__ import annotations

import pytest

from raddle.tally import Tally
from raddle.tuning.algorithms import ALGORITHMS, hill_climbing, random_search
from raddle.tuning.configurations import SCALE, Dimension, Space
from raddle.tuning.search import Limits, Measured, Search

LINE = Space((Dimension("x", tuple(range(30)), SCALE),), lambda values: values["x"])
NEVER = 10**9


def covering(keys, executions=2):
    tally = Tally()
    for execution in range(1, executions + 1):
        tally.add(execution, "map", [(key,) for key in keys])
    return tally


def fitness(tally):
    return float(tally.counts().get("map", 0))


def searching(evaluate, *, algorithm=random_search, limits=None, **options):
    asked = []

    def noted(configuration, seconds):
        asked.append(configuration)
        return evaluate(configuration)

    limits = limits or Limits(saturation=NEVER)
    return Search(LINE, noted, fitness=fitness, algorithm=algorithm, seed=1, limits=limits, **options), asked


def test_each_configuration_is_evaluated_once_and_the_space_comes_to_an_end():
    search, asked = searching(lambda x: Measured(covering(range(x))))
    found = search.run()
    assert found.stopped_because == "no-other"
    assert sorted(asked) == list(range(30))
    assert [one.number for one in found.evaluations] == list(range(1, 31))


def test_hill_climbing_finds_the_best_configuration():
    # x covers as many requirements as it is away from the farther end of 0..29: one top, at 12.
    search, _ = searching(lambda x: Measured(covering(range(29 - abs(x - 12)))), algorithm=hill_climbing)
    (best,) = search.run().best(1)
    assert (best.configuration, best.fitness) == (12, 29.0)


def test_fitness_is_of_one_evaluation_and_new_of_all():
    # 3 covers {0, 1, 2}; after it 5 covers two more, whichever comes first.
    def evaluate(x):
        return Measured(covering(range({3: 3, 5: 5}.get(x, 0))))

    search, asked = searching(evaluate)
    found = search.run()
    by_x = {one.configuration: one for one in found.evaluations}
    assert (by_x[3].fitness, by_x[5].fitness, by_x[7].fitness) == (3.0, 5.0, 0.0)
    in_order = [by_x[3].new, by_x[5].new] if asked.index(3) < asked.index(5) else [by_x[5].new, by_x[3].new]
    assert in_order == ([3, 2] if asked.index(3) < asked.index(5) else [5, 0])
    assert found.tally.counts() == {"map": 5}
    assert found.tally.executions == 30 * 2


def test_the_best_are_the_fittest_and_of_equals_the_first():
    search, asked = searching(lambda x: Measured(covering(range(x // 10))))
    best = search.run().best(30)
    expected = sorted(asked, key=lambda x: (-(x // 10), asked.index(x)))
    assert [one.configuration for one in best] == expected


def test_it_is_saturated_when_so_many_brought_nothing_new():
    # Everything is covered by the first: five more are needed.
    search, asked = searching(lambda x: Measured(covering([1])), limits=Limits(saturation=5))
    found = search.run()
    assert (found.stopped_because, found.quiet(), len(asked)) == ("saturated", 5, 6)


def test_a_quarter_of_all_has_to_be_quiet():
    # The first 16 bring one new requirement each. With n after them, n >= max(2, (16 + n) / 4): n = 6 is
    # the least, for 5 < 21 / 4 <= 6 = 22 / 4 rounded up.
    seen = []

    def evaluate(x):
        seen.append(x)
        return Measured(covering(range(min(len(seen), 16))))

    search, asked = searching(evaluate, limits=Limits(saturation=2))
    found = search.run()
    assert (found.stopped_because, found.quiet(), len(asked)) == ("saturated", 6, 22)


def test_nothing_covered_at_all_is_saturated_too():
    search, asked = searching(lambda x: Measured(Tally()), limits=Limits(saturation=4))
    assert (search.run().stopped_because, len(asked)) == ("saturated", 4)


def test_the_number_of_evaluations_is_kept():
    search, asked = searching(lambda x: Measured(covering([x])), limits=Limits(evaluations=7, saturation=NEVER))
    assert (search.run().stopped_because, len(asked)) == ("evaluations", 7)


def test_the_time_is_looked_at_after_each_evaluation():
    left = []

    def evaluate(x, seconds):
        left.append(seconds)
        return Measured(covering([x]))

    limits = Limits(seconds=1e-9, saturation=NEVER)
    search = Search(LINE, evaluate, fitness=fitness, algorithm=random_search, seed=1, limits=limits)
    assert search.run().stopped_because == "seconds"
    assert len(left) == 1
    assert left[0] <= 1e-9


def test_what_was_found_until_an_interrupt_is_kept():
    def evaluate(x):
        if len(asked) == 4:
            raise KeyboardInterrupt
        return Measured(covering([x]))

    search, asked = searching(evaluate)
    found = search.run()
    assert found.stopped_because == "interrupted"
    assert [one.configuration for one in found.evaluations] == asked[:3]
    assert found.tally.counts() == {"map": 3}


def test_an_evaluation_that_was_cut_counts_but_is_not_compared():
    search, asked = searching(lambda x: Measured(covering([1, 2]), ended="interrupted"))
    found = search.run()
    assert (found.stopped_because, len(asked)) == ("interrupted", 1)
    assert found.best(5) == []
    assert found.tally.counts() == {"map": 2}


def test_an_evaluation_that_saw_everything_ends_the_search():
    search, asked = searching(lambda x: Measured(covering([1, 2]), ended="exhausted"))
    found = search.run()
    assert (found.stopped_because, len(asked), len(found.best(5))) == ("exhausted", 1, 1)


def test_the_first_configuration_is_not_proposed_but_evaluated():
    search, asked = searching(lambda x: Measured(covering([x])), first=29, limits=Limits(evaluations=3))
    search.run()
    assert asked[0] == 29
    assert len(set(asked)) == 3


def test_chances_are_those_of_all_executions():
    # Two evaluations of 2 executions: requirement 1 in all 4, requirements of x alone in one evaluation's 2.
    search, _ = searching(lambda x: Measured(covering([1], 1)), limits=Limits(evaluations=2, saturation=NEVER))
    assert search.run().chances() == {"map": 0.0}
    # One execution each, each with a requirement of its own: 2 singletons in 2 executions.
    search, _ = searching(lambda x: Measured(covering([x], 1)), limits=Limits(evaluations=2, saturation=NEVER))
    assert search.run().chances() == {"map": 1.0}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_same_seed_gives_the_same_search(name):
    def run(seed):
        options = {"fitness": fitness, "algorithm": ALGORITHMS[name], "limits": Limits(evaluations=15)}
        found = Search(LINE, lambda x, _: Measured(covering(range(x % 7))), seed=seed, **options).run()
        return found.evaluations, found.stopped_because

    assert run(3) == run(3)
    assert run(3) != run(4)

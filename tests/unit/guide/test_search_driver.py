"""The search over configurations: which ones it evaluates, what it reports, and when it stops."""

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


def make_search(evaluate, *, algorithm=random_search, limits=None, **options):
    evaluated = []

    def record_and_evaluate(configuration, seconds):
        evaluated.append(configuration)
        return evaluate(configuration)

    limits = limits or Limits(saturation=NEVER)
    return Search(
        LINE, record_and_evaluate, fitness=fitness, algorithm=algorithm, seed=1, limits=limits, **options
    ), evaluated


def test_each_configuration_is_evaluated_once_until_none_is_left():
    search, evaluated = make_search(lambda x: Measured(covering(range(x))))
    found = search.run()
    assert found.stopped_because == "no-other"
    assert sorted(evaluated) == list(range(30))
    assert [evaluation.number for evaluation in found.evaluations] == list(range(1, 31))


def test_hill_climbing_finds_the_best_configuration():
    # Configuration x covers 29 - |x - 12| requirements, so the only maximum is at 12.
    search, _ = make_search(lambda x: Measured(covering(range(29 - abs(x - 12)))), algorithm=hill_climbing)
    (best,) = search.run().best(1)
    assert (best.configuration, best.fitness) == (12, 29.0)


def test_fitness_counts_one_evaluation_and_new_compares_with_all_earlier_ones():
    # Configuration 3 covers requirements 0 to 2, and configuration 5 covers two more. So `new` depends on which one is
    # evaluated first.
    def evaluate(x):
        return Measured(covering(range({3: 3, 5: 5}.get(x, 0))))

    search, evaluated = make_search(evaluate)
    found = search.run()
    by_x = {evaluation.configuration: evaluation for evaluation in found.evaluations}
    assert (by_x[3].fitness, by_x[5].fitness, by_x[7].fitness) == (3.0, 5.0, 0.0)
    in_order = [by_x[3].new, by_x[5].new] if evaluated.index(3) < evaluated.index(5) else [by_x[5].new, by_x[3].new]
    assert in_order == ([3, 2] if evaluated.index(3) < evaluated.index(5) else [5, 0])
    assert found.tally.counts() == {"map": 5}
    assert found.tally.executions == 30 * 2


def test_the_best_are_the_fittest_with_ties_in_evaluation_order():
    search, evaluated = make_search(lambda x: Measured(covering(range(x // 10))))
    best = search.run().best(30)
    expected = sorted(evaluated, key=lambda x: (-(x // 10), evaluated.index(x)))
    assert [evaluation.configuration for evaluation in best] == expected


def test_the_search_is_saturated_after_enough_evaluations_without_new_coverage():
    # The first evaluation covers everything, so the search stops after five more evaluations.
    search, evaluated = make_search(lambda x: Measured(covering([1])), limits=Limits(saturation=5))
    found = search.run()
    assert (found.stopped_because, found.quiet(), len(evaluated)) == ("saturated", 5, 6)


def test_saturation_needs_a_quarter_of_all_evaluations_without_new_coverage():
    # The first 16 evaluations cover one new requirement each. The search stops after n more evaluations, where n is the
    # smallest number with n >= max(2, (16 + n) / 4). That is 6, because 5 < 21 / 4, but 6 >= 22 / 4.
    calls = []

    def evaluate(x):
        calls.append(x)
        return Measured(covering(range(min(len(calls), 16))))

    search, evaluated = make_search(evaluate, limits=Limits(saturation=2))
    found = search.run()
    assert (found.stopped_because, found.quiet(), len(evaluated)) == ("saturated", 6, 22)


def test_a_search_that_covers_nothing_is_saturated():
    search, evaluated = make_search(lambda x: Measured(Tally()), limits=Limits(saturation=4))
    assert (search.run().stopped_because, len(evaluated)) == ("saturated", 4)


def test_the_search_stops_after_the_given_number_of_evaluations():
    search, evaluated = make_search(lambda x: Measured(covering([x])), limits=Limits(evaluations=7, saturation=NEVER))
    assert (search.run().stopped_because, len(evaluated)) == ("evaluations", 7)


def test_the_time_budget_is_checked_after_each_evaluation():
    seconds_left = []

    def evaluate(x, seconds):
        seconds_left.append(seconds)
        return Measured(covering([x]))

    limits = Limits(seconds=1e-9, saturation=NEVER)
    search = Search(LINE, evaluate, fitness=fitness, algorithm=random_search, seed=1, limits=limits)
    assert search.run().stopped_because == "seconds"
    assert len(seconds_left) == 1
    assert seconds_left[0] <= 1e-9


def test_an_interrupt_keeps_earlier_evaluations():
    def evaluate(x):
        if len(evaluated) == 4:
            raise KeyboardInterrupt
        return Measured(covering([x]))

    search, evaluated = make_search(evaluate)
    found = search.run()
    assert found.stopped_because == "interrupted"
    assert [evaluation.configuration for evaluation in found.evaluations] == evaluated[:3]
    assert found.tally.counts() == {"map": 3}


def test_an_interrupted_evaluation_adds_coverage_but_is_not_ranked():
    search, evaluated = make_search(lambda x: Measured(covering([1, 2]), ended="interrupted"))
    found = search.run()
    assert (found.stopped_because, len(evaluated)) == ("interrupted", 1)
    assert found.best(5) == []
    assert found.tally.counts() == {"map": 2}


def test_an_exhaustive_evaluation_ends_the_search():
    search, evaluated = make_search(lambda x: Measured(covering([1, 2]), ended="exhausted"))
    found = search.run()
    assert (found.stopped_because, len(evaluated), len(found.best(5))) == ("exhausted", 1, 1)


def test_the_given_first_configuration_is_evaluated_first():
    search, evaluated = make_search(lambda x: Measured(covering([x])), first=29, limits=Limits(evaluations=3))
    search.run()
    assert evaluated[0] == 29
    assert len(set(evaluated)) == 3


def test_chances_are_estimated_from_all_executions():
    # Two evaluations of one execution each. Both cover requirement 1, so there are no singletons.
    search, _ = make_search(lambda x: Measured(covering([1], 1)), limits=Limits(evaluations=2, saturation=NEVER))
    assert search.run().chances() == {"map": 0.0}
    # Each execution covers a different requirement: 2 singletons in 2 executions.
    search, _ = make_search(lambda x: Measured(covering([x], 1)), limits=Limits(evaluations=2, saturation=NEVER))
    assert search.run().chances() == {"map": 1.0}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_same_seed_gives_the_same_search(name):
    def run(seed):
        options = {"fitness": fitness, "algorithm": ALGORITHMS[name], "limits": Limits(evaluations=15)}
        found = Search(LINE, lambda x, _: Measured(covering(range(x % 7))), seed=seed, **options).run()
        return found.evaluations, found.stopped_because

    assert run(3) == run(3)
    assert run(3) != run(4)

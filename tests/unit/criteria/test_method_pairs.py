"""Method pairs: what is covered, by hand and by brute force, and out of how many."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from raddle.criteria import make_criteria
from raddle.criteria.method_pairs import MethodPairs
from raddle.entities import Entities
from raddle.pruning_facts import PruningFacts
from raddle.static_model import StaticModel
from raddle.step import Step
from raddle.tally import Key

# Where functions are entered; each is left at the site with a number higher by 100.
FUNCTIONS = {
    70001: "shop.py:Cart.add",
    70002: "shop.py:Cart.total",
    70003: "shop.py:Cart._check",  # not public
    70004: "shop.py:Cart.__getitem__",  # public
    70005: "shop.py:Gift.wrap",  # Gift inherits from Cart
    70006: "shop.py:pay",  # no method
    70007: "shop.py:pay.<locals>.Till.add",  # of another class
}
ADD, TOTAL, CHECK, GET, WRAP, PAY, TILL_ADD = FUNCTIONS
CART, GIFT, TILL = "shop.py:Cart", "shop.py:Gift", "shop.py:pay.<locals>.Till"


def make(classes: dict[int, str] | None = None) -> Entities:
    entities = Entities()
    entities.functions = FUNCTIONS | {site + 100: function for site, function in FUNCTIONS.items()}
    entities.classes = classes or {}
    return entities


def enter(thread: int, site: int, target: int = 1) -> Step:
    return thread, "enter", target, site


def leave(thread: int, site: int) -> Step:
    return thread, "leave", 0, site + 100


def covered(*steps: Step, classes: dict[int, str] | None = None) -> set[Key]:
    criterion = MethodPairs()
    criterion.begin(make(classes))
    criterion.feed(steps)
    return criterion.collect(final=True)


# -- by hand ----------------------------------------------------------------------------------------


def test_one_starts_while_the_other_is_active() -> None:
    assert covered(enter(1, TOTAL), enter(2, ADD)) == {(CART, "add", "total")}
    assert covered(enter(1, ADD), enter(2, TOTAL)) == {(CART, "add", "total")}


def test_not_after_it_was_left() -> None:
    assert covered(enter(1, TOTAL), leave(1, TOTAL), enter(2, ADD)) == set()


def test_the_same_method_twice() -> None:
    assert covered(enter(1, ADD), enter(2, ADD)) == {(CART, "add", "add")}


def test_not_in_the_same_thread() -> None:
    assert covered(enter(1, ADD), enter(1, TOTAL)) == set()


def test_not_on_another_object() -> None:
    assert covered(enter(1, ADD, 1), enter(2, TOTAL, 2)) == set()


def test_public_methods_only() -> None:
    assert covered(enter(1, CHECK), enter(2, ADD), enter(3, PAY), enter(4, GET)) == {(CART, "__getitem__", "add")}


def test_what_a_method_calls_is_active_and_so_is_the_method() -> None:
    # Thread 1 is in add, which called total.
    assert covered(enter(1, ADD), enter(1, TOTAL), enter(2, GET)) == {
        (CART, "__getitem__", "add"), (CART, "__getitem__", "total"),
    }  # fmt: skip


def test_active_until_the_outermost_call_is_left() -> None:
    inner = [enter(1, ADD), enter(1, ADD), leave(1, ADD)]
    assert covered(*inner, enter(2, TOTAL)) == {(CART, "add", "total")}
    assert covered(*inner, leave(1, ADD), enter(2, TOTAL)) == set()


def test_what_has_no_object_meets_all_objects_of_its_class() -> None:
    # Here total is a static method: its target is 0.
    assert covered(enter(1, TOTAL, 0), enter(2, ADD, 7)) == {(CART, "add", "total")}
    assert covered(enter(1, ADD, 7), enter(2, TOTAL, 0)) == {(CART, "add", "total")}
    assert covered(enter(1, TOTAL, 0), enter(2, TOTAL, 0)) == {(CART, "total", "total")}
    assert covered(enter(1, TOTAL, 0), enter(2, TILL_ADD, 7)) == set()  # another class


def test_inherited_methods_count_for_the_class_of_the_object() -> None:
    steps = [enter(1, ADD), enter(2, WRAP), enter(3, TOTAL)]
    expected = {(GIFT, "add", "wrap"), (GIFT, "add", "total"), (GIFT, "total", "wrap")}
    assert covered(*steps, classes={1: GIFT}) == expected
    # Nobody said what the object is: only methods of one class are known to belong together.
    assert covered(*steps) == {(CART, "add", "total")}


def test_a_generator_left_before_its_caller_and_by_another_thread() -> None:
    # Thread 1 enters add, and total in it, a generator; it leaves add first. Thread 2 runs total to its end.
    steps = [enter(1, ADD), enter(1, TOTAL), leave(1, ADD)]
    assert covered(*steps, enter(2, GET)) == {(CART, "__getitem__", "total")}
    assert covered(*steps, leave(2, TOTAL), enter(2, GET)) == set()


def test_who_has_ended_is_in_no_method() -> None:
    assert covered(enter(1, TOTAL), (1, "end", 1, 0), enter(2, ADD)) == set()


def test_told_once_in_each_execution() -> None:
    criterion = MethodPairs()
    for _ in range(2):
        criterion.begin(make())
        criterion.feed([enter(1, ADD)])
        assert criterion.collect(final=False) == set()
        criterion.feed([enter(2, ADD)])
        assert criterion.collect(final=False) == {(CART, "add", "add")}
        criterion.feed([leave(2, ADD), enter(2, ADD), enter(2, TOTAL)])
        assert criterion.collect(final=True) == {(CART, "add", "total")}


# -- totals -----------------------------------------------------------------------------------------

MODEL = StaticModel(methods={GIFT: {"wrap": WRAP, "add": ADD, "total": TOTAL}, TILL: {"add": TILL_ADD}})


def test_total() -> None:
    # Three methods make 3 pairs and 3 of a method with itself; one method makes one.
    criterion = MethodPairs()
    assert str(criterion.total(MODEL, PruningFacts())) == "7 (static)"
    assert str(criterion.static_total(StaticModel())) == "nothing to cover"


def test_requirements() -> None:
    assert list(MethodPairs().requirements(MODEL, PruningFacts())) == [
        (GIFT, "add", "add"), (GIFT, "add", "total"), (GIFT, "add", "wrap"),
        (GIFT, "total", "total"), (GIFT, "total", "wrap"), (GIFT, "wrap", "wrap"), (TILL, "add", "add"),
    ]  # fmt: skip


def test_home_is_where_the_first_method_begins() -> None:
    criterion = MethodPairs()
    assert criterion.home((GIFT, "total", "wrap")) == 0
    criterion.total(MODEL, PruningFacts())
    assert criterion.home((GIFT, "total", "wrap")) == TOTAL
    assert criterion.home(("elsewhere.py:C", "f", "g")) == 0


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ((CART, "add", "total"), "thread A starts `Cart.add` while thread B is in `Cart.total`"),
        ((TILL, "add", "add"), "thread A starts `Till.add` while thread B is in `Till.add`"),
    ],
)
def test_said_to_people(key: Key, said: str) -> None:
    (criterion,) = make_criteria("method-pairs")
    assert criterion.explain(key, {}) == said


# -- by brute force ---------------------------------------------------------------------------------

Open = tuple[int, int, int]  # thread, target, enter site


def still_open(steps: Sequence[Step]) -> list[Open]:
    """Calls entered and not left: each leave ends the last such call of its function, by its own thread if it can."""
    calls: list[Open] = []
    for thread, kind, target, site in steps:
        if kind == "enter":
            calls.append((thread, target, site))
        elif kind == "leave":
            same = [call for call in calls if call[2] == site - 100]
            own = [call for call in same if call[0] == thread]
            if same:
                last = own[-1] if own else same[-1]
                del calls[len(calls) - 1 - calls[::-1].index(last)]
        elif kind == "end":
            calls = [call for call in calls if call[0] != thread]
    return calls


def by_definition(steps: Sequence[Step], classes: dict[int, str]) -> set[Key]:
    def method(call: Open) -> tuple[str, str] | None:
        path, _, name = FUNCTIONS[call[2]].rpartition(".")
        public = not name.startswith("_") or name == "__getitem__"
        return (classes.get(call[1], path), name) if path != "shop" and public else None

    found: set[Key] = set()
    for place, (thread, kind, target, site) in enumerate(steps):
        started = method((thread, target, site)) if kind == "enter" else None
        for call in still_open(steps[:place]) if started else ():
            other = method(call)
            if started is None or other is None or call[0] == thread or other[0] != started[0]:
                continue
            if target == call[1] or target == 0 or call[1] == 0:
                found.add((started[0], *sorted((started[1], other[1]))))
    return found


def random_steps(rng: random.Random) -> list[Step]:
    steps: list[Step] = []
    for _ in range(rng.randrange(2, 40)):
        thread, site = rng.randrange(3), rng.choice(list(FUNCTIONS))
        mine = [step for step in still_open(steps) if step[0] == thread]
        if mine and rng.random() < 0.45:
            steps.append(leave(thread, (mine[-1] if rng.random() < 0.9 else rng.choice(mine))[2]))
        elif rng.random() < 0.03:
            steps.append((thread, "end", thread, 0))
        elif rng.random() < 0.1:
            steps.append((thread, "read", 0, 70900))
        else:
            # One class for each object: 1 and 2 are carts or gifts, 3 is a till, 0 is nobody.
            target = 3 if site == TILL_ADD else 0 if site == PAY else rng.choice([0, 1, 1, 2])
            steps.append(enter(thread, site, target))
    return steps


def test_random_traces() -> None:
    rng, criterion, pairs = random.Random(7), MethodPairs(), 0
    for _ in range(2000):
        steps = random_steps(rng)
        classes = {1: GIFT, 2: CART, 3: TILL} if rng.random() < 0.5 else {}
        criterion.begin(make(classes))
        middle = rng.randrange(len(steps) + 1)
        criterion.feed(steps[:middle])
        found = criterion.collect(final=False)
        criterion.feed(steps[middle:])
        found |= criterion.collect(final=True)
        assert found == by_definition(steps, classes), steps
        pairs += len(found)
    assert pairs > 2000

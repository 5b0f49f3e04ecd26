"""The criterion `method-pairs`: handwritten cases, totals, and a comparison with brute force."""

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

# Maps the site where a function is entered to the function. The function is left at the site with that number plus 100.
FUNCTIONS = {
    70001: "shop.py:Cart.add",
    70002: "shop.py:Cart.total",
    70003: "shop.py:Cart._check",  # not public
    70004: "shop.py:Cart.__getitem__",  # public
    70005: "shop.py:Gift.wrap",  # Gift inherits from Cart
    70006: "shop.py:pay",  # not a method
    70007: "shop.py:pay.<locals>.Till.add",  # a method of another class
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


def test_a_method_that_starts_while_another_is_active_covers_the_pair() -> None:
    assert covered(enter(1, TOTAL), enter(2, ADD)) == {(CART, "add", "total")}
    assert covered(enter(1, ADD), enter(2, TOTAL)) == {(CART, "add", "total")}


def test_a_method_that_has_returned_covers_no_pair() -> None:
    assert covered(enter(1, TOTAL), leave(1, TOTAL), enter(2, ADD)) == set()


def test_a_method_can_pair_with_itself() -> None:
    assert covered(enter(1, ADD), enter(2, ADD)) == {(CART, "add", "add")}


def test_two_methods_of_one_thread_cover_no_pair() -> None:
    assert covered(enter(1, ADD), enter(1, TOTAL)) == set()


def test_methods_of_different_objects_cover_no_pair() -> None:
    assert covered(enter(1, ADD, 1), enter(2, TOTAL, 2)) == set()


def test_only_public_methods_count() -> None:
    assert covered(enter(1, CHECK), enter(2, ADD), enter(3, PAY), enter(4, GET)) == {(CART, "__getitem__", "add")}


def test_a_method_stays_active_while_it_calls_another() -> None:
    # Thread 1 runs `add`, which has called `total`.
    assert covered(enter(1, ADD), enter(1, TOTAL), enter(2, GET)) == {
        (CART, "__getitem__", "add"), (CART, "__getitem__", "total"),
    }  # fmt: skip


def test_a_recursive_method_is_active_until_its_outermost_call_returns() -> None:
    inner = [enter(1, ADD), enter(1, ADD), leave(1, ADD)]
    assert covered(*inner, enter(2, TOTAL)) == {(CART, "add", "total")}
    assert covered(*inner, leave(1, ADD), enter(2, TOTAL)) == set()


def test_a_static_method_pairs_with_methods_of_any_object_of_its_class() -> None:
    # Here `total` is a static method, so its target is 0.
    assert covered(enter(1, TOTAL, 0), enter(2, ADD, 7)) == {(CART, "add", "total")}
    assert covered(enter(1, ADD, 7), enter(2, TOTAL, 0)) == {(CART, "add", "total")}
    assert covered(enter(1, TOTAL, 0), enter(2, TOTAL, 0)) == {(CART, "total", "total")}
    assert covered(enter(1, TOTAL, 0), enter(2, TILL_ADD, 7)) == set()  # a method of another class


def test_inherited_methods_count_for_the_class_of_the_object() -> None:
    steps = [enter(1, ADD), enter(2, WRAP), enter(3, TOTAL)]
    expected = {(GIFT, "add", "wrap"), (GIFT, "add", "total"), (GIFT, "total", "wrap")}
    assert covered(*steps, classes={1: GIFT}) == expected
    # Without the object's class, only methods defined in the same class are known to belong together.
    assert covered(*steps) == {(CART, "add", "total")}


def test_a_generator_may_be_left_after_its_caller_and_by_another_thread() -> None:
    # Thread 1 enters `add`, which enters the generator `total`. Thread 1 then leaves `add`, and thread 2 runs `total`
    # to completion.
    steps = [enter(1, ADD), enter(1, TOTAL), leave(1, ADD)]
    assert covered(*steps, enter(2, GET)) == {(CART, "__getitem__", "total")}
    assert covered(*steps, leave(2, TOTAL), enter(2, GET)) == set()


def test_a_thread_that_has_ended_is_in_no_method() -> None:
    assert covered(enter(1, TOTAL), (1, "end", 1, 0), enter(2, ADD)) == set()


def test_a_pair_is_collected_once_in_each_execution() -> None:
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


def test_the_total_counts_the_pairs_of_each_class() -> None:
    # Three methods form 3 pairs of different methods and 3 pairs of a method with itself. A single method forms one
    # pair.
    criterion = MethodPairs()
    assert str(criterion.total(MODEL, PruningFacts())) == "7 (static)"
    assert str(criterion.static_total(StaticModel())) == "nothing to cover"


def test_requirements_list_the_pairs_of_each_class() -> None:
    assert list(MethodPairs().requirements(MODEL, PruningFacts())) == [
        (GIFT, "add", "add"), (GIFT, "add", "total"), (GIFT, "add", "wrap"),
        (GIFT, "total", "total"), (GIFT, "total", "wrap"), (GIFT, "wrap", "wrap"), (TILL, "add", "add"),
    ]  # fmt: skip


def test_the_home_of_a_pair_is_the_start_of_its_first_method() -> None:
    criterion = MethodPairs()
    assert criterion.home((GIFT, "total", "wrap")) == 0
    criterion.total(MODEL, PruningFacts())
    assert criterion.home((GIFT, "total", "wrap")) == TOTAL
    assert criterion.home(("elsewhere.py:C", "f", "g")) == 0


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ((CART, "add", "total"), "thread A starts `Cart.add` while thread B is in `Cart.total`"),
        ((TILL, "add", "add"), "thread A starts `Till.add` while thread B is in `Till.add`"),
    ],
)
def test_explain_names_both_methods(key: Key, sentence: str) -> None:
    (criterion,) = make_criteria("method-pairs")
    assert criterion.explain(key, {}) == sentence


# -- by brute force ---------------------------------------------------------------------------------

Open = tuple[int, int, int]  # a call that has not returned: thread, target, enter site


def still_open(steps: Sequence[Step]) -> list[Open]:
    """Return the calls that were entered but not left.

    Each `leave` ends the last open call of its function, preferably a call by the same thread.
    """
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
        own_calls = [step for step in still_open(steps) if step[0] == thread]
        if own_calls and rng.random() < 0.45:
            steps.append(leave(thread, (own_calls[-1] if rng.random() < 0.9 else rng.choice(own_calls))[2]))
        elif rng.random() < 0.03:
            steps.append((thread, "end", thread, 0))
        elif rng.random() < 0.1:
            steps.append((thread, "read", 0, 70900))
        else:
            # Each object has one class: 1 and 2 are carts or gifts, 3 is a till, and 0 means no object.
            target = 3 if site == TILL_ADD else 0 if site == PAY else rng.choice([0, 1, 1, 2])
            steps.append(enter(thread, site, target))
    return steps


def test_coverage_agrees_with_brute_force_on_random_traces() -> None:
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

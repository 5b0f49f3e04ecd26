"""MAP requirements that locks, starts and joins make infeasible."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from raddle.analysis.feasibility import Feasibility
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.criteria.patterns import COUNTED, PATTERNS
from raddle.criteria.ruled_out import RuledOut
from raddle.entities import AbstractObject, AbstractVariable, Entities
from raddle.pruning_facts import Guard, LockDiscipline, OwnerFacts, PruningFacts, trimmed
from raddle.static_model import Accesses, StaticModel
from raddle.tally import PRUNED, STATIC, Total
from raddle.variable_scope import VariableScope

OWNER = "bank.py:Account"
INIT, READ, WRITE, OTHER = 70001, 70002, 70003, 70004


def entities(*, objects=1, locks=("bank.py:20",)):
    """Return objects with two variables each (x = 0, 2, ... and y = 1, 3, ...) and a lock for each line in `locks`."""
    made = Entities()
    for number in range(objects):
        for name in "xy":
            made.add_variable(AbstractVariable(OWNER, f"bank.py:{number}", name), number + 1)
    for place in locks:
        made.add_resource(AbstractObject("Lock", place))
    return made


def facts_of(*executions, given_entities=None):
    feasibility = Feasibility()
    for steps in executions:
        feasibility.begin(given_entities or entities())
        feasibility.feed(steps)
    return feasibility.facts()


def locked(thread, *accesses, lock=0):
    return [(thread, "acquire", lock, 0), *((thread, *access) for access in accesses), (thread, "release", lock, 0)]


def on_x(number, *sites):
    return (number, OWNER, "x", "", *sites)


def model(*, reads=(), writes=(), y=((), ())):
    variables = {(OWNER, "x"): Accesses(frozenset(reads), frozenset(writes))}
    if any(y):
        variables[OWNER, "y"] = Accesses(frozenset(y[0]), frozenset(y[1]))
    return StaticModel(variables)


# -- starts and joins -------------------------------------------------------------------------------

# T0 creates the object and starts T1, which reads it. T0 writes concurrently.
CONSTRUCTED = [(0, "write", 0, INIT), (0, "start", 1, 0), (1, "read", 0, READ), (0, "write", 0, WRITE)]


def test_no_access_by_another_thread_precedes_a_constructor():
    criterion = MemoryAccessPatterns()
    facts = facts_of(CONSTRUCTED)
    order = "thread starts and joins order step 2 before step 1"
    assert criterion.infeasible(on_x(1, READ, INIT), facts) == order
    assert criterion.infeasible(on_x(2, INIT, READ), facts) is None
    assert criterion.infeasible(on_x(1, READ, WRITE), facts) is None
    assert criterion.infeasible(on_x(2, WRITE, READ), facts) is None
    # The constructor was observed in only one thread, and it runs only before other threads access the object.
    private = "step 2 happens only before other threads access the object"
    assert criterion.infeasible(on_x(3, INIT, INIT), facts) == private
    assert criterion.infeasible(on_x(3, WRITE, INIT), facts) == private
    assert criterion.infeasible(on_x(3, INIT, WRITE), facts) is None
    assert criterion.infeasible(on_x(1, OTHER, INIT), facts) == private  # a site that was never observed


def test_the_total_excludes_accesses_before_a_constructor():
    """With R = 1 and W = 2 the static total is 4 + 4 + 2 + 12 + 8 = 30.

    Excluding requirements in which another thread acts before INIT leaves 13.

    * Pattern 1 keeps one (READ, WRITE), and pattern 2 keeps both.
    * Pattern 3 keeps two (any write, then WRITE).
    * Pattern 4 keeps one (WRITE in the middle), and pattern 5 keeps two (any write first, WRITE in the middle).
    * Pattern 6 keeps two (any write first, WRITE last).
    * Pattern 7 keeps one (WRITE twice), and pattern 8 keeps two (any write first, then WRITE twice).
    """
    criterion = MemoryAccessPatterns()
    account = model(reads=[READ], writes=[INIT, WRITE])
    assert criterion.static_total(account) == Total(30, STATIC)
    assert criterion.total(account, facts_of(CONSTRUCTED)) == Total(13, PRUNED)
    keys = list(criterion.requirements(account, facts_of(CONSTRUCTED)))
    assert Counter(key[0] for key in keys) == {1: 1, 2: 2, 3: 2, 4: 1, 5: 2, 6: 2, 7: 1, 8: 2}


def test_no_access_by_another_thread_follows_a_read_after_all_joins():
    criterion = MemoryAccessPatterns()
    facts = facts_of(
        [
            (0, "start", 1, 0), (1, "write", 0, WRITE), (1, "end", 1, 0), (0, "join", 1, 0), (0, "read", 0, READ),
        ]
    )  # fmt: skip
    assert criterion.infeasible(on_x(2, WRITE, READ), facts) is None
    assert criterion.infeasible(on_x(1, READ, WRITE), facts) == ("thread starts and joins order step 2 before step 1")
    assert criterion.infeasible(on_x(1, READ, OTHER), facts) == (
        "step 1 happens only after all accesses by other threads"
    )
    assert criterion.infeasible(on_x(4, READ, WRITE, READ), facts) is not None


def test_a_join_without_a_recorded_end_orders_nothing():
    facts = facts_of([(0, "start", 1, 0), (1, "write", 0, WRITE), (0, "join", 1, 0), (0, "read", 0, READ)])
    assert MemoryAccessPatterns().infeasible(on_x(1, READ, WRITE), facts) is None


def test_an_order_imposed_only_by_a_lock_rules_out_nothing():
    read, write = ("read", 0, READ), ("write", 0, WRITE)
    facts = facts_of([(0, "start", 1, 0), *locked(1, write), *locked(0, read)])
    assert MemoryAccessPatterns().infeasible(on_x(1, READ, WRITE), facts) is None


def test_one_execution_in_another_order_makes_requirements_feasible_again():
    criterion = MemoryAccessPatterns()
    reversed_order = [(0, "start", 1, 0), (1, "read", 0, READ), (0, "write", 0, INIT)]
    assert criterion.infeasible(on_x(1, READ, INIT), facts_of(CONSTRUCTED) + facts_of(reversed_order)) is None
    assert criterion.infeasible(on_x(1, READ, INIT), facts_of(reversed_order, CONSTRUCTED)) is None


# -- locks ------------------------------------------------------------------------------------------

INCREMENT = (("read", 0, READ), ("write", 0, WRITE))


def test_no_thread_comes_between_the_steps_of_a_critical_section():
    # Each thread runs READ and WRITE once, in one critical section. Pattern 7 (READ WRITE WRITE) needs another thread's
    # WRITE in between.
    criterion = MemoryAccessPatterns()
    facts = facts_of(locked(1, *INCREMENT) + locked(2, *INCREMENT))
    assert criterion.infeasible(on_x(7, READ, WRITE, WRITE), facts) == (
        "the Lock made at bank.py:20 is held from step 1 to step 3, and step 2 also needs it"
    )
    # The other three-step patterns need a thread to enter a second section. No thread was observed to do so, but it may
    # be possible.
    account = model(reads=[READ], writes=[WRITE])
    assert criterion.static_total(account) == Total(2 + 1 + 1 + 3 + 1, STATIC)
    assert criterion.total(account, facts) == Total(7, PRUNED)


def test_a_second_section_lets_other_threads_in_between():
    facts = facts_of(locked(1, *INCREMENT) + locked(2, *INCREMENT) + locked(1, *INCREMENT))
    assert MemoryAccessPatterns().infeasible(on_x(7, READ, WRITE, WRITE), facts) is None
    assert MemoryAccessPatterns().total(model(reads=[READ], writes=[WRITE]), facts) == Total(8, STATIC)


def test_waiting_within_a_section_lets_other_threads_in_between():
    waits = [(1, "acquire", 0, 0), (1, "read", 0, READ), (1, "release", 0, 0), (1, "acquire", 0, 0)]
    facts = facts_of([*waits, (1, "write", 0, WRITE), (1, "release", 0, 0), *locked(2, *INCREMENT)])
    assert MemoryAccessPatterns().infeasible(on_x(7, READ, WRITE, WRITE), facts) is None


def test_a_step_without_the_lock_can_come_in_between():
    facts = facts_of([*locked(1, *INCREMENT), (2, "write", 0, OTHER)])
    assert MemoryAccessPatterns().infeasible(on_x(7, READ, OTHER, WRITE), facts) is None
    assert MemoryAccessPatterns().infeasible(on_x(7, READ, WRITE, WRITE), facts) is not None


def test_separate_locks_for_separate_objects_count_as_one_guard():
    # Two accounts have a lock each, created at different lines. Each account's lock guards that account.
    accounts = entities(objects=2, locks=["bank.py:20", "bank.py:21"])
    second = tuple((kind, 2, site) for kind, _, site in INCREMENT)
    steps = [step for thread in (1, 2) for step in locked(thread, *INCREMENT) + locked(thread, *second, lock=1)]
    facts = facts_of(steps, given_entities=accounts)
    assert MemoryAccessPatterns().infeasible(on_x(7, READ, WRITE, WRITE), facts) is not None


def test_two_locks_with_the_same_description_guard_nothing():
    # Two threads access one account under different locks, which were created at the same line.
    accounts = entities(locks=["bank.py:20", "bank.py:20"])
    facts = facts_of(locked(1, *INCREMENT) + locked(2, *INCREMENT, lock=1), given_entities=accounts)
    assert MemoryAccessPatterns().infeasible(on_x(7, READ, WRITE, WRITE), facts) is None


# -- two variables ----------------------------------------------------------------------------------

X1, Y2, Y3, X4 = 70011, 70012, 70013, 70014
FORTH = (("write", 0, X1), ("write", 1, Y2))  # x, then y
BACK = (("write", 1, Y3), ("write", 0, X4))  # y, then x
CHAIN = (9, OWNER, "x", "y", X1, X4, Y3, Y2)  # X4 and then Y3, between X1 and Y2
CROSSING = (10, OWNER, "x", "y", X1, Y3, X4, Y2)  # X1 and Y3, then X4 and Y2


def test_two_sections_of_one_lock_do_not_cross():
    facts = facts_of(locked(1, *FORTH) + locked(2, *BACK))
    assert MemoryAccessPatterns().infeasible(CROSSING, facts) == (
        "the Lock made at bank.py:20 is held from step 1 to step 4, and step 2 also needs it"
    )
    assert MemoryAccessPatterns().infeasible(CHAIN, facts) is not None


def test_a_section_fits_between_two_others():
    # B acquires the lock separately for Y3 and for X4, so A's whole section can lie between them. But B's accesses
    # cannot lie within A's section.
    facts = facts_of(locked(2, BACK[0]) + locked(1, *FORTH) + locked(2, BACK[1]))
    assert MemoryAccessPatterns().infeasible(CROSSING, facts) is None
    assert MemoryAccessPatterns().infeasible(CHAIN, facts) is not None


def test_steps_without_a_lock_can_cross():
    facts = facts_of([*locked(1, *FORTH), *((2, *access) for access in BACK)])
    assert MemoryAccessPatterns().infeasible(CROSSING, facts) is None
    assert MemoryAccessPatterns().infeasible(CHAIN, facts) is None


# -- an own and an inherited variable ---------------------------------------------------------------

SAVINGS, OTHER_CLASS = "bank.py:Savings", "bank.py:Loan"
INHERITING = {SAVINGS: frozenset({OWNER}), OTHER_CLASS: frozenset({OWNER})}


def inheriting(*classes):
    """Return an object of each class with an inherited x (0, 2, ...) and an own y (1, 3, ...), and a lock for each."""
    made = Entities()
    for number, cls in enumerate(classes):
        made.add_variable(AbstractVariable(OWNER, "", "x", "" if cls == OWNER else cls), number + 1)
        made.add_variable(AbstractVariable(cls, "", "y"), number + 1)
        made.add_resource(AbstractObject("Lock", "bank.py:20"))
    return made


# In keys of two owners, y is qualified. Pattern 10 is symmetric, and its x is the variable whose owner comes first.
MIXED_CHAIN = (9, OWNER, "x", f"{SAVINGS}.y", X1, X4, Y3, Y2)
MIXED_CROSSING = (10, OWNER, "x", f"{SAVINGS}.y", X1, Y3, X4, Y2)
FORTH_ONLY = locked(1, *FORTH) + locked(2, *BACK)


def mixed_model(*classes):
    variables = {(OWNER, "x"): Accesses(writes=frozenset({X1, X4}))}
    variables |= {(cls, "y"): Accesses(writes=frozenset({Y2, Y3})) for cls in classes}
    return StaticModel(variables, bases=INHERITING)


def test_a_lock_rules_out_patterns_of_an_own_and_an_inherited_variable():
    criterion = MemoryAccessPatterns()
    facts = facts_of(FORTH_ONLY, given_entities=inheriting(SAVINGS))
    assert criterion.infeasible(MIXED_CROSSING, facts) == (
        "the Lock made at bank.py:20 is held from step 1 to step 4, and step 2 also needs it"
    )
    assert criterion.infeasible(MIXED_CHAIN, facts) is not None
    # Single variables: W² + W³ = 4 + 8 each. The pair has 3·2²·2² requirements.
    assert criterion.static_total(mixed_model(SAVINGS)) == Total(2 * 12 + 48, STATIC)
    # The facts are the same as for two variables of one class, so they rule out as much.
    one_class = StaticModel({(OWNER, name): Accesses(writes=frozenset(sites)) for name, sites in SITES_OF})
    expected = criterion.total(one_class, facts_of(FORTH_ONLY))
    assert expected.kind == PRUNED
    assert criterion.total(mixed_model(SAVINGS), facts) == expected


SITES_OF = (("x", (X1, X4)), ("y", (Y2, Y3)))


def test_another_class_with_the_same_base_class_does_not_count_for_pairs():
    # Loan accesses its x and its y without a lock. That says nothing about pairs of x and Savings.y.
    loan = [(thread, kind, 2 + target, site) for thread in (3, 4) for kind, target, site in (*FORTH, *BACK)]
    facts = facts_of([*FORTH_ONLY, *loan], given_entities=inheriting(SAVINGS, OTHER_CLASS))
    criterion = MemoryAccessPatterns()
    assert criterion.infeasible(MIXED_CROSSING, facts) is not None
    assert criterion.infeasible((10, OWNER, "x", f"{OTHER_CLASS}.y", X1, Y3, X4, Y2), facts) is None
    # But it does show that patterns of x alone are feasible: A writes x, B writes it, A writes it again.
    assert criterion.infeasible((8, OWNER, "x", "", X1, X4, X1), facts) is None
    only_savings = facts_of(FORTH_ONLY, given_entities=inheriting(SAVINGS))
    only_loan = facts_of([*loan], given_entities=inheriting(SAVINGS, OTHER_CLASS))
    assert only_savings + only_loan == facts


def test_patterns_across_objects_are_never_ruled_out():
    # The locks of one object do not order accesses to another object. A Savings may refer to an Account.
    scope = VariableScope(frozenset({SAVINGS}), frozenset({OWNER}), frozenset({X1, X4, Y2, Y3}))
    facts = facts_of(FORTH_ONLY, given_entities=inheriting(SAVINGS))
    criterion = MemoryAccessPatterns(scope)
    assert criterion.infeasible(MIXED_CROSSING, facts) is None
    assert criterion.per_pattern(mixed_model(SAVINGS))[10] == 16
    assert criterion.totals_per_pattern(mixed_model(SAVINGS), facts)[10] == Total(16, STATIC)


# -- counting ---------------------------------------------------------------------------------------


def random_facts(chance, accesses):
    size = len(accesses)

    def relation(density):
        # Many rows are equal, as is typical for the sites of one method.
        masks = [sum(1 << bit for bit in range(size) if chance.random() < density) for _ in range(2)]
        return trimmed(chance.choice(masks) for _ in range(size))

    guards = [Guard(chance.getrandbits(size), relation(0.5), f"lock {index}") for index in range(chance.randint(0, 2))]
    seen = chance.getrandbits(size) | chance.getrandbits(size)
    return OwnerFacts.make(accesses, relation(0.7), LockDiscipline.make(seen, relation(0.7), guards))


@pytest.mark.parametrize("seed", range(3))
def test_counting_agrees_with_enumerating(seed):
    chance = random.Random(seed)
    criterion = MemoryAccessPatterns()
    pruned = 0
    for _ in range(15):
        account = model(
            reads=range(71000, 71000 + chance.randint(0, 3)), writes=range(71010, 71010 + chance.randint(1, 3)),
            y=(range(72000, 72000 + chance.randint(0, 2)), range(72010, 72010 + chance.randint(1, 3))),
        )  # fmt: skip
        accesses = [
            (name, site)
            for (_, name), sites in account.variables.items()
            for site in sorted(sites.reads | sites.writes)
        ]
        facts = PruningFacts({OWNER: random_facts(chance, accesses)})
        static = list(criterion.requirements(account, PruningFacts()))
        possible = [key for key in static if criterion.infeasible(key, facts) is None]
        assert list(criterion.requirements(account, facts)) == possible
        assert criterion.total(account, facts).number == len(possible)
        pruned += len(possible) < len(static)
    assert pruned


def possible_by_definition(key, facts):
    """Return whether the facts allow any order of the pattern's steps."""
    number, _, x, y, *sites = key
    parts = PATTERNS[number].parts
    steps = [(part.thread, ({"x": x, "y": y}[part.variable], site)) for part, site in zip(parts, sites, strict=True)]
    return any(
        all(can_precede(facts, *pair) for pair in combinations([steps[index] for index in order], 2))
        and not any(
            locked_out(facts, guard, steps, order, run) for guard in facts.discipline.guards for run in runs_of(steps)
        )
        for order in PATTERNS[number].orders
    )


def related(rows, facts, one, other):
    if one not in facts.accesses or other not in facts.accesses:
        return False
    first, second = facts.accesses.index(one), facts.accesses.index(other)
    return first < len(rows) and bool(rows[first] >> second & 1)


def can_precede(facts, one, other):
    """Return whether step `one` can precede step `other`.

    This is always the case if the same thread performs both. Otherwise it depends on starts and joins.
    """
    (thread, first), (other_thread, second) = one, other
    if thread == other_thread or related(facts.before, facts, first, second):
        return True
    followed = {
        access for access in facts.accesses for later in facts.accesses if related(facts.before, facts, access, later)
    }
    preceded = {
        later for access in facts.accesses for later in facts.accesses if related(facts.before, facts, access, later)
    }
    forced = related(facts.before, facts, second, first)
    return not forced and second not in followed - preceded and first not in preceded - followed


def runs_of(steps):
    runs = [[index for index, (thread, _) in enumerate(steps) if thread == name] for name in "AB"]
    return [run for run in runs if len(run) == 2]


def keeps_together(facts, guard, steps, run):
    first, second = (steps[index][1] for index in run)
    together = related(facts.discipline.runs, facts, first, second)
    return together and not related(guard.split, facts, first, second)


def locked_out(facts, guard, steps, order, run):
    """Return whether a step that needs the lock lies between two steps of another thread in one critical section."""
    if not keeps_together(facts, guard, steps, run):
        return False
    for index in order[order.index(run[0]) + 1 : order.index(run[1])]:
        thread, access = steps[index]
        always = access in facts.accesses and not guard.loose >> facts.accesses.index(access) & 1
        if thread != steps[run[0]][0] and (
            always or any(index in other and keeps_together(facts, guard, steps, other) for other in runs_of(steps))
        ):
            return True
    return False


def test_infeasible_agrees_with_the_definition():
    chance = random.Random(12)
    criterion = MemoryAccessPatterns()
    verdicts = Counter()
    for _ in range(25):
        account = model(reads=[71000, 71001], writes=[71010, 71011], y=([72000], [72010]))
        accesses = [("x", 71000), ("x", 71001), ("x", 71010), ("x", 71011), ("y", 72000), ("y", 72010)]
        facts = random_facts(chance, chance.sample(accesses, k=chance.randint(3, 6)))
        for key in criterion.requirements(account, PruningFacts()):
            possible = possible_by_definition(key, facts)
            assert (criterion.infeasible(key, PruningFacts({OWNER: facts})) is None) == possible, (key, facts)
            verdicts[len(key), possible] += 1
    assert min(verdicts[length, possible] for length in (6, 7, 8) for possible in (True, False)) > 20


def test_many_sites_are_counted_without_enumerating_requirements():
    # 200 sites are reads and 200 are writes. One pair of them was observed under a lock, so pattern 7 is infeasible for
    # that pair with the same write in the middle. Enumerating all requirements would take 200³ · 5 steps.
    account = model(reads=[READ, *range(80000, 80199)], writes=[WRITE, *range(81000, 81199)])
    facts = facts_of(locked(1, *INCREMENT) + locked(2, *INCREMENT))
    criterion = MemoryAccessPatterns()
    static = criterion.static_total(account).number
    assert static == 2 * 200**2 + 200**2 + 5 * 200**3
    assert criterion.total(account, facts) == Total(static - 1, PRUNED)


def test_facts_about_another_owner_rule_out_nothing():
    facts = PruningFacts({"other.py:C": facts_of(CONSTRUCTED).owners[OWNER]})
    account = model(reads=[READ], writes=[INIT, WRITE])
    assert MemoryAccessPatterns().total(account, facts) == Total(30, STATIC)
    assert MemoryAccessPatterns().infeasible(on_x(1, READ, INIT), facts) is None


def test_without_facts_every_counted_pattern_is_feasible():
    judge = RuledOut(OwnerFacts((), (), LockDiscipline()))
    assert [judge.why(pattern, [("x", 70000 + n) for n in range(len(pattern.parts))]) for pattern in COUNTED] == [
        None for _ in COUNTED
    ]

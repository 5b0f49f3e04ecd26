"""Conflicts between threads through an iterator, a factory function, a class method or a copying helper."""

import copy
import dataclasses
import io
import threading
from collections import ChainMap, UserDict, defaultdict, deque

import pytest

import raddle
from raddle.finding import FREE_THREADED_ONLY, THIS_INTERPRETER


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def explored(scenario, **options):
    return raddle.explore(scenario, source=[__file__], scheduler="exhaustive", executions=3_000, **options)


def fails(scenario, **options):
    return bool(explored(scenario, **options).findings)


# -- iterators ------------------------------------------------------------------------------------------------------


def numbers():
    yield from (1, 2, 3)


@pytest.mark.parametrize(
    "make",
    [
        lambda: iter([1, 2, 3]),
        numbers,
        lambda: map(int, "123"),
        lambda: iter({1: 1, 2: 2, 3: 3}),
        lambda: io.StringIO("1\n2\n3\n"),
    ],
    ids=["list", "generator", "map", "dict", "file"],
)
def test_two_loops_over_one_iterator_conflict(make):
    """After one loop has taken an item, the other loop can take the next item and append it first."""

    def scenario():
        shared, taken = make(), []

        def take():
            for item in shared:
                taken.append(int(item))  # noqa: PERF401 -- the test needs one step per item

        run(take, take)
        assert taken == [1, 2, 3]

    assert fails(scenario)


def test_list_drains_a_shared_iterator_in_one_step():
    """Whichever thread calls `list` first gets all items."""

    def scenario():
        shared, taken = iter([1, 2]), []
        run(lambda: taken.append(list(shared)), lambda: taken.append(list(shared)))
        assert taken[0] == [1, 2]

    result = explored(scenario)
    assert result.findings
    assert result.findings[0].kind == "assertion"


def delegating(items):
    yield from items


def test_iterating_through_a_delegating_generator_conflicts_with_an_update():
    """The dict can grow while the other thread iterates over it."""

    def scenario():
        items = {1: 1, 2: 2}

        def iterate():
            for _ in delegating(items):
                pass

        run(iterate, lambda: items.update({3: 3}))

    (finding,) = explored(scenario).findings
    assert finding.message == "RuntimeError: dictionary changed size during iteration"


def echoing():
    got = yield "ready"
    try:
        got = yield got
    except KeyError:
        got = yield "caught"
    assert got == "stop"
    return "returned"


def outer(inner):
    result = yield from inner
    yield result


def test_instrumentation_does_not_change_generator_delegation():
    """`yield from` still passes on sent values, thrown exceptions and the return value."""
    results = []

    def scenario():
        generator = outer(echoing())
        results.append([next(generator), generator.send("a"), generator.throw(KeyError()), generator.send("stop")])

    assert not explored(scenario).findings
    assert set(map(tuple, results)) == {("ready", "a", "caught", "returned")}


# -- Python callbacks within an operation implemented in C ----------------------------------------------------------


def test_threads_can_switch_in_a_default_factory_written_in_python():
    """Both threads find that no list exists, and each creates one, so the item in the first list is lost."""

    def make():
        return []

    def scenario():
        lists = defaultdict(make)
        run(lambda: lists["n"].append(1), lambda: lists["n"].append(2))
        assert len(lists["n"]) == 2

    assert fails(scenario)


def test_threads_cannot_switch_in_a_default_factory_implemented_in_c():
    def scenario():
        lists = defaultdict(list)
        run(lambda: lists["n"].append(1), lambda: lists["n"].append(2))
        assert len(lists["n"]) == 2

    assert not fails(scenario)


def test_threads_can_switch_in_a_sort_key_written_in_python():
    """A list is empty while it is being sorted, and must not be modified during that time."""

    def key(item):
        return item

    def scenario():
        items = [2, 1]
        run(lambda: items.sort(key=key), lambda: items.append(3))

    messages = {finding.message for finding in explored(scenario).findings}
    assert messages == {"ValueError: list modified during sort"}


# -- calls through the class ----------------------------------------------------------------------------------------


def increment(counts):
    dict.__setitem__(counts, "n", dict.get(counts, "n", 0) + 1)


def test_container_methods_called_through_the_class_are_recorded():
    def scenario():
        counts = {}
        run(lambda: increment(counts), lambda: increment(counts))
        assert counts["n"] == 2

    assert fails(scenario)


@dataclasses.dataclass(frozen=True)
class Frozen:
    n: int = 0

    def increment(self):
        object.__setattr__(self, "n", self.n + 1)


def test_attributes_set_through_object_setattr_are_recorded():
    def scenario():
        counter = Frozen()
        run(counter.increment, counter.increment)
        assert counter.n == 2

    assert fails(scenario)


def test_dict_fromkeys_reads_its_argument():
    def scenario():
        items, seen = [], []

        def fill():
            items.append(1)
            items.append(2)

        run(fill, lambda: seen.append(dict.fromkeys(items)))
        assert seen != [{1: None}]

    assert fails(scenario)


# -- helpers that read whole objects --------------------------------------------------------------------------------


@dataclasses.dataclass
class Point:
    x: int = 0
    y: int = 0


@pytest.mark.parametrize(
    "read",
    [
        lambda point: vars(copy.copy(point)),
        lambda point: vars(copy.deepcopy(point)),
        lambda point: dataclasses.asdict(point),  # called by name, not through the variable `read`
        lambda point: vars(dataclasses.replace(point)),
    ],
    ids=["copy", "deepcopy", "asdict", "replace"],
)
def test_copying_an_object_reads_all_its_attributes(read):
    """The point is moved in two steps and copied in one."""

    def scenario():
        point, seen = Point(), []

        def move():
            point.x = 1
            point.y = 1

        run(move, lambda: seen.append(read(point)))
        assert seen != [{"x": 1, "y": 0}]

    assert fails(scenario)


def test_prints_to_a_string_buffer_conflict():
    def scenario():
        file = io.StringIO()

        def print_twice(text):
            print(text, end="", file=file)
            print(text, end="", file=file)

        run(lambda: print_twice("a"), lambda: print_twice("b"))
        assert file.getvalue() in ("aabb", "bbaa")

    assert fails(scenario)


def test_reading_the_ident_of_a_thread_conflicts_with_its_start():
    def scenario():
        late = threading.Thread(target=lambda: None)

        def start():
            if late.ident is None:
                late.start()

        run(start, start)
        late.join()

    (finding,) = explored(scenario).findings
    assert finding.message == "RuntimeError: threads can only be started once"


# -- switches that CPython with the GIL can make --------------------------------------------------------------------


def count_in(make):
    def scenario():
        counts = make()

        def count():
            counts["n"] += 1

        run(count, count)
        assert counts["n"] == 2

    return scenario


@pytest.mark.parametrize("make", [lambda: ChainMap({}, {"n": 0}), lambda: UserDict(n=0)], ids=["ChainMap", "UserDict"])
def test_updating_a_container_written_in_python_is_not_atomic_with_the_gil(make):
    """Python functions read and write the items, and the interpreter can switch threads on entry to each function."""
    (finding,) = explored(count_in(make), switches="gil").findings
    assert finding.possible_on == THIS_INTERPRETER
    (finding,) = explored(count_in(make)).findings
    assert finding.possible_on == THIS_INTERPRETER


def test_updating_a_container_implemented_in_c_is_atomic_with_the_gil():
    assert not fails(count_in(lambda: {"n": 0}), switches="gil")
    (finding,) = explored(count_in(lambda: {"n": 0})).findings
    assert finding.possible_on == FREE_THREADED_ONLY


def test_threads_can_switch_at_calls_of_stored_methods_with_the_gil():
    def scenario():
        counts = {}
        get, put = counts.get, counts.__setitem__

        def count():
            put("n", get("n", 0) + 1)

        run(count, count)
        assert counts["n"] == 2

    assert fails(scenario, switches="gil")


def test_a_method_is_looked_up_before_its_arguments_are_evaluated():
    """The interpreter can switch threads after the call to `len`. Looking up `append` is not an access."""

    def scenario():
        items, done = deque([1]), []

        def take():
            while len(items):
                done.append(items.pop())

        run(take, take)

    for finding in explored(scenario).findings:
        assert finding.possible_on == THIS_INTERPRETER
        assert raddle.replay(scenario, finding.schedule, source=[__file__]).possible_on == THIS_INTERPRETER

"""What threads do to each other by way of something else: an iterator, a factory, a class, a helper that copies."""

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
def test_two_loops_over_one_iterator(make):
    """One can take what comes next, and the other the one after that, and be done with it first."""

    def scenario():
        shared, taken = make(), []

        def take():
            for item in shared:
                taken.append(int(item))  # noqa: PERF401 -- one after the other is what it is about

        run(take, take)
        assert taken == [1, 2, 3]

    assert fails(scenario)


def test_an_iterator_is_drained_by_one():
    """Each takes what is left, in one step: so one of them gets all of it."""

    def scenario():
        shared, taken = iter([1, 2]), []
        run(lambda: taken.append(list(shared)), lambda: taken.append(list(shared)))
        assert taken[0] == [1, 2]

    result = explored(scenario)
    assert result.findings
    assert result.findings[0].kind == "assertion"


def delegating(items):
    yield from items


def test_a_generator_that_delegates_to_a_container():
    """The dict grows while somebody goes through it."""

    def scenario():
        items = {1: 1, 2: 2}

        def look():
            for _ in delegating(items):
                pass

        run(look, lambda: items.update({3: 3}))

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


def test_delegation_is_what_it_was():
    """What is sent, thrown and returned goes through."""
    said = []

    def scenario():
        generator = outer(echoing())
        said.append([next(generator), generator.send("a"), generator.throw(KeyError()), generator.send("stop")])

    assert not explored(scenario).findings
    assert set(map(tuple, said)) == {("ready", "a", "caught", "returned")}


# -- code of the user's in the middle of a step of C's --------------------------------------------------------------


def test_a_factory_of_ones_own():
    """Both find nothing there, both make a list, and what one has put into the first is lost."""

    def make():
        return []

    def scenario():
        lists = defaultdict(make)
        run(lambda: lists["n"].append(1), lambda: lists["n"].append(2))
        assert len(lists["n"]) == 2

    assert fails(scenario)


def test_a_factory_of_c_leaves_no_room():
    def scenario():
        lists = defaultdict(list)
        run(lambda: lists["n"].append(1), lambda: lists["n"].append(2))
        assert len(lists["n"]) == 2

    assert not fails(scenario)


def test_sorting_by_a_function_of_ones_own():
    """The list is empty while it is sorted, and must not be changed then."""

    def key(item):
        return item

    def scenario():
        items = [2, 1]
        run(lambda: items.sort(key=key), lambda: items.append(3))

    messages = {finding.message for finding in explored(scenario).findings}
    assert messages == {"ValueError: list modified during sort"}


# -- by way of the class --------------------------------------------------------------------------------------------


def increment(counts):
    dict.__setitem__(counts, "n", dict.get(counts, "n", 0) + 1)


def test_methods_of_a_container_by_way_of_its_class():
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


def test_attributes_past_their_class():
    def scenario():
        counter = Frozen()
        run(counter.increment, counter.increment)
        assert counter.n == 2

    assert fails(scenario)


def test_keys_made_from_a_container():
    def scenario():
        items, seen = [], []

        def fill():
            items.append(1)
            items.append(2)

        run(fill, lambda: seen.append(dict.fromkeys(items)))
        assert seen != [{1: None}]

    assert fails(scenario)


# -- helpers that look at everything --------------------------------------------------------------------------------


@dataclasses.dataclass
class Point:
    x: int = 0
    y: int = 0


@pytest.mark.parametrize(
    "look",
    [
        lambda point: vars(copy.copy(point)),
        lambda point: vars(copy.deepcopy(point)),
        lambda point: dataclasses.asdict(point),  # by name: not through a variable
        lambda point: vars(dataclasses.replace(point)),
    ],
    ids=["copy", "deepcopy", "asdict", "replace"],
)
def test_all_attributes_of_an_object(look):
    """It is moved in two steps, and copied in one."""

    def scenario():
        point, seen = Point(), []

        def move():
            point.x = 1
            point.y = 1

        run(move, lambda: seen.append(look(point)))
        assert seen != [{"x": 1, "y": 0}]

    assert fails(scenario)


def test_printing_into_a_file_in_memory():
    def scenario():
        file = io.StringIO()

        def tell(text):
            print(text, end="", file=file)
            print(text, end="", file=file)

        run(lambda: tell("a"), lambda: tell("b"))
        assert file.getvalue() in ("aabb", "bbaa")

    assert fails(scenario)


def test_whether_a_thread_was_started():
    def scenario():
        late = threading.Thread(target=lambda: None)

        def start():
            if late.ident is None:
                late.start()

        run(start, start)
        late.join()

    (finding,) = explored(scenario).findings
    assert finding.message == "RuntimeError: threads can only be started once"


# -- what CPython with the GIL can do -------------------------------------------------------------------------------


def counted_by(make):
    def scenario():
        counts = make()

        def count():
            counts["n"] += 1

        run(count, count)
        assert counts["n"] == 2

    return scenario


@pytest.mark.parametrize("make", [lambda: ChainMap({}, {"n": 0}), lambda: UserDict(n=0)], ids=["ChainMap", "UserDict"])
def test_containers_in_python_let_go(make):
    """Their items are read and written by functions, and at the entry of each the interpreter can switch."""
    (finding,) = explored(counted_by(make), switches="gil").findings
    assert finding.possible_on == THIS_INTERPRETER
    (finding,) = explored(counted_by(make)).findings
    assert finding.possible_on == THIS_INTERPRETER


def test_containers_of_c_do_not():
    assert not fails(counted_by(lambda: {"n": 0}), switches="gil")
    (finding,) = explored(counted_by(lambda: {"n": 0})).findings
    assert finding.possible_on == FREE_THREADED_ONLY


def test_methods_that_are_kept_let_go_when_they_are_called():
    def scenario():
        counts = {}
        get, put = counts.get, counts.__setitem__

        def count():
            put("n", get("n", 0) + 1)

        run(count, count)
        assert counts["n"] == 2

    assert fails(scenario, switches="gil")


def test_a_method_is_looked_up_before_its_arguments_are_evaluated():
    """The interpreter can switch after the call of `len`; the look-up of `append` comes then, and is no access."""

    def scenario():
        items, done = deque([1]), []

        def take():
            while len(items):
                done.append(items.pop())

        run(take, take)

    for finding in explored(scenario).findings:
        assert finding.possible_on == THIS_INTERPRETER
        assert raddle.replay(scenario, finding.schedule, source=[__file__]).possible_on == THIS_INTERPRETER

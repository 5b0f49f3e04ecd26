from random import Random

from raddle.generation.covcon_ranking import OverlapCounter, PairRanking, call_events
from raddle.generation.expressions import Imported
from raddle.generation.surface import Method, MethodKind
from raddle.site import Site, SiteTable

OWNER = Imported("log", "Log")


def methods(count):
    return [Method(f"m{number:02}", MethodKind.METHOD, OWNER) for number in range(count)]


def test_pairs_are_unordered_and_include_self_pairs():
    assert len(PairRanking(methods(22), Random(1)).pairs) == 253  # V9's row in Table IV: 22 methods, 22*23/2 pairs


def test_every_pair_is_tried_once_before_any_pair_is_tried_again():
    ranking = PairRanking(methods(4), Random(1))
    drawn = [ranking.draw() for _ in range(10)]
    assert len(set(drawn)) == 10
    assert drawn != ranking.pairs  # in random order
    assert all(ranking.tried(pair) == 1 for pair in ranking.pairs)


def test_pairs_that_were_covered_as_often_as_tried_and_pairs_with_few_tries_come_first():
    one, other = methods(2)
    ranking = PairRanking([one, other], Random(1))
    for _ in range(3):
        ranking.draw()
    # All three pairs were tried once. (one, other) was covered 3 times: score |1 - 3| * 1 = 2. (one, one) was not
    # covered: |1 - 0| * 1 = 1. (other, other) was covered once: max(1, 0) * 1 = 1.
    ranking.add_covered({(other, one): 3, (other, other): 1})
    assert [ranking.score(pair) for pair in ranking.pairs] == [1, 2, 1]
    assert ranking.ranked() == [(one, one), (other, other), (one, other)]
    # A quarter of 3 pairs, but at least one: the first pair by score.
    assert ranking.draw() == (one, one)
    # (one, one): |2 - 0| * 2 = 4, so (other, other) is best now.
    assert ranking.draw() == (other, other)


def test_a_hundred_pairs_are_drawn_between_two_scorings():
    ranking = PairRanking(methods(30), Random(1))  # 465 pairs
    for _ in range(465):
        ranking.draw()
    best = set(ranking.pairs[300:400])
    ranking.add_covered({pair: 5 for pair in ranking.pairs if pair not in best})  # score 4; the others have score 1
    assert {ranking.draw() for _ in range(100)} == best


def test_a_quarter_of_few_pairs_is_drawn_between_two_scorings():
    ranking = PairRanking(methods(4), Random(1))  # 10 pairs: 2 between two scorings
    for _ in range(10):
        ranking.draw()
    # All scores are 1, so the first two are drawn; then their score is |2 - 0| * 2 = 4, and the next two are drawn.
    assert {ranking.draw(), ranking.draw()} == set(ranking.pairs[:2])
    assert {ranking.draw(), ranking.draw()} == set(ranking.pairs[2:4])


def test_untried_pairs_are_ranked_first():
    one, other = methods(2)
    ranking = PairRanking([one, other], Random(1))
    ranking.add_tried((other, one))
    assert ranking.ranked()[-1] == (one, other)


def test_the_best_pair_is_the_first_ranked_pair_that_fits():
    random = Random(3)
    names = methods(6)
    ranking = PairRanking(names, random)
    for _ in range(60):
        first, second = random.sample(names, 2), random.sample(names, 3)
        fits = [
            (one, other)
            for one, other in ranking.ranked()
            if (one in first and other in second) or (other in first and one in second)
        ]
        assert set(ranking.best(first, second)) == set(fits[0])
        ranking.add_tried(random.choice(ranking.pairs))
        ranking.add_covered({random.choice(ranking.pairs): random.randrange(3)})


def test_every_start_counts_including_nested_calls():
    get, put = methods(2)
    events = [
        (1, "m00", True),  # nothing else is active
        (2, "m01", True),  # put starts while get is active
        (2, "m00", True),  # nested: get starts while get is active in thread 1
        (1, "m00", False),
        (1, "m01", True),  # put starts while put and get are active in thread 2
        (2, "m00", False),
        (2, "m01", False),
        (1, "m00", True),  # only thread 1 is active
    ]
    assert OverlapCounter([get, put]).count(events) == {(put, get): 2, (get, get): 1, (put, put): 1}


def site_table():
    table = SiteTable()
    names = ["Log.equals", "Base.equals", "Other.equals"]
    kinds = ["enter", "leave"]
    sites = tuple(Site("m.py", 1, 0, kind, "", name, switchable=True) for name in names for kind in kinds)
    table.add(1 << 16, sites, file="m.py", path="/m.py")
    return table, [1 << 16, (1 << 16) + 2, (1 << 16) + 4]


def test_steps_of_calls_on_two_objects_form_a_pair():
    # V8: a.equals(b) in thread 1 and b.equals(a) in thread 2. The objects (7 and 8) do not matter, nor does it matter
    # that a base class defines the method that thread 2 calls.
    table, (log, base, _) = site_table()
    steps = [(1, "enter", 7, log), (2, "enter", 8, base)]
    equals = Method("equals", MethodKind.METHOD, OWNER)
    owners = {"m.py:Log", "m.py:Base"}
    assert OverlapCounter([equals]).count(call_events(steps, table, owners)) == {(equals, equals): 1}


def test_methods_of_other_classes_and_ended_threads_do_not_count():
    table, (log, _, other) = site_table()
    equals = Method("equals", MethodKind.METHOD, OWNER)
    for steps in (
        [(1, "enter", 7, log), (2, "enter", 8, other)],
        [(1, "enter", 7, log), (1, "end", 1, 0), (2, "enter", 8, log)],  # thread 1 never left, but it has ended
        [(0, "enter", 7, log), (2, "enter", 8, log)],  # thread 0 prepares the object
    ):
        assert not OverlapCounter([equals]).count(call_events(steps, table, {"m.py:Log"}))

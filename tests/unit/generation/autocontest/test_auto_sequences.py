"""Tests of `raddle.generation.autocontest.sequences`: the search, each pruning rule, saturation and limits.

`nodes` counts the sequences that the search tries; the comments enumerate them.
"""

from __future__ import annotations

import auto_small
import pytest
from auto_builder import Subject, workbench_for
from auto_figures import EDGES, M2, M5, M7, MODULE, NEW

from raddle.generation.autocontest.coverage import Coverage
from raddle.generation.autocontest.pruning import Rules
from raddle.generation.autocontest.sequence_runner import SequenceRunner
from raddle.generation.autocontest.sequences import Ending, Limits, SearchResult, StateEquality, search
from raddle.generation.module_state import ModuleState

Equalities = tuple[StateEquality, ...]
CONTENT = (StateEquality.CONTENT,)
BEHAVIOR = (StateEquality.BEHAVIOR,)
BOTH = (StateEquality.BEHAVIOR, StateEquality.CONTENT)
NONE = Rules(d1=False, d2=False, d3=False, b1=False, b2=False)
ONLY_D3 = Rules(d1=False, d2=False, b1=False, b2=False)


def run(
    name: str,
    *methods: str,
    rules: Rules,
    level: int = 3,
    limits: Limits | None = None,
    iterations: int = 1,
    rounds: int | None = None,
    equalities: Equalities = CONTENT,
) -> SearchResult:
    """Return the result of the last of several iterations. By default, states are compared by content, as published."""
    subject = Subject("auto_small", name)
    edges = [subject.call(method) for method in methods]
    covered: Coverage = frozenset()
    with workbench_for("auto_small") as workbench:
        runner = SequenceRunner(workbench, [subject.new()], rounds=rounds)
        for _ in range(iterations):
            result = search(runner, edges, covered, rules=rules, limits=limits, level=level, equalities=equalities)
            assert result is not None
            covered |= result.gained
            level = result.level
    return result


def names(result: SearchResult) -> list[str]:
    return [call.method.name for call in result.calls]


def test_d1_does_not_extend_or_return_a_sequence_that_raises():
    # With D1: fail. Without: fail, fail fail (useless), ... up to three useless calls.
    with_rule = run("Raises", "fail", rules=Rules(d2=False, d3=False, b1=False, b2=False))
    without = run("Raises", "fail", rules=NONE)
    assert (with_rule.nodes, names(with_rule)) == (1, [])
    assert (without.nodes, names(without)) == (4, ["fail"])


def test_d1_ignores_exceptions_that_the_call_catches():
    assert names(run("Raises", "recover", rules=Rules())) == ["recover"]


def test_d2_does_not_extend_a_sequence_without_effect():
    # With D2: g, gg (nothing new in the same state). Without: g, gg, ggg, gggg (saturated).
    assert run("Getters", "get_a", rules=Rules(d1=False, d3=False, b1=False, b2=False)).nodes == 2
    assert run("Getters", "get_a", rules=NONE).nodes == 4


def test_d3_does_not_extend_a_sequence_that_repeats_the_state_of_another():
    # f (on), ff (off, with more coverage than the empty sequence), fff (on like f, with the same coverage): redundant.
    # D2 does not apply, because each call changes the state: f, ff, fff, ffff (saturated).
    assert run("Toggle", "flip", rules=Rules(d1=False, d2=False, b1=False, b2=False)).nodes == 3
    assert run("Toggle", "flip", rules=Rules(d1=False, d3=False, b1=False, b2=False)).nodes == 4
    assert run("Toggle", "flip", rules=NONE).nodes == 4


def test_b1_leaves_a_sequence_that_an_extension_surpasses_in_the_same_state():
    # With B1: a, ab, aba, abb; then a and the empty sequence are left. Without: also aa, and the same from b on.
    only_b1 = Rules(d1=False, d2=False, d3=False, b2=False)
    assert run("Getters", "get_a", "get_b", rules=only_b1, level=1).nodes == 4
    assert run("Getters", "get_a", "get_b", rules=NONE, level=1).nodes == 10


def test_b2_leaves_a_sequence_that_has_become_redundant():
    # f, fg (on, covers more than f, which is thereby redundant), fgf (off, which makes the empty sequence redundant),
    # fgg. Then neither ff nor g is tried. Without B2: also ff, g, gf, gfg, gff, gg.
    only_b2 = Rules(d1=False, d2=False, d3=False, b1=False)
    assert run("Toggle", "flip", "get", rules=only_b2, level=1).nodes == 4
    assert run("Toggle", "flip", "get", rules=NONE, level=1).nodes == 10


def test_a_sequence_with_a_smaller_gain_is_kept_if_its_gain_is_no_subset():
    # close first: {close, other, use after close}, three traces. A sequence that uses first and then closes reaches the
    # same state with three traces, but not with a subset of them, so its extension with all four is found.
    result = run("Closing", "close", "other", "use", rules=Rules())
    assert len(result.gained) == 4
    assert len(result.calls) == 4
    assert result.ending is Ending.COMPLETE


def test_the_shortest_of_the_best_sequences_is_returned():
    result = run("Getters", "get_a", "get_b", rules=NONE)
    assert sorted(names(result)) == ["get_a", "get_b"]


def test_k_calls_without_a_new_trace_saturate_a_sequence_and_a_failed_search_raises_k():
    # Steps 2 to 4 have the trace of step 1, and step 5 has a new one. With k = 3, step 4 saturates the sequence. In the
    # second iteration step 1 is not new either, so step 5 is the fifth call after at most four useless ones: k = 5.
    first = run("FifthCall", "step", rules=Rules())
    assert (len(first.calls), first.level) == (1, 3)
    second = run("FifthCall", "step", rules=Rules(), iterations=2)
    assert (len(second.calls), second.level, second.ending) == (5, 5, Ending.COMPLETE)


def test_k_is_not_raised_if_no_sequence_was_saturated():
    # In the second iteration, D2 prunes the only sequence.
    result = run("Getters", "get_a", rules=Rules(), iterations=2)
    assert (names(result), result.level, result.ending) == ([], 3, Ending.COMPLETE)


def test_the_limits_are_reported():
    subject = Rules(), NONE
    assert run("FifthCall", "step", rules=subject[0], iterations=2, limits=Limits(level=4)).ending is Ending.LEVEL
    assert run("Getters", "get_a", rules=subject[1], limits=Limits(nodes=2)).ending is Ending.NODES
    assert run("Getters", "get_a", rules=subject[1], limits=Limits(seconds=-1.0)).ending is Ending.SECONDS
    assert run("Getters", "get_a", rules=subject[1], limits=Limits(events=1)).ending is Ending.EVENTS
    short = run("Getters", "get_a", rules=subject[1], limits=Limits(length=2))
    assert (short.nodes, short.too_long, short.ending) == (2, 1, Ending.LENGTH)


def test_a_call_that_never_ends_counts_as_raising():
    result = run("Waits", "wait", "get", rules=Rules())
    assert names(result) == ["get"]
    assert result.ending is Ending.COMPLETE


def test_a_call_with_very_many_events_is_not_extended():
    # Each call doubles the number of rounds: the call that goes through 512 rounds has more than 1000 events.
    result = run("Doubling", "double", rules=Rules(), limits=Limits(nodes=1_000))
    assert (len(result.calls), result.nodes) == (9, 10)


def test_a_loop_with_ever_more_rounds_never_saturates_unless_rounds_are_limited():
    endless = run("Loop", "run", rules=Rules(), limits=Limits(nodes=50))
    assert (endless.ending, len(endless.calls)) == (Ending.NODES, 50)
    limited = run("Loop", "run", rules=Rules(), limits=Limits(nodes=50), rounds=2)
    assert (limited.ending, len(limited.calls)) == (Ending.COMPLETE, 2)


@pytest.mark.parametrize(("rounds", "ending"), [(None, Ending.NODES), (2, Ending.COMPLETE)])
def test_on_fig_1_only_a_limit_ends_the_search(rounds, ending):
    # Each further m7 and m5 writes z once more.
    with workbench_for(MODULE) as workbench:
        runner = SequenceRunner(workbench, [NEW], rounds=rounds)
        result = search(runner, [M2, M5, M7], frozenset(), limits=Limits(nodes=300, length=300))
    assert result is not None
    assert result.ending is ending


def test_a_search_is_deterministic():
    def once() -> tuple[object, ...]:
        with workbench_for(MODULE) as workbench:
            runner = SequenceRunner(workbench, [NEW])
            result = search(runner, EDGES, frozenset(), limits=Limits(nodes=300))
        assert result is not None
        return result.calls, result.gained, result.nodes, runner.calls

    assert once() == once()


def test_the_shortest_sequence_to_each_state_is_kept():
    result = run("Toggle", "flip", "get", rules=Rules())
    assert sorted(len(calls) for calls in result.shortest.values()) == [0, 1]


def test_a_prefix_that_raises_has_no_sequences():
    with workbench_for("auto_small") as workbench:
        runner = SequenceRunner(workbench, [Subject("auto_small", "Toggle").new(), Subject("", "").call("missing")])
        assert search(runner, [], frozenset()) is None


# -- equality by behavior ---------------------------------------------------------------------------

SETTERS = ("set_a", "set_b", "set_c", "set_d")


def test_setters_of_independent_attributes_take_linear_time_if_states_are_compared_by_behavior():
    # Behavior: every setter has the same trace in every state. Each setter is followed by the next one, which brings a
    # new trace in an equal state (B1). After all of them, none brings anything new (D2): 4 + 4 sequences. Content: the
    # 2^4 subsets of setters lead to different states, and each is extended with all 4 setters.
    assert run("Settings", *SETTERS, rules=Rules(), equalities=BEHAVIOR).nodes == 8
    assert run("Settings", *SETTERS, rules=Rules(), equalities=CONTENT).nodes == 64
    assert run("Settings", *SETTERS, rules=Rules(), equalities=BEHAVIOR).calls == tuple(
        Subject("auto_small", "Settings").call(name) for name in SETTERS
    )


def test_the_calls_after_the_last_one_are_tried_first():
    # a, ab, aba (D2), abb (D2). If get_a were tried first after a, there would be a fifth sequence, aa.
    result = run("Getters", "get_a", "get_b", rules=Rules())
    assert names(result) == ["get_a", "get_b"]
    assert result.nodes == 4


def test_states_are_compared_by_content_if_comparing_behavior_finds_nothing():
    # Step 5 has a new trace, but before step 4 all states behave alike.
    second = run("FifthCall", "step", rules=Rules(), iterations=2, equalities=BEHAVIOR)
    assert (second.calls, second.ending) == ((), Ending.COMPLETE)
    second = run("FifthCall", "step", rules=Rules(), iterations=2, equalities=BOTH)
    assert (len(second.calls), second.level, second.ending) == (5, 5, Ending.COMPLETE)


def test_a_change_of_behavior_is_a_change_of_state():
    # After `close`, `use` has another trace. The best sequence uses, closes, uses again and calls `other` in between.
    result = run("Closing", "close", "other", "use", rules=Rules(), equalities=BEHAVIOR)
    assert (len(result.gained), len(result.calls)) == (4, 4)


# -- what is executed ---------------------------------------------------------------------------------


def test_a_transition_is_executed_once():
    # Toggle has two states and two calls.
    subject = Subject("auto_small", "Toggle")
    with workbench_for("auto_small") as workbench:
        runner = SequenceRunner(workbench, [subject.new()])
        result = search(
            runner, [subject.call("flip"), subject.call("get")], frozenset(), rules=ONLY_D3, equalities=CONTENT
        )
    assert result is not None
    assert result.nodes > 4
    assert runner.calls == 4


def test_without_rules_that_compare_states_every_sequence_is_executed():
    # As in the paper: a, aa, aaa, aaaa (saturated). The state is the same, and so is what the call does.
    subject = Subject("auto_small", "Getters")
    with workbench_for("auto_small") as workbench:
        runner = SequenceRunner(workbench, [subject.new()])
        result = search(runner, [subject.call("get_a")], frozenset(), rules=NONE)
    assert result is not None
    assert result.nodes == runner.calls == 4


def test_states_are_restored_instead_of_constructing_new_objects():
    # One object for the state after the prefix, and one for all calls.
    subject = Subject("auto_small", "Settings")
    with workbench_for("auto_small") as workbench:
        runner = SequenceRunner(workbench, [subject.new()])
        search(runner, [subject.call(name) for name in SETTERS], frozenset(), rules=Rules(), equalities=CONTENT)
    assert runner.objects == 2


def test_a_getter_is_not_executed_again_if_its_attribute_has_not_changed():
    # The getter reads `a`, which has two values: at first, and after set_a. The setters read nothing, but a call that
    # changes the state is executed in each of the 2^3 states: 8 * 3 setters and 2 getters.
    subject = Subject("auto_small", "Settings")
    names = ("set_a", "set_b", "set_c", "get_a")
    with workbench_for("auto_small") as workbench:
        runner = SequenceRunner(workbench, [subject.new()])
        search(runner, [subject.call(name) for name in names], frozenset(), rules=ONLY_D3, equalities=CONTENT)
    assert runner.calls <= 8 * 3 + 2


def test_calls_that_change_the_state_of_a_module_are_not_undone():
    # `is_full` takes the other branch after the third `use` of an object. With leftovers of undone calls in the module,
    # it would do so earlier, and the sequence would not have the traces that the search promises.
    subject = Subject("auto_small", "Quota")
    with workbench_for("auto_small") as workbench:
        state = ModuleState([auto_small])
        runner = SequenceRunner(workbench, [subject.new()], reset=state.restore, global_ids=state.ids)
        edges = [subject.call("use"), subject.call("is_full")]
        result = search(runner, edges, frozenset(), rules=Rules(), equalities=CONTENT)
        assert result is not None
        traces = {call.trace for call in runner.record(result.calls)}
    assert len(traces) == 3
    assert result.gained == traces
    assert names(result).count("use") >= 3

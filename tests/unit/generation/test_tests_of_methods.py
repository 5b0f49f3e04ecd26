import shared_classes
from fake_builder import FakeBuilder

from raddle.generation.expressions import Variable
from raddle.generation.strategy import Prefix
from raddle.generation.testcase import SHARED, Call
from raddle.generation.tests_of_methods import build_test, crossed_test


class RecordingBuilder(FakeBuilder):
    """Has a second instance, and passes the variable that it is asked for."""

    def __init__(self, cls, *, passing=True, seed=1):
        super().__init__(None, cls, seed=seed)
        self.lengths = []  # the number of calls before each call
        self._passing = passing

    def prefix(self, *, max_calls=5, preferred=()):
        other = Call(self.surface.constructors[0], result="other")
        return Prefix((*self._prefix, other), {SHARED: self._cls, "other": self._cls})

    def call(self, prefix, method, *, receiver=SHARED):
        self.lengths.append(len(prefix.calls))
        return Call(method, (Variable(prefix.passed),) if self._passing and prefix.passed else (), receiver=receiver)


def built(builder, count=60):
    equals = builder.method("equals")
    return [build_test(builder, builder.prefix(), [[equals], [equals]]) for _ in range(count)]


def test_some_threads_call_methods_of_different_instances_and_pass_the_other_one():
    # a.equals(b) and b.equals(a), which use the locks of a and b in opposite orders
    tests = built(RecordingBuilder(shared_classes.Node))
    receivers = {tuple(thread[0].receiver for thread in test.threads) for test in tests}
    assert receivers == {(SHARED, SHARED), (SHARED, "other")}
    for test in tests:
        one, other = (thread[0] for thread in test.threads)
        if other.receiver == "other":
            assert (one.arguments, other.arguments) == ((Variable("other"),), (Variable(SHARED),))


def test_calls_that_pass_no_instance_are_made_on_one_object():
    for test in built(RecordingBuilder(shared_classes.Node, passing=False)):
        assert {thread[0].receiver for thread in test.threads} == {SHARED}


def test_each_call_of_a_thread_comes_after_the_earlier_ones():
    builder = RecordingBuilder(shared_classes.Node)
    builder.prefix = lambda: Prefix(builder._prefix, {SHARED: shared_classes.Node})
    equals = builder.method("equals")
    build_test(builder, builder.prefix(), [[equals, equals, equals], [equals]])
    assert builder.lengths == [1, 2, 3, 1]  # the constructor, and the calls of the same thread


def test_there_is_no_test_without_one_of_its_calls():
    builder = RecordingBuilder(shared_classes.Node)
    builder.call = lambda prefix, method, receiver=SHARED: None
    equals = builder.method("equals")
    assert all(build_test(builder, builder.prefix(), [[equals], [equals]]) is None for _ in range(20))


def test_a_share_of_all_tests_can_be_asked_for():
    builder = RecordingBuilder(shared_classes.Node)
    equals = builder.method("equals")
    tests = [crossed_test(builder, builder.prefix(), [[equals], [equals]], share=1.0) for _ in range(20)]
    assert {tuple(thread[0].receiver for thread in test.threads) for test in tests} == {(SHARED, "other")}


def test_a_single_instance_cannot_be_crossed():
    builder = RecordingBuilder(shared_classes.Node)
    builder.prefix = lambda: Prefix(builder._prefix, {SHARED: shared_classes.Node})
    equals = builder.method("equals")
    assert crossed_test(builder, builder.prefix(), [[equals], [equals]], share=1.0) is None

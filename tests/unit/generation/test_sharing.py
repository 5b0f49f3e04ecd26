import ast
import threading

from raddle.generation.sharing import methods_run_by_threads, sharing_of
from raddle.generation.surface import Sharing


class WithClassLock:
    lock = threading.RLock()


class Documented:
    """Safe for concurrent use."""


class Starts:
    def start(self):
        self.thread = threading.Thread(target=self.run)

    def run(self):
        pass


class Inherits(Starts):
    pass


class Plain:
    """Threadbare, and not meant to be shared."""

    def map(self, function):
        return map(function, [1])


def test_each_sign_is_found():
    assert sharing_of(WithClassLock) == {Sharing.HAS_LOCK}
    assert sharing_of(Documented) == {Sharing.MENTIONS_THREADS}
    assert sharing_of(Starts) == {Sharing.USED_FROM_THREADS}
    assert sharing_of(Inherits) == {Sharing.USED_FROM_THREADS}


def test_a_class_without_signs_is_not_shared():
    assert sharing_of(Plain) == frozenset()


def test_methods_passed_to_threads_and_pools_are_found():
    tree = ast.parse("Thread(target=a.work)\npool.submit(b.load, 1)\nprint(c.name)")
    assert methods_run_by_threads(tree) == {"work", "load"}

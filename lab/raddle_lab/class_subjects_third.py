"""The subjects of the paper on AutoConTest that the paper on MAPTest does not have, with the calls that expose them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from raddle_lab.class_subject import ClassSubject
from raddle_lab.subjects import together


def _hash_and_hash(cls: type) -> Callable[[], None]:
    def scenario() -> None:
        shared = cls(1, 5)
        expected = hash(cls(1, 5))
        hashes: list[int] = []

        def read_hash() -> None:
            hashes.append(hash(shared))

        together(read_hash, read_hash)
        assert hashes == [expected, expected], f"the hashes must be {expected}, not {hashes}"
        assert hash(shared) == expected, f"the hash must still be {expected}, not {hash(shared)}"

    return scenario


def _size_and_size(cls: type) -> Callable[[], None]:
    multimap_class = import_module(cls.__module__).Multimap  # only a multimap makes views of itself

    def scenario() -> None:
        view = multimap_class({"a": [1]}).as_map()
        together(view.size, view.size)

    return scenario


def _last_index_and_removal(cls: type) -> Callable[[], None]:
    def scenario() -> None:
        vector = cls()
        vector.add_element("a")
        together(lambda: vector.last_index_of("a"), lambda: vector.remove_element_at(0))

    return scenario


def _subtraction_and_assignment(cls: type) -> Callable[[], None]:
    def scenario() -> None:
        shared = cls()
        shared.m7()
        shared.m5()  # z is 1, so m3 subtracts without the lock
        together(lambda: shared.m3(10), lambda: shared.m1(1))
        # m3 before m1 gives 1; m1 before m3 gives 1 - 10.
        assert shared.x in (1, -9), f"x must be 1 or -9, not {shared.x}"

    return scenario


SUBJECTS: tuple[ClassSubject, ...] = (
    ClassSubject(
        id="A1",
        project="Apache Commons Lang",
        version="2.4",
        published_name="IntRange",
        label="",
        fields=0,
        methods=0,
        lines=278,
        target="raddle_lab.classes.int_range:IntRange",
        fixed="raddle_lab.classes.fixed.int_range:IntRange",
        exposing=_hash_and_hash,
        symptoms=("wrong result",),
        calls="hash(range) | hash(range)",
    ),
    ClassSubject(
        id="A2",
        project="Google Collections",
        version="1.0",
        published_name="AbstractMultimap.AsMap",
        label="",
        fields=0,
        methods=0,
        lines=1125,
        target="raddle_lab.classes.as_map:AsMap",
        fixed="raddle_lab.classes.fixed.as_map:AsMap",
        exposing=_size_and_size,
        symptoms=("TypeError",),
        calls="size() | size()",
    ),
    ClassSubject(
        id="A3",
        project="JDK",
        version="1.1.7",
        published_name="Vector",
        label="",
        fields=0,
        methods=0,
        lines=216,
        target="raddle_lab.classes.vector_with_bounds:Vector",
        fixed="raddle_lab.classes.fixed.vector_with_bounds:Vector",
        exposing=_last_index_and_removal,
        symptoms=("IndexError",),
        calls='last_index_of("a") | remove_element_at(0)',
    ),
    ClassSubject(
        id="F1",
        project="AutoConTest",
        version="",
        published_name="CUT",
        label="",
        fields=0,
        methods=0,
        lines=0,
        target="raddle_lab.classes.figure_one:FigureOne",
        fixed="raddle_lab.classes.fixed.figure_one:FigureOne",
        exposing=_subtraction_and_assignment,
        symptoms=("wrong result",),
        calls="m3(10) | m1(1)",
    ),
)

"""Communicators, groups, attributes, and the parts of MPI that are rejected."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from raddle.errors import UsageError
from raddle.messages import explore
from raddle.mpi.library.comm import COMM_NULL
from raddle.mpi.library.group import CONGRUENT, IDENT, SIMILAR, Group


def test_communicators_of_groups() -> None:
    def program(comm: Any) -> None:
        group = comm.Get_group().Excl([1])
        for create in (comm.Create, comm.Create_group):
            if create == comm.Create or comm.rank != 1:
                part = create(group)
                if comm.rank == 1:
                    assert part == COMM_NULL
                else:
                    assert part.allgather(comm.rank) == [0, 2]
                    assert part.Get_group().Compare(group) == IDENT
                    part.Free()

    result = explore(program, ranks=3)
    assert (result.outcome, result.warnings) == ("passed", ())


def test_comparison_of_communicators() -> None:
    def program(comm: Any) -> None:
        duplicate, reverse = comm.Dup(), comm.Split(0, -comm.rank)
        assert comm.Compare(comm) == IDENT
        assert comm.Compare(duplicate) == CONGRUENT
        assert comm.Compare(reverse) == SIMILAR
        assert Group((0, 1)).Translate_ranks([0, 1], reverse.group) == [1, 0]

    assert explore(program, ranks=2).outcome == "passed"


def test_attributes() -> None:
    def program(comm: Any) -> None:
        mpi = importlib.import_module("mpi4py.MPI")
        assert comm.Get_attr(mpi.TAG_UB) >= 32767  # the least value that the standard allows
        assert comm.Get_attr(mpi.UNIVERSE_SIZE) == 2

    assert explore(program, ranks=2).outcome == "passed"


def create_cart(comm: Any) -> None:
    comm.Create_cart([2])


def create_vector(comm: Any) -> None:
    importlib.import_module("mpi4py.MPI").INT.Create_vector(2, 1, 3)


def import_futures(comm: Any) -> None:
    importlib.import_module("mpi4py.futures")


def caught(comm: Any) -> None:
    try:
        comm.Spawn("worker")
    except Exception:
        comm.Abort(1)


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (create_cart, "Comm.Create_cart"),
        (create_vector, "Datatype.Create_vector"),
        (import_futures, "mpi4py.futures"),
        (caught, "Comm.Spawn"),
    ],
)
def test_parts_that_are_not_simulated_are_rejected_by_name(program: Any, name: str) -> None:
    with pytest.raises(UsageError, match=name):
        explore(program, ranks=2)


def test_a_misspelled_method_is_an_error_of_the_program() -> None:
    result = explore(lambda comm: comm.sned(1, dest=0), ranks=1)
    assert result.findings[0].message == "AttributeError: 'Comm' object has no attribute 'sned'"

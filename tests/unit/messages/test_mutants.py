"""Each kind of defect changes what its name says, in exactly one place."""

from __future__ import annotations

import pytest

from raddle.messages.defects import Defect
from raddle.messages.mutants import mutants, sample

# Each program, with the changes that one kind of defect makes in it: (before, after)
CHANGES = [
    (Defect.STRUCTURE, "for i in range(n):\n    f(i)\n", {("n", "n - 1"), ("n", "1, n")}),
    (Defect.STRUCTURE, "while a:\n    f()\n", {("while a:\n    f()", "if a:\n    f()")}),
    (
        Defect.PROCESS,
        "comm.send(x, dest=k)\n",
        {("k", "(k + 1) % comm.size"), ("k", "(k - 1) % comm.size")},
    ),
    (Defect.ANY_SOURCE, "x = comm.recv(source=3)\ny = comm.recv(source=MPI.ANY_SOURCE)\n", {("3", "MPI.ANY_SOURCE")}),
    (Defect.ARRAY_SIZE, "a = [0] * k\n", {("k", "(k + 1)"), ("k", "(k - 1)")}),
    (Defect.INITIALIZATION, "a = 0\nb = f()\nc = []\n", {("a = 0", "pass"), ("c = []", "pass")}),
    (
        Defect.MESSAGE_SIZE,
        "comm.Send([a, n, MPI.INT], dest=1)\n",
        {("n", "n + 1"), ("n", "n - 1")},
    ),
    (Defect.MESSAGE_SIZE, "comm.send([a, b], 1)\n", {("[a, b]", "[a]"), ("[a, b]", "[a, b, b]")}),
    (
        Defect.ADDRESS,
        "a = 1\nb = 2\ncomm.send(a, dest=1, tag=5)\n",
        {("a", "b"), ("5", "5 + 1"), ("5", "5 - 1")},
    ),
    (Defect.PARAMETER_TYPE, "f(3)\n", {("3", "'3'"), ("3", "3.0")}),
    (Defect.DATA_TYPE, "comm.Send([a, MPI.INT], dest=1)\n", {("MPI.INT", "MPI.FLOAT")}),
    (Defect.NONBLOCKING, "comm.send(x, dest=1)\n", {("comm.send", "comm.isend")}),
    (Defect.OPERATOR, "a = b + c\na -= 1\n", {("b + c", "b - c"), ("a -= 1", "a += 1")}),
    (
        Defect.DATA,
        "x = comm.recv()\n",
        {("comm.recv()", "comm.recv() + 1"), ("comm.recv()", "[comm.recv()]")},
    ),
    (Defect.PREDICATE, "if a and b:\n    f()\n", {("a and b", "a or b"), ("a and b", "not (a and b)")}),
    (Defect.MISSING_STATEMENT, "a = 1\nf()\n", {("a = 1", "pass"), ("f()", "pass")}),
    (Defect.ASSIGNMENT, "a = f()\n", {("f()", "0"), ("f()", "1")}),
    (Defect.INCREMENT, "comm.send(x, dest=0)\n", {("x", "(x + 1)"), ("x", "(x - 1)")}),
]


@pytest.mark.parametrize(("defect", "program", "expected"), CHANGES)
def test_a_kind_of_defect_makes_these_changes(defect: Defect, program: str, expected: set[tuple[str, str]]) -> None:
    found = mutants(program, [defect])
    assert {(mutant.before, mutant.after) for mutant in found} == expected


def test_every_kind_of_defect_has_an_example() -> None:
    assert {defect for defect, _, _ in CHANGES} == set(Defect)


def test_mutants_that_equal_another_one_are_left_out() -> None:
    # Dropping `a = 0` is a missing initialization and a missing statement. It is counted once.
    found = mutants("a = 0\n", [Defect.INITIALIZATION, Defect.MISSING_STATEMENT])
    assert [mutant.defect for mutant in found] == [Defect.INITIALIZATION]


def test_indentation_is_kept_when_a_statement_is_replaced() -> None:
    program = "def f():\n    while a:\n        g()\n        h()\n"
    sources = {mutant.source for mutant in mutants(program, [Defect.STRUCTURE])}
    assert "def f():\n    if a:\n        g()\n        h()\n" in sources
    assert "def f():\n    while a:\n        g()\n" in sources


def test_positions_count_characters() -> None:
    (mutant,) = mutants("s = 'é'; x = comm.recv(source=2)\n", [Defect.ANY_SOURCE])
    assert (mutant.line, mutant.column) == (1, 31)
    assert mutant.source == "s = 'é'; x = comm.recv(source=MPI.ANY_SOURCE)\n"


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    candidates = mutants("a = b + c\nif a > 2:\n    f(3)\n")
    assert list(sample(candidates, 5, seed=3)) == list(sample(candidates, 5, seed=3))
    assert len(list(sample(candidates, 10_000, seed=3))) == len(candidates)

"""The table of message-passing programs: their numbers of ranks, their roles and the inputs of the experiment."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent
Arguments = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessageProgram:
    """One of the programs; the inputs are its command-line arguments."""

    name: str
    ranks: int
    roles: str  # the functions that the ranks execute
    inputs: tuple[Arguments, ...]  # the test set T1

    @property
    def path(self) -> str:
        """The file of the program."""
        return str(_FOLDER / f"{self.name}.py")


def _arguments(*texts: str) -> tuple[Arguments, ...]:
    return tuple(tuple(text.split()) for text in texts)


def _random_values(count: int) -> str:
    numbers = random.Random(1)
    return " ".join(str(numbers.randint(0, 99)) for _ in range(count))


_MASTER = "master(0) worker(1-{})"

PROGRAMS = {
    one.name: one
    for one in (
        MessageProgram("sieve", 4, _MASTER.format(3), _arguments("30", "1", "2", "4")),
        MessageProgram(
            "gcd", 4, _MASTER.format(3), _arguments("2 8 4", "1 1 1", "6 9 12", "5 7 3", "12 8 1", "7 7 7", "3 6 1")
        ),
        MessageProgram("mmult", 4, _MASTER.format(3), _arguments("6 1", "7 1", "8 2", "2 1")),
        MessageProgram("philosophers", 10, "waiter(0) philosopher(1-9)", _arguments("")),
        MessageProgram(
            "pairwise", 8, "member(0-7)", _arguments("1 2 4 8 16 32 64 128", "5 5 5 5 5 5 5 5", "1 2 -3 4 5 6 7 8")
        ),
        MessageProgram(
            "reduction",
            6,
            "member(0-5)",
            _arguments("sum 1 2 3 4 5 6", "prod 1 2 3 4 5 6", "max 4 9 2 7 1 3", "min 4 9 2 7 1 3"),
        ),
        MessageProgram(
            "qsort",
            4,
            _MASTER.format(3),
            _arguments("", "5", "1 2 3 4 5 6 7 8", "8 7 6 5 4 3 2 1", "3 3 3 3 3 3 3 3", _random_values(64)),
        ),
        MessageProgram(
            "jacobi",
            6,
            _MASTER.format(5),
            _arguments("6 0.1 1", "7 0.1 1", "12 0.1 1", "6 0.00001 2", "12 0.00001 3", "6 1000 4"),
        ),
        MessageProgram("vanderwaals", 4, _MASTER.format(3), _arguments("1 2", "2 3")),
    )
}

# Variants with a defect that only some SYN-sequences reveal
FAULTY = {
    "gcd_wrong_source": MessageProgram("gcd_wrong_source", 4, PROGRAMS["gcd"].roles, PROGRAMS["gcd"].inputs),
    "mmult_wild": MessageProgram("mmult_wild", 4, PROGRAMS["mmult"].roles, PROGRAMS["mmult"].inputs),
    "vanderwaals_by_arrival": MessageProgram(
        "vanderwaals_by_arrival", 4, PROGRAMS["vanderwaals"].roles, PROGRAMS["vanderwaals"].inputs
    ),
}

# The program of the paper's figure 3. If a result is 1, its third slave gets no message, because MPI has no `pvm_kill`.
FIGURE_3 = MessageProgram("gcd_figure_3", 4, "master(0) slave(1-3)", _arguments("2 8 4"))

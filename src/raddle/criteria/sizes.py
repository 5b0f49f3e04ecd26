"""Sizes of the criteria of Lu, Jiang and Zhou (2007), computed with the paper's formulas.

The formulas assume that each thread makes the same accesses in every interleaving and that every interleaving is
possible. For such a program they are exact. Requirements that starts and joins make infeasible are left out (see
`raddle.criteria.start_join`). Locks and branches make other requirements infeasible, so for some programs the formulas
give only an upper bound. The paper is interpreted as follows:

* An access counts only if at least two threads access the variable, as in the paper's model. If one of two threads has
  no such access, or none to the variable in question, there is nothing to interleave. For such a pair of threads, the
  paper's sum over all pairs would add a requirement that every execution covers.
* For LR-Def and LR-Inv the paper says only that the size lies between N and 2N. The exact size is derived here. A read
  can always get a local value (its thread may run alone up to that point), and a remote one if another thread writes
  the variable. A pair can always be serializable, and it can be unserializable if another thread makes an access of the
  kind required for that.
* A read that comes before all writes gets its value from the initial state. The initial state includes everything that
  the first thread wrote before it started another thread.
* For programs with branches, the accesses of a thread, its consecutive pairs and its access sequences (lines) are
  collected from all executions as sets. The formulas sum over these sets, so no covered requirement is missing from the
  sum.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product
from math import comb, log10, prod

from raddle.criteria.interleavings import interleavings, multinomial
from raddle.criteria.observed_accesses import Access, ObservedAccesses, Profile
from raddle.criteria.start_join import StartJoinOrder
from raddle.entities import AbstractVariable
from raddle.operation import READ, WRITE
from raddle.tally import STATIC, UNKNOWN, Total

INITIAL = "initial"  # the source of a read that comes before all writes
# The kind of remote access that makes two consecutive local accesses unserializable (Lu et al., AVIO, 2006).
UNSERIALIZABLE_BY: Mapping[tuple[str, str], str] = {
    (READ, READ): WRITE,
    (WRITE, READ): WRITE,
    (WRITE, WRITE): READ,
    (READ, WRITE): WRITE,
}

MAX_CHOICES = 1_000  # maximum number of ways to choose one line per thread; beyond that, starts and joins are ignored
MAX_DIGITS = 4000  # CPython refuses to convert integers of more than 4300 digits to text

Program = Sequence[Sequence[tuple[str, str]]]  # for each thread, the kind and variable of each access
Lines = Counter[Profile]  # number of lines of one thread with each profile
Lengths = Counter[int]  # number of lines of one thread with each length
Group = list[tuple[str, Lines]]  # the labels of the threads that take part, and their lines


def sizes(program: Program) -> dict[str, int]:
    """Return the size of each criterion for a program without branches or synchronization.

    In the paper's example, each of four threads reads v, reads u, writes v and writes u:

    >>> thread = [("read", "v"), ("read", "u"), ("write", "v"), ("write", "u")]
    >>> sizes([thread] * 4)
    {'all': 63063000, 'tpair': 420, 'svar': 72, 'def-use': 32, 'pinv': 56, 'lr-def': 16, 'lr-inv': 16}
    """
    return sizes_seen(_seen(program))


def sizes_seen(seen: ObservedAccesses) -> dict[str, int]:
    """Return the size of each criterion, given the observed accesses.

    >>> x = AbstractVariable("m.py", "", "x")
    >>> read, write = ("T1", "read", 70001, 1), ("T2", "write", 70002, 1)
    >>> seen = ObservedAccesses(1, {(x, read), (x, write)}, sources={(x, "initial", read)})
    >>> sizes_seen(seen)["lr-def"]  # T1 gets the initial value or the one that T2 wrote
    2
    """
    return {name: formula(seen) for name, formula in FORMULAS.items()}


def total_seen(criterion: str, seen: ObservedAccesses) -> Total:
    """Return the size of one criterion; it is unknown without executions, or if the number has too many digits.

    >>> str(total_seen("pinv", ObservedAccesses())), str(total_seen("pinv", ObservedAccesses(1)))
    ('unknown', 'nothing to cover')
    """
    groups = GROUPS[criterion](seen) if criterion in GROUPS else ()
    if not seen.executions or any(map(_too_long, groups)):
        return Total(None, UNKNOWN)
    return Total(FORMULAS[criterion](seen), STATIC)


def satisfied_by(program: Program, order: Sequence[tuple[int, int]]) -> int:
    """Return the number of interleavings in which these accesses, given by thread and index, come in this order.

    Two threads with two accesses each have six interleavings. In five of them, the first access of the first thread
    comes before the last access of the second. In the sixth, all accesses of the second thread come first:

    >>> thread = [("read", "v"), ("write", "v")]
    >>> satisfied_by([thread, thread], [(0, 0), (1, 1)])
    5
    """
    shared = _shared(program)
    kept = [[index for index, (_, variable) in enumerate(line) if variable in shared] for line in program]
    for thread, index in order:
        if index not in kept[thread]:
            raise ValueError(
                f"access {index} of thread {thread} is to a variable that no other thread accesses: omit this access"
            )
    involved = sorted({thread for thread, _ in order})
    chains = [len(kept[thread]) for thread in involved]
    others = [len(line) for thread, line in enumerate(kept) if thread not in involved]
    wanted = [(involved.index(thread), kept[thread].index(index)) for thread, index in order]
    # The other threads interleave with the involved threads as if the latter were a single thread.
    return _orders(chains, wanted) * multinomial([sum(chains), *others])


def size_of_def_use(seen: ObservedAccesses) -> int:
    """Return the size of def-use, N^r + Σ N_iv^r · N_jv^w: one local source and all remote writes for each read."""
    remote = RemoteAccesses(seen)
    return len(seen.sources) + sum(remote.seen_by(*read) for read in seen.accesses if read[1][1] == READ)


def size_of_pinv(seen: ObservedAccesses) -> int:
    """Return the size of pinv, PN + Σ PN_iv · N_jv: each pair alone, and with each remote access in between."""
    remote = RemoteAccesses(seen)
    return len(seen.calm) + sum(remote.between(*pair, kinds=(READ, WRITE)) for pair in seen.pairs)


def size_of_lr_def(seen: ObservedAccesses) -> int:
    """Return the size of lr-def, which is N^r plus the number of reads of variables that another thread writes."""
    remote = RemoteAccesses(seen)
    reads = {read for read in seen.accesses if read[1][1] == READ}
    local = {(variable, read) for variable, _, read in seen.sources}
    return len(reads & local) + sum(bool(remote.seen_by(*read)) for read in reads)


def size_of_lr_inv(seen: ObservedAccesses) -> int:
    """Return the size of lr-inv, which is PN plus the number of pairs that another thread can make unserializable."""
    remote = RemoteAccesses(seen)
    return len(seen.calm) + sum(
        bool(remote.between(*pair, kinds=(UNSERIALIZABLE_BY[pair[1][1], pair[2][1]],))) for pair in seen.pairs
    )


class RemoteAccesses:
    """Counts the remote accesses that a read can see or that can come between the accesses of a pair.

    Starts and joins rule out some of these accesses. Accesses in the same position relative to starts and joins share
    one cached result.
    """

    def __init__(self, seen: ObservedAccesses) -> None:
        self._order = StartJoinOrder(seen)
        self._accesses: dict[AbstractVariable, list[Access]] = defaultdict(list)
        for variable, access in seen.accesses:
            self._accesses[variable].append(access)
        self._known: dict[tuple[object, ...], int] = {}

    def seen_by(self, variable: AbstractVariable, read: Access) -> int:
        """Return the number of writes by other threads that the read can see."""
        place = variable, self._order.place(variable, read)
        number = self._known.get(place)
        if number is None:
            number = self._known[place] = sum(
                write[1] == WRITE and write[0] != read[0] and self._order.can_see(variable, write, read)
                for write in self._accesses[variable]
            )
        return number

    def between(self, variable: AbstractVariable, first: Access, second: Access, *, kinds: tuple[str, ...]) -> int:
        """Return the number of accesses of these kinds by other threads that can come between two accesses."""
        place = variable, self._order.place(variable, first), self._order.place(variable, second), kinds
        number = self._known.get(place)
        if number is None:
            number = self._known[place] = sum(
                other[1] in kinds
                and other[0] != first[0]
                and self._order.can_come_between(variable, first, other, second)
                for other in self._accesses[variable]
            )
        return number


def groups_of_all(seen: ObservedAccesses) -> list[Group]:
    """Return the groups for `all`: all threads of an execution, with Π C(N_i + … + N_M, N_i) interleavings."""
    lines = _lines(seen)
    return [[(thread, lines[None, thread]) for thread in meeting] for meeting in seen.meetings]


def groups_of_tpair(seen: ObservedAccesses) -> list[Group]:
    """Return the groups for `tpair`: each pair of threads, with Σ C(N_i + N_j, N_i) interleavings.

    The sum sign is missing from the scanned paper.
    """
    lines = _lines(seen)
    couples = {couple for meeting in seen.meetings for couple in combinations(meeting, 2)}
    return [[(thread, lines[None, thread]) for thread in couple] for couple in couples]


def groups_of_svar(seen: ObservedAccesses) -> list[Group]:
    """Return the groups for `svar`: two threads and one variable, with Σ C(N_iv + N_jv, N_iv) interleavings."""
    touching: dict[AbstractVariable, Group] = defaultdict(list)
    for (variable, thread), lines in _lines(seen).items():
        if variable is not None:
            touching[variable].append((thread, lines))
    return [[one, other] for lines_of in touching.values() for one, other in combinations(lines_of, 2)]


GROUPS: Mapping[str, Callable[[ObservedAccesses], list[Group]]] = {
    "all": groups_of_all,
    "tpair": groups_of_tpair,
    "svar": groups_of_svar,
}
FORMULAS: Mapping[str, Callable[[ObservedAccesses], int]] = {
    "all": lambda seen: _size(seen, groups_of_all(seen)),
    "tpair": lambda seen: _size(seen, groups_of_tpair(seen)),
    "svar": lambda seen: _size(seen, groups_of_svar(seen)),
    "def-use": size_of_def_use,
    "pinv": size_of_pinv,
    "lr-def": size_of_lr_def,
    "lr-inv": size_of_lr_inv,
}


def _size(seen: ObservedAccesses, groups: Iterable[Group]) -> int:
    """Return the number of interleavings of all groups, summed over every choice of one line per thread."""
    order = StartJoinOrder(seen)
    return sum(_interleavings(group, order) for group in groups)


def _interleavings(group: Group, order: StartJoinOrder) -> int:
    if prod(len(lines) for _, lines in group) > MAX_CHOICES:
        return _unordered([_lengths(lines) for _, lines in group])
    number = 0
    for choice in product(*(lines.items() for _, lines in group)):
        chosen = [(thread, profile) for (thread, _), (profile, _) in zip(group, choice, strict=True)]
        number += prod(times for _, times in choice) * interleavings(chosen, order.clock)
    return number


def _unordered(group: Iterable[Lengths]) -> int:
    """Return the number of interleavings of a group if nothing orders its lines."""
    ways = {0: 1}  # maps the number of accesses so far to the number of interleavings
    for lengths in group:
        wider: dict[int, int] = defaultdict(int)
        for before, number in ways.items():
            for length, lines in lengths.items():
                wider[before + length] += number * lines * comb(before + length, length)
        ways = wider
    return sum(ways.values())


def _lengths(lines: Lines) -> Lengths:
    lengths: Lengths = Counter()
    for profile, times in lines.items():
        lengths[sum(accesses for _, accesses in profile)] += times
    return lengths


def _too_long(group: Group) -> bool:
    # An upper bound on the interleavings of the longest lines: at each access, any of the threads can be next.
    accesses = sum(max(_lengths(lines)) for _, lines in group)
    return accesses * log10(len(group)) + sum(log10(lines.total()) for _, lines in group) > MAX_DIGITS


def _orders(chains: Sequence[int], wanted: Sequence[tuple[int, int]]) -> int:
    """Return the number of interleavings of chains in which the wanted elements come in the given order."""
    after = {later: earlier for earlier, later in pairwise(wanted)}
    # Maps the positions in all chains to the number of ways to reach them.
    ways = Counter({tuple(0 for _ in chains): 1})
    for _ in range(sum(chains)):
        further: Counter[tuple[int, ...]] = Counter()
        for done, number in ways.items():
            for chain, index in enumerate(done):
                before, needed = after.get((chain, index), (chain, -1))
                if index < chains[chain] and done[before] > needed:
                    step = (*done[:chain], index + 1, *done[chain + 1 :])
                    further[step] += number
        ways = further
    return sum(ways.values())


def _lines(seen: ObservedAccesses) -> dict[tuple[AbstractVariable | None, str], Lines]:
    lines: dict[tuple[AbstractVariable | None, str], Lines] = defaultdict(Counter)
    for variable, thread, profile, _ in seen.lines:
        lines[variable, thread][profile] += 1
    return lines


def _shared(program: Program) -> set[str]:
    threads: dict[str, set[int]] = defaultdict(set)
    for thread, line in enumerate(program):
        for kind, variable in line:
            if kind not in (READ, WRITE):
                raise ValueError(f"an access must be a read or a write, not {kind!r}")
            threads[variable].add(thread)
    return {variable for variable, touching in threads.items() if len(touching) > 1}


def _seen(program: Program) -> ObservedAccesses:
    """Return the accesses that occur in every execution of the program."""
    shared, seen = _shared(program), ObservedAccesses(1)
    meeting = []
    for number, line in enumerate(program):
        label, kept = f"T{number}", [(kind, name) for kind, name in line if name in shared]
        if kept:
            meeting.append(label)
            seen.lines.add((None, label, ((0, len(kept)),), ""))
        for name in dict.fromkeys(name for _, name in kept):
            _see_variable(seen, label, name, [kind for kind, other in kept if other == name])
    if meeting:
        seen.meetings.add(tuple(meeting))
    return seen


def _see_variable(seen: ObservedAccesses, label: str, name: str, kinds: Sequence[str]) -> None:
    variable = AbstractVariable("", "", name)
    accesses: list[Access] = [(label, kind, index, 1) for index, kind in enumerate(kinds)]
    source: Access | str = INITIAL
    for access in accesses:
        if access[1] == READ:
            seen.sources.add((variable, source, access))
        else:
            source = access
    seen.accesses.update((variable, access) for access in accesses)
    seen.pairs.update((variable, *pair) for pair in pairwise(accesses))
    seen.calm |= seen.pairs
    seen.lines.add((variable, label, ((0, len(kinds)),), ""))

"""How many requirements the criteria of Lu, Jiang and Zhou (2007) have, by the paper's formulas.

The formulas suppose that each thread does the same in every interleaving and that any interleaving can happen.
For such a program they are exact. What starts and joins make impossible is left out (see `raddle.criteria.start_join`);
locks and branches make other requirements impossible, so for some programs they give more than there are. Readings of
the paper:

* Only accesses to variables that two threads touch count, as in its model. Two threads of which one has no such
  access, or none to the variable in question, have nothing to interleave: the paper's sum over all pairs would add
  a requirement for them that every execution covers.
* Of LR-Def and LR-Inv it says only that they lie between N and 2N. Exactly: a read can read a local value (its thread
  may run alone up to there), and a remote one if another thread writes the variable. A pair can go without an
  unserializable access, and have one if another thread has an access of the kind that does it.
* The value that a read finds before all writes is that of the initial state. It includes what the first thread wrote
  before it started another one.
* For programs with branches, what a thread did is a set: of accesses, of consecutive pairs, of whole lines of
  accesses. The formulas then sum over it, so that nothing that was covered is ever left out of the sum.
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
# The kind of a remote access that makes two consecutive local ones unserializable (Lu et al., AVIO, 2006).
UNSERIALIZABLE_BY: Mapping[tuple[str, str], str] = {
    (READ, READ): WRITE,
    (WRITE, READ): WRITE,
    (WRITE, WRITE): READ,
    (READ, WRITE): WRITE,
}

MAX_CHOICES = 1_000  # of one line for each thread; where there are more, starts and joins are left out
MAX_DIGITS = 4000  # CPython refuses to write whole numbers of more than 4300

Program = Sequence[Sequence[tuple[str, str]]]  # by thread: the kind of each access and its variable
Lines = Counter[Profile]  # how many lines of accesses of one thread have so many accesses in each segment
Lengths = Counter[int]  # the same, whatever the segments
Group = list[tuple[str, Lines]]  # threads that take part, by label


def sizes(program: Program) -> dict[str, int]:
    """The size of each criterion for a program without branches and synchronization.

    The paper's example, four threads that each read v, read u, write v, write u:

    >>> thread = [("read", "v"), ("read", "u"), ("write", "v"), ("write", "u")]
    >>> sizes([thread] * 4)
    {'all': 63063000, 'tpair': 420, 'svar': 72, 'def-use': 32, 'pinv': 56, 'lr-def': 16, 'lr-inv': 16}
    """
    return sizes_seen(_seen(program))


def sizes_seen(seen: ObservedAccesses) -> dict[str, int]:
    """The size of each criterion for a program of which executions showed this.

    >>> x = AbstractVariable("m.py", "", "x")
    >>> read, write = ("T1", "read", 70001, 1), ("T2", "write", 70002, 1)
    >>> seen = ObservedAccesses(1, {(x, read), (x, write)}, sources={(x, "initial", read)})
    >>> sizes_seen(seen)["lr-def"]  # what T1 reads was there before, or T2 wrote it
    2
    """
    return {name: formula(seen) for name, formula in FORMULAS.items()}


def total_seen(criterion: str, seen: ObservedAccesses) -> Total:
    """The same for one criterion; unknown if nothing was seen, or if the number is too long to be written.

    >>> str(total_seen("pinv", ObservedAccesses())), str(total_seen("pinv", ObservedAccesses(1)))
    ('unknown', 'nothing to cover')
    """
    groups = GROUPS[criterion](seen) if criterion in GROUPS else ()
    if not seen.executions or any(map(_too_long, groups)):
        return Total(None, UNKNOWN)
    return Total(FORMULAS[criterion](seen), STATIC)


def satisfied_by(program: Program, order: Sequence[tuple[int, int]]) -> int:
    """How many interleavings have these accesses, each given by thread and index, in this order.

    Two threads of two accesses each have six interleavings. In five of them the first one's first access comes
    before the other's last; the sixth is the one where the other runs first:

    >>> thread = [("read", "v"), ("write", "v")]
    >>> satisfied_by([thread, thread], [(0, 0), (1, 1)])
    5
    """
    shared = _shared(program)
    kept = [[index for index, (_, variable) in enumerate(line) if variable in shared] for line in program]
    for thread, index in order:
        if index not in kept[thread]:
            raise ValueError(f"no other thread touches the variable of access {index} of thread {thread}: leave it out")
    involved = sorted({thread for thread, _ in order})
    chains = [len(kept[thread]) for thread in involved]
    others = [len(line) for thread, line in enumerate(kept) if thread not in involved]
    wanted = [(involved.index(thread), kept[thread].index(index)) for thread, index in order]
    # Those involved are as one thread to the others.
    return _orders(chains, wanted) * multinomial([sum(chains), *others])


def size_of_def_use(seen: ObservedAccesses) -> int:
    """One local source for each read, and each write of another thread: N^r + Σ N_iv^r · N_jv^w."""
    remote = RemoteAccesses(seen)
    return len(seen.sources) + sum(remote.seen_by(*read) for read in seen.accesses if read[1][1] == READ)


def size_of_pinv(seen: ObservedAccesses) -> int:
    """Nothing between a pair, or each access of another thread: PN + Σ PN_iv · N_jv."""
    remote = RemoteAccesses(seen)
    return len(seen.calm) + sum(remote.between(*pair, kinds=(READ, WRITE)) for pair in seen.pairs)


def size_of_lr_def(seen: ObservedAccesses) -> int:
    """N^r, and once more each read of what another thread writes."""
    remote = RemoteAccesses(seen)
    reads = {read for read in seen.accesses if read[1][1] == READ}
    local = {(variable, read) for variable, _, read in seen.sources}
    return len(reads & local) + sum(bool(remote.seen_by(*read)) for read in reads)


def size_of_lr_inv(seen: ObservedAccesses) -> int:
    """PN, and once more each pair that another thread can make unserializable."""
    remote = RemoteAccesses(seen)
    return len(seen.calm) + sum(
        bool(remote.between(*pair, kinds=(UNSERIALIZABLE_BY[pair[1][1], pair[2][1]],))) for pair in seen.pairs
    )


class RemoteAccesses:
    """How many accesses of other threads can be seen by a read, or come between a pair, unless starts and joins forbid.

    Accesses that stand in the same place by these are looked at once.
    """

    def __init__(self, seen: ObservedAccesses) -> None:
        self._order = StartJoinOrder(seen)
        self._accesses: dict[AbstractVariable, list[Access]] = defaultdict(list)
        for variable, access in seen.accesses:
            self._accesses[variable].append(access)
        self._known: dict[tuple[object, ...], int] = {}

    def seen_by(self, variable: AbstractVariable, read: Access) -> int:
        """How many writes of other threads the read can see."""
        place = variable, self._order.place(variable, read)
        number = self._known.get(place)
        if number is None:
            number = self._known[place] = sum(
                write[1] == WRITE and write[0] != read[0] and self._order.can_see(variable, write, read)
                for write in self._accesses[variable]
            )
        return number

    def between(self, variable: AbstractVariable, first: Access, second: Access, *, kinds: tuple[str, ...]) -> int:
        """How many accesses of these kinds, of other threads, can come between the two."""
        place = variable, self._order.place(variable, first), self._order.place(variable, second), kinds
        number = self._known.get(place)
        if number is None:
            number = self._known[place] = sum(
                other[1] in kinds and other[0] != first[0] and self._order.can_part(variable, first, other, second)
                for other in self._accesses[variable]
            )
        return number


def groups_of_all(seen: ObservedAccesses) -> list[Group]:
    """All threads of an execution: Π C(N_i + … + N_M, N_i) interleavings."""
    lines = _lines(seen)
    return [[(thread, lines[None, thread]) for thread in meeting] for meeting in seen.meetings]


def groups_of_tpair(seen: ObservedAccesses) -> list[Group]:
    """Every two threads: Σ C(N_i + N_j, N_i) interleavings, a sum that the scan of the paper lost."""
    lines = _lines(seen)
    couples = {couple for meeting in seen.meetings for couple in combinations(meeting, 2)}
    return [[(thread, lines[None, thread]) for thread in couple] for couple in couples]


def groups_of_svar(seen: ObservedAccesses) -> list[Group]:
    """What every two threads do to one variable: Σ C(N_iv + N_jv, N_iv) interleavings."""
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
    """The interleavings of all groups; of one line of each thread, for every choice of lines."""
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
    """The same if nothing orders the lines."""
    ways = {0: 1}  # accesses of the threads so far -> interleavings of so many
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
    # At each access one of the threads is next; that is more than all interleavings of their longest lines.
    accesses = sum(max(_lengths(lines)) for _, lines in group)
    return accesses * log10(len(group)) + sum(log10(lines.total()) for _, lines in group) > MAX_DIGITS


def _orders(chains: Sequence[int], wanted: Sequence[tuple[int, int]]) -> int:
    """Interleavings of chains of such lengths in which the wanted elements come in that order."""
    after = {later: earlier for earlier, later in pairwise(wanted)}
    ways = Counter({tuple(0 for _ in chains): 1})  # how far each chain has come -> in how many ways
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
                raise ValueError(f"an access is a read or a write, not {kind!r}")
            threads[variable].add(thread)
    return {variable for variable, touching in threads.items() if len(touching) > 1}


def _seen(program: Program) -> ObservedAccesses:
    """What every execution of the program shows."""
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

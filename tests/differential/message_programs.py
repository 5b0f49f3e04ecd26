"""Random message-passing programs for comparisons with the brute-force interpreter."""

from __future__ import annotations

from random import Random

from message_oracle import ANY, Collective, Instruction, Irecv, Isend, Probe, Program, Recv, Send, Wait

Timed = tuple[float, int, Instruction]  # the time at which an instruction is issued, and its rank


def random_program(random: Random) -> Program:
    """Return a program whose messages mostly go to one rank, so that its receives have many choices."""
    ranks = random.choice((3, 3, 4))
    hub = random.randrange(ranks)
    synchronous = random.random() < 0.3
    timed: list[Timed] = []
    for _ in range(random.randint(5, 7)):
        destination = hub if random.random() < 0.8 else random.randrange(ranks)
        source = random.choice([rank for rank in range(ranks) if rank != destination])
        timed += _message(random, source, destination, synchronous=synchronous)
    program: list[list[Instruction]] = [[] for _ in range(ranks)]
    for _, rank, instruction in sorted(timed, key=lambda one: one[0]):
        program[rank].append(instruction)
    if random.random() < 0.3:
        _insert_collective(random, program)
    return [_with_waits(random, instructions) for instructions in program]


def _message(random: Random, source: int, destination: int, *, synchronous: bool) -> list[Timed]:
    """Return a send, and usually a receive that may accept other messages as well."""
    tag = random.randint(0, 1)
    send = Isend if random.random() < 0.2 else Send
    sent = random.random() + (0.5 if random.random() < 0.25 else 0)
    timed: list[Timed] = [(sent, source, send(destination, tag, synchronous and random.random() < 0.6))]
    if random.random() < 0.96:
        accepted = source if random.random() < 0.12 else ANY, tag if random.random() < 0.12 else ANY
        received = random.random() + (0.6 if random.random() < 0.8 else 0)
        receive = Irecv if random.random() < 0.35 else Recv
        timed.append((received, destination, receive(*accepted)))
        if random.random() < 0.08:
            timed.append((received - 0.01, destination, Probe(random.choice((ANY, source)), ANY)))
    return timed


def _insert_collective(random: Random, program: list[list[Instruction]]) -> None:
    all_ranks = tuple(range(len(program)))
    needs = random.choice(
        (
            (all_ranks,) * len(program),  # a barrier
            ((0,),) * len(program),  # a broadcast from rank 0
            (all_ranks, *((),) * (len(program) - 1)),  # a gather in rank 0
        )
    )
    for instructions in program:
        instructions.insert(random.randint(0, len(instructions)), Collective(needs))


def _with_waits(random: Random, instructions: list[Instruction]) -> list[Instruction]:
    """Return the instructions with waits for most nonblocking operations, in random order."""
    result: list[Instruction] = []
    begun: list[int] = []
    requests = 0
    for instruction in instructions:
        result.append(instruction)
        if isinstance(instruction, (Irecv, Isend)):
            begun.append(requests)
            requests += 1
        if begun and random.random() < 0.3:
            result.append(Wait(begun.pop(random.randrange(len(begun)))))
    return [*result, *(Wait(request) for request in begun if random.random() < 0.8)]

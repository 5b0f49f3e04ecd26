"""Roles, profiles, control flow and communication of small programs."""

from __future__ import annotations

import pytest
from golden import BASE, GCD, counts, graph

from raddle.errors import UsageError
from raddle.pcfg.build import build_pcfg
from raddle.pcfg.elements import Element, Elements, repeated_nodes
from raddle.pcfg.graph import Options, Pcfg
from raddle.pcfg.matching import Profile, Side
from raddle.pcfg.program import Source
from raddle.pcfg.unit import EXIT

HEAD = "from mpi4py import MPI\ncomm = MPI.COMM_WORLD\nrank = comm.Get_rank()\nsize = comm.Get_size()\n"


def edges(body: str) -> set[tuple[int, int, str]]:
    """Return the edges of a function, with line numbers; 0 stands for the end."""
    pcfg = graph(f"def f(x):\n{body}", 1, roles="f(0)")
    (unit,) = pcfg.processes[0].units
    lines = {node.number: node.line for node in unit.nodes} | {EXIT: 0}
    return {(lines[edge.source], lines[edge.target], str(edge.outcome)) for edge in unit.edges}


def lines_of_pairs(pcfg: Pcfg) -> set[tuple[str, int, str, int]]:
    return {(p.send.process, p.send.line, p.receive.process, p.receive.line) for p in pcfg.sync_edges}


def test_loops_have_true_and_false_edges() -> None:
    body = "    while x:\n        if x > 1:\n            break\n        continue\n    return x\n"
    assert edges(body) == {
        (1, 2, ""), (2, 3, "true"), (3, 4, "true"), (4, 6, ""), (3, 5, "false"), (5, 2, ""), (2, 6, "false"),
        (6, 0, ""),
    }  # fmt: skip


def test_an_endless_loop_is_left_only_by_break() -> None:
    assert edges("    while True:\n        if x:\n            break\n") == {
        (1, 2, ""), (2, 3, "true"), (3, 4, "true"), (3, 2, "false"), (4, 0, ""),
    }  # fmt: skip


def test_a_return_passes_through_finally() -> None:
    found = edges("    try:\n        return x\n    finally:\n        x = 2\n    x = 3\n")
    assert found == {(1, 3, ""), (3, 5, ""), (5, 0, ""), (6, 0, "")}  # nothing leads to line 6


def test_no_edge_leads_to_a_handler() -> None:
    # An exception can leave any statement of the block, so only the handler itself is required.
    assert edges("    try:\n        x = 1\n    except ValueError as e:\n        x = e\n    return x\n") == {
        (1, 3, ""), (3, 6, ""), (4, 5, ""), (5, 6, ""), (6, 0, ""),
    }  # fmt: skip


def test_definitions_reach_handlers() -> None:
    pcfg = graph(
        "def f(x):\n    try:\n        x = 1\n        g()\n    except ValueError:\n        h(x)\n", 1, roles="f(0)"
    )
    # x in h(x): defined at the entry or in the try block
    assert counts(pcfg)["all-c-uses"] == 2


def test_cases_of_match_are_outcomes() -> None:
    found = edges(
        "    match x:\n        case 1:\n            pass\n        case [y]:\n            x = y\n    return x\n"
    )
    assert {(source, target) for source, target, _ in found} == {
        (1, 2), (2, 3), (3, 4), (4, 7), (2, 5), (5, 6), (6, 7), (2, 7), (7, 0),
    }  # fmt: skip


def test_roles_are_given_by_name() -> None:
    pcfg = graph(GCD, 4, roles="master(0) worker(1,2-3)")
    assert [process.label for process in pcfg.processes] == ["master", "worker 1", "worker 2", "worker 3"]
    assert counts(pcfg) == counts(graph(GCD, 4))


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ("master(0)", "roles must name each rank from 0 to 3 once; 'master(0)' names [0]"),
        ("master(0) slave(1-3)", "program.py has no function 'slave' for a role; its functions: master, worker"),
        ("master 0", "roles must look like 'master(0) worker(1-3)', not 'master 0'"),
    ],
)
def test_wrong_roles_are_refused(roles: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        graph(GCD, 4, roles=roles)
    assert str(error.value) == message


def test_a_chain_of_comparisons_gives_each_rank_its_branch() -> None:
    text = HEAD + (
        "if rank == 0:\n    comm.send(1, dest=1)\n"
        "elif rank == 1:\n    comm.recv(source=0)\n    comm.send(2, dest=2)\n"
        "else:\n    comm.recv(source=1)\n"
    )
    # Rank 1 alone has both a send and a receive.
    assert lines_of_pairs(graph(text, 3)) == {("rank 0", 6, "rank 1", 8), ("rank 1", 9, "rank 2", 11)}


def test_without_roles_every_rank_has_the_whole_module() -> None:
    text = HEAD + "if rank > 0:\n    comm.send(rank, dest=0)\nelse:\n    comm.recv()\n"
    # Each of 3 ranks has one send and one receive: 6 raw pairs. The destination leaves those to rank 0.
    assert lines_of_pairs(graph(text, 3)) == {("rank 1", 6, "rank 0", 8), ("rank 2", 6, "rank 0", 8)}


RING = (
    HEAD + "right = (rank + 1) % size\ncomm.send(rank, dest=right, tag=1)\ncomm.recv(source=(rank - 1) % size, tag=2)\n"
)


@pytest.mark.parametrize(("profile", "edges"), [(Profile.LITERAL, 12), (Profile.TAGS, 0), (Profile.RANKS, 0)])
def test_profiles_compare_more(profile: Profile, edges: int) -> None:
    # 4*3 raw pairs. No rank is a literal; the tags 1 and 2 differ.
    assert len(graph(RING, 4, profile=profile).sync_edges) == edges


def test_the_profile_ranks_computes_ranks() -> None:
    pcfg = graph(RING.replace("tag=2", "tag=1"), 4, profile=Profile.RANKS)
    assert {(p.send.rank, p.receive.rank) for p in pcfg.sync_edges} == {(0, 1), (1, 2), (2, 3), (3, 0)}
    reason = next(reason for pair, reason in pcfg.eliminated if (pair.send.rank, pair.receive.rank) == (0, 2))
    assert reason.side is Side.SEND
    assert reason.reason == (
        "the send at program.py:6 names rank 1 (right), but the receive at program.py:7 runs in rank 2, which is rank 2"
    )


def test_a_collective_transfers_data_as_its_pattern_says() -> None:
    text = (
        HEAD
        + "x = comm.bcast(x, root=1)\ny = comm.gather(x)\ncomm.Barrier()\nz = comm.allreduce(y)\nw = comm.scan(z)\n"
    )
    pairs = {(p.send.line, p.send.rank, p.receive.rank) for p in graph(text, 3).sync_edges}
    assert pairs == {
        (5, 1, 0), (5, 1, 2),  # from the root
        (6, 1, 0), (6, 2, 0),  # to the root, rank 0 by default
        (8, 0, 1), (8, 0, 2), (8, 1, 0), (8, 1, 2), (8, 2, 0), (8, 2, 1),
        (9, 0, 1), (9, 0, 2), (9, 1, 2),
    }  # fmt: skip


def test_buffers_are_sent_and_defined() -> None:
    text = HEAD + (
        "def a():\n    data = make()\n    comm.Send([data, MPI.INT], dest=1)\n"
        "def b():\n    buf = empty()\n    comm.Recv([buf, MPI.INT], source=0)\n    print(buf)\n"
    )
    found = counts(graph(text, 2, roles="a(0) b(1)"))
    # data reaches one edge; buf is defined by the receive, which kills the first definition, and used in one print.
    assert (found["all-s-uses"], found["all-s-c-uses"], found["all-c-uses"]) == (1, 1, 1)


def test_payloads_and_targets_pair_by_position() -> None:
    text = HEAD + (
        "def a(x, y):\n    comm.send((x, y), dest=1)\n"
        "def b():\n    p, q = comm.recv(source=0)\n    print(p)\n    if q:\n        pass\n"
    )
    elements = Elements(graph(text, 2, roles="a(0) b(1)"))
    # x arrives in p, which the print uses; y arrives in q, which the condition uses on both edges.
    assert [(key[1], key[6]) for key in elements.required(Element.S_C_USES)] == [("x", "p")]
    assert sorted((key[1], key[6], key[8]) for key in elements.required(Element.S_P_USES)) == [
        ("y", "q", "false"), ("y", "q", "true"),
    ]  # fmt: skip


def test_arguments_carry_definitions_into_a_called_function() -> None:
    text = HEAD + (
        "def deliver(data):\n    comm.send(data, dest=1)\n"
        "def a():\n    value = make()\n    deliver(value)\n"
        "def b():\n    comm.recv(source=0)\n"
    )
    elements = Elements(graph(text, 2, roles="a(0) b(1)"))
    # The parameter at the entry (line 5), and the caller's definition (line 8)
    numbering = {node.number: node.line for process in elements.pcfg.processes for node in process.nodes}
    assert {numbering[key[0]] for key in elements.required(Element.S_USES)} == {5, 8}


def test_nodes_in_loops_and_in_functions_called_twice_repeat() -> None:
    text = HEAD + (
        "def once():\n    f()\n    f()\n    for i in range(3):\n        g()\n    h()\n"
        "def f():\n    comm.send(1, dest=1)\ndef g():\n    comm.send(1, dest=1)\ndef h():\n    comm.send(1, dest=1)\n"
        "def b():\n    comm.recv(source=0)\n"
    )
    pcfg = graph(text, 2, roles="once(0) b(1)")
    repeated = repeated_nodes(pcfg.processes[0])
    # f is called twice (lines 11, 12), g in a loop (lines 8, 9, 13, 14), h once (15, 16)
    assert {node.line for node in pcfg.processes[0].nodes if node.number in repeated} == {8, 9, 11, 12, 13, 14}
    # f and g: 2 parts for the sends, h: 1; the receive is not in a loop.
    assert counts(pcfg)["all-edges-s*"] == 2 + 2 + 1


def test_functions_of_other_files_belong_to_the_process() -> None:
    files = {"talk": Source("talk.py", BASE << 1, "def tell(comm):\n    comm.send(1, dest=0)\n")}
    main = Source("main.py", BASE, "import talk\ndef a(comm):\n    talk.tell(comm)\ndef b(comm):\n    comm.recv()\n")
    pcfg = build_pcfg(main, Options(2, "b(0) a(1)"), files.get)
    assert [(pair.send.at, pair.receive.at) for pair in pcfg.sync_edges] == [("talk.py:2", "main.py:5")]


def test_a_generator_or_a_module_is_no_communicator() -> None:
    text = "import socket\nfrom functools import reduce\n"
    text += "def f(g, s):\n    g.send(1)\n    socket.send(1, 2)\n    reduce(g, s)\n"
    found = counts(graph(text, 2, roles="f(0-1)"))
    assert (found["all-nodes-s"], found["all-nodes-r"]) == (0, 0)

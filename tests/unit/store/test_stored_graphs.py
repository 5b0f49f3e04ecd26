"""Parallel control flow graphs in the data file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import raddle
from raddle.pcfg.build import build_pcfg
from raddle.pcfg.graph import Options
from raddle.pcfg.matching import Profile
from raddle.pcfg.program import Source
from raddle.pcfg.stored import as_json, from_json

PROGRAM = """\
from mpi4py import MPI
from talk import tell
comm = MPI.COMM_WORLD
if comm.rank == 0:
    comm.recv()
else:
    tell(comm)
"""
MODULE = "def tell(comm):\n    comm.send(comm.rank, dest=0)\n"


def measure(folder: Path) -> None:
    raddle.messages.explore(folder / "program.py", ranks=2, data_file=folder / "data", criteria="all-edges-s")


def test_a_graph_survives_json() -> None:
    main, module = Source("program.py", 1 << 16, PROGRAM), Source("talk.py", 1 << 17, MODULE)
    options = Options(2, None, Profile.TAGS, 3)
    built = build_pcfg(main, options, {"talk": module}.get)
    again = from_json(as_json(built))
    assert again == built
    assert again.processes == built.processes
    assert len(again.sync_edges) == 1


def test_a_changed_module_replaces_the_graph(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "talk.py").write_text(MODULE)
    measure(tmp_path)
    (tmp_path / "talk.py").write_text(MODULE + "    return None\n")
    measure(tmp_path)
    contents = raddle.store.read(tmp_path / "data")
    assert len(contents.model.graphs) == 1
    assert len(contents.tally.covered["all-edges-s"]) == 1


def test_a_file_without_graphs_gets_their_table(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "talk.py").write_text(MODULE)
    measure(tmp_path)
    with sqlite3.connect(tmp_path / "data") as connection:
        connection.execute("drop table graph")
    assert raddle.store.read(tmp_path / "data").model.graphs == ()
    measure(tmp_path)
    assert len(raddle.store.read(tmp_path / "data").model.graphs) == 1

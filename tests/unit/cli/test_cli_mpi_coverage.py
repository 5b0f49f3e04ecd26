"""The commands that measure the structural criteria, and `raddle mpi pcfg`."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from raddle.cli.mpi_explore import infeasible_lines, mpi_explore
from raddle.cli.mpi_pcfg import mpi_pcfg
from raddle.cli.mpi_run import mpi_run
from raddle.errors import UsageError
from raddle.messages.graphs import graph, why
from raddle.pcfg.elements import Element, Elements
from raddle.pcfg.graph import Options
from raddle.report.pcfg_drawing import Drawing
from raddle.store import DATA_FILE

# Rank 0 takes one message from each of two workers; in the first rank, nothing is sent.
FAN_IN = """\
from mpi4py import MPI
comm = MPI.COMM_WORLD
def collect():
    first = comm.recv()
    second = comm.recv()
    print(first + second)
def work():
    comm.send(comm.rank, dest=0)
if comm.rank == 0:
    collect()
else:
    work()
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "fan.py"
    path.write_text(FAN_IN)
    return str(path)


def output(capsys: pytest.CaptureFixture[str], command: Any, *arguments: str) -> str:
    assert command.main(list(arguments), standalone_mode=False) == 0
    return capsys.readouterr().out


def test_explore_stores_coverage(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = json.loads(output(capsys, mpi_explore, "-n", "3", "--criteria", "all-edges-s", "--json", program))
    # Each of two workers can be received first or second: 4 sync-edges, in 2 sequences.
    assert data["sequences"] == 2
    assert data["criteria"]["all-edges-s"]["covered"] == data["criteria"]["all-edges-s"]["static_total"] == 4
    assert Path(DATA_FILE).exists()


def test_run_shows_output_and_measures_one_execution(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "data")
    data = json.loads(output(capsys, mpi_run, "-n", "3", "--data-file", file, "--json", program))
    assert (data["executions"], data["output"]) == (1, "[0] 3\n")
    assert data["criteria"]["all-edges-s"]["covered"] == 2


def test_infeasible_elements_are_counted() -> None:
    rows = {
        "all-nodes": {"covered": 7, "total": 7, "total_kind": "exact", "static_total": 7},
        "all-edges": {"covered": 3, "total": 9, "total_kind": "static", "static_total": 9},
    }
    assert infeasible_lines(rows) == []


def test_pcfg_counts_required_elements(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, mpi_pcfg, "-n", "3", program).splitlines()
    assert lines[:4] == [
        "collect (rank 0): 4 nodes, 0 sends, 2 receives",
        "work 1 (rank 1): 2 nodes, 1 send, 0 receives",
        "work 2 (rank 2): 2 nodes, 1 send, 0 receives",
        "",
    ]
    assert "4 pairs of a send and a receive: 4 sync-edges, 0 eliminated" in lines
    assert "all-nodes           8" in lines


def test_pcfg_lists_elements(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(output(capsys, mpi_pcfg, "-n", "3", "--criteria", "all-nodes-s", "--json", program))
    assert data["elements"] == {"all-nodes-s": [f"work {rank} runs the send at fan.py:8" for rank in (1, 2)]}
    assert data["required"]["all-edges-s"] == data["sync_edges"] == 4


def test_why_explains_a_pair(tmp_path: Path) -> None:
    path = tmp_path / "fan.py"
    path.write_text(FAN_IN.replace("dest=0", "dest=1").replace("first = comm.recv()", "first = comm.recv(source=2)"))
    pcfg = graph(path, Options(3))
    (answer,) = why(pcfg, "8 work 2, 5 collect")
    assert str(answer) == (
        "send at fan.py:8 in work 2, receive at fan.py:5 in the collect: eliminated, because the send at fan.py:8 "
        "names rank 1, but the receive at fan.py:5 runs in the collect, which is rank 0"
    )
    assert len(why(pcfg, "fan.py:8, 4")) == 2


@pytest.mark.parametrize("question", ["8", "8, 7", "work, collect"])
def test_why_refuses_other_questions(program: str, question: str) -> None:
    with pytest.raises(UsageError) as error:
        why(graph(program, Options(3)), question)
    assert error.value.slug == "bad-pair"


def test_the_drawing_has_all_nodes_and_sync_edges(
    program: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "graph.svg"
    output(capsys, mpi_pcfg, "-n", "3", "--svg", str(file), program)
    root = ElementTree.fromstring(file.read_text())
    classes = [element.get("class", "") for element in root.iter("{http://www.w3.org/2000/svg}g")]
    assert sum(name.startswith("node") for name in classes) == 8
    assert classes.count("sync") == 4
    assert classes.count("control") == 3 + 1 + 1  # entry to the last statement of each function


def test_the_drawing_shows_covered_sync_edges(program: str) -> None:
    pcfg = graph(program, Options(3))
    first, *_ = Elements(pcfg).required(Element.SYNC_EDGES)
    text = Drawing(pcfg, {first}).svg()
    assert (text.count('class="sync covered"'), text.count('class="sync missing"')) == (1, 3)


def test_a_drawing_that_cannot_be_written_is_refused(program: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        mpi_pcfg.main(["-n", "3", "--svg", str(tmp_path / "no" / "graph.svg"), program], standalone_mode=False)

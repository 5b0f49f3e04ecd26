"""The page about the processes of a message-passing program."""

from __future__ import annotations

from pathlib import Path

from raddle.messages import explore
from raddle.report.html import write_pages
from raddle.store import Contents, read

PROGRAM = """\
from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    comm.recv(source=MPI.ANY_SOURCE)
else:
    comm.send(None, dest=0)
"""


def test_the_page_lists_covered_and_missing_sync_edges(tmp_path: Path) -> None:
    # Rank 0 receives one message. An execution delivers that of rank 1 or of rank 2, so one of two edges is missing.
    program, data_file = tmp_path / "one.py", tmp_path / "one.raddle"
    program.write_text(PROGRAM, encoding="utf-8")
    explore(
        program, ranks=3, approach="random", executions=1, sends="buffered", criteria="all-edges-s", data_file=data_file
    )
    write_pages(read(data_file), tmp_path / "out", title="one")
    page = (tmp_path / "out/processes.html").read_text(encoding="utf-8")
    assert "1 of 2 required sync-edges are covered" in page
    assert page.count("is delivered to the receive") == 2
    assert '<img src="data:image/svg+xml;base64,' in page
    assert 'href="processes.html"' in (tmp_path / "out/index.html").read_text(encoding="utf-8")


def test_reports_of_threads_have_no_such_page(tmp_path: Path) -> None:
    write_pages(Contents(), tmp_path / "out", title="threads")
    assert not (tmp_path / "out/processes.html").exists()
    assert "processes.html" not in (tmp_path / "out/index.html").read_text(encoding="utf-8")

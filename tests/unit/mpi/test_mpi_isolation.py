"""Scripts whose ranks use state that belongs to a process."""

from __future__ import annotations

import io
import textwrap
from pathlib import Path

import pytest

from raddle.errors import UsageError
from raddle.messages import explore
from raddle.result import Result


def run(folder: Path, script: str, *, ranks: int = 2, argv: tuple[str, ...] = ()) -> Result:
    path = folder / "program.py"
    path.write_text("from mpi4py import MPI\ncomm = MPI.COMM_WORLD\n" + textwrap.dedent(script), encoding="utf-8")
    return explore(path, ranks=ranks, argv=argv)


def failures(result: Result) -> list[str]:
    return [f"{finding.kind}: {finding.message}" for finding in result.findings]


def test_modules_of_the_program_belong_to_one_rank(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text("number = 0\n", encoding="utf-8")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from . import items\n", encoding="utf-8")
    (tmp_path / "package" / "items.py").write_text("ranks = []\n", encoding="utf-8")
    result = run(
        tmp_path,
        """
        import sys
        import counter
        from package.items import ranks

        class Point:
            pass

        def main():
            assert sys.modules["__main__"].Point is Point
            for _ in range(3):
                counter.number += 1
                ranks.append(comm.rank)
                comm.barrier()
            assert counter.number == 3
            assert ranks == [comm.rank] * 3
            assert type(comm.bcast(Point())) is Point

        if __name__ == "__main__":
            main()
        """,
    )
    assert failures(result) == []


def test_the_state_of_the_process_belongs_to_one_rank(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        """
        import os, random, sys
        folder = os.path.dirname(__file__)
        os.environ["RANK"] = str(comm.rank)
        if comm.rank:
            os.chdir(folder)
        before = os.getcwd()
        sys.argv.append(comm.rank)
        random.seed(comm.rank)
        numbers = [random.random()]
        comm.barrier()
        numbers.append(random.random())
        random.seed(comm.rank)
        assert numbers == [random.random(), random.random()]
        assert os.environ["RANK"] == str(comm.rank)
        assert os.getcwd() == before
        assert (before == os.path.realpath(folder)) == bool(comm.rank)
        assert sys.argv[1:] == ["size", comm.rank]
        """,
        argv=("size",),
    )
    assert failures(result) == []


def test_rank_0_reads_the_standard_input_in_every_execution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("3\nfour five\n"))
    result = run(
        tmp_path,
        """
        import sys
        if comm.rank == 0:
            assert int(input()) == 3
            assert sys.stdin.read(4) == "four"
            assert sys.stdin.read() == " five\\n"
            assert {comm.recv(), comm.recv()} == {1, 2}
        else:
            assert sys.stdin.read() == ""
            comm.send(comm.rank, dest=0)
        """,
        ranks=3,
    )
    assert failures(result) == []
    assert result.sequences == 2


def test_functions_registered_with_atexit_run_at_the_end_of_their_rank(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        """
        import atexit
        atexit.register(comm.bsend, comm.rank, dest=1 - comm.rank)
        if comm.rank == 1:
            assert comm.recv(source=0) == 0
        """,
    )
    # Rank 0 sends its message when it ends. Rank 1 sends one as well, which rank 0 does not receive.
    assert failures(result) == []
    assert [warning["subject"] for warning in result.warnings] == ["a message from R1 to R0 (tag 0)"]


def test_ranks_end_with_exit_codes(tmp_path: Path) -> None:
    assert failures(run(tmp_path, "import sys\nsys.exit(0)")) == []
    assert failures(run(tmp_path, "import sys\nsys.exit(comm.rank)")) == ["aborted: the rank called sys.exit(1)"]


def test_long_output_is_cut(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        """
        import sys
        sys.stdout.write("x" * 5_000_000 + "\\n")
        sys.stdout.buffer.write(b"bytes\\n")
        print("end", flush=True)
        """,
    )
    assert failures(result) == []


def test_threads_inside_ranks_are_rejected(tmp_path: Path) -> None:
    script = """
        import threading
        threading.Thread(target=comm.barrier).start()
        """
    with pytest.raises(UsageError, match="threads inside ranks"):
        run(tmp_path, script)

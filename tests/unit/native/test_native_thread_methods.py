"""`raddle run --thread-methods` applies to the program and to its child processes."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from program_runs import watched

from raddle.store import read

# All threads run `work` and `read` first. Only the third method distinguishes them.
PROGRAM = """
    import subprocess, sys, threading

    class Cell:
        value = 0
        def read(self): return self.value
        def write(self): self.value = 1

    def work(cell, last):
        cell.read()
        getattr(cell, last)()

    def main():
        cell = Cell()
        for last in ("write", "read", "write"):
            thread = threading.Thread(target=work, args=(cell, last))
            thread.start()
            thread.join(60)  # a join without a timeout would order the accesses

    if __name__ == "__main__":
        if sys.argv[1:]:
            subprocess.run([sys.executable, __file__], check=True)
        else:
            main()
"""


@pytest.mark.parametrize("arguments", [(), ("in another process",)], ids=["program", "child process"])
@pytest.mark.parametrize(("methods", "kinds"), [("2", 1), ("3", 2)])
def test_threads_are_distinguished_by_their_first_methods(
    tmp_path: Path, methods: str, kinds: int, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "cells.py").write_text(dedent(PROGRAM))
    options = ["--criteria", "du-pairs*", "--data-file", "data", "--thread-methods", methods]
    ended = watched(tmp_path, "cells.py", *arguments, options=options)
    assert ended.code == 0, ended.err
    keys = read(tmp_path / "data").tally.covered["du-pairs*"]
    workers = {part for key in keys for part in key if isinstance(part, tuple) and part[0] == "work"}
    assert len(workers) == kinds, keys

"""`raddle run --pinv-occurrences`: the number of occurrences of an access that `pinv` distinguishes."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from program_runs import watched

from raddle.store import read

PROGRAM = """
    import threading

    class Box:
        def __init__(self):
            self.x = 0

    def read(box):
        for _ in range(6):
            box.x

    def write(box):
        box.x = 1

    if __name__ == "__main__":
        box = Box()
        for target in (read, write):
            thread = threading.Thread(target=target, args=(box,))
            thread.start()
            thread.join(60)  # a join without a timeout would order the accesses, so no variable would be shared
"""


# One thread reads six times at one site. Two distinguished occurrences give the pairs 1-2 and 2-2. Four give 1-2,
# 2-3, 3-4 and 4-4.
@pytest.mark.parametrize(("given", "pairs"), [(["--pinv-occurrences", "2"], 2), ([], 4)])
def test_the_option_limits_the_distinguished_occurrences(tmp_path: Path, given: list[str], pairs: int) -> None:
    (tmp_path / "boxes.py").write_text(dedent(PROGRAM))
    ended = watched(tmp_path, "boxes.py", options=["--criteria", "pinv", "--data-file", "data", *given])
    assert ended.code == 0, ended.err
    assert len(read(tmp_path / "data").tally.covered["pinv"]) == pairs

"""Child processes of a program are measured and behave as they do without raddle."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest
from program_runs import plain, watched

from raddle.store import read

SHARED = """
import threading
class Counter:
    def __init__(self): self.value, self.lock = 0, threading.Lock()
    def add(self):
        with self.lock: self.value += 1
def count(n):
    counter = Counter()
    threads = [threading.Thread(target=counter.add) for _ in range(n)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return counter.value
"""

PROGRAMS = {
    "fork": """
        import os
        from shared import count
        if __name__ == "__main__":
            pid = os.fork()
            if pid == 0:
                print(count(2), flush=True)
                os._exit(4)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), count(3))
    """,
    "multiprocessing fork": """
        import multiprocessing
        from shared import count
        if __name__ == "__main__":
            context = multiprocessing.get_context("fork")
            process = context.Process(target=count, args=(2,))
            process.start()
            process.join()
            print(process.exitcode, count(3))
    """,
    "multiprocessing spawn": """
        import multiprocessing
        from shared import count
        def work(n): return count(n)
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(work, [2]))
                pool.close()
                pool.join()
            print(count(3))
    """,
    "subprocess of a script": """
        import subprocess, sys
        from shared import count
        print(count(3), flush=True)
        done = subprocess.run([sys.executable, "child.py", "given"], capture_output=True, text=True)
        print(done.returncode, done.stdout, done.stderr)
    """,
    "subprocess of a module": """
        import subprocess, sys
        from shared import count
        print(count(3), flush=True)
        print(subprocess.run([sys.executable, "-m", "child", "given"], capture_output=True, text=True).stdout)
    """,
    "subprocess of a text": """
        import subprocess, sys
        from shared import count
        print(count(3), flush=True)
        subprocess.run([sys.executable, "-c", "import sys; from shared import count; print(count(2), sys.path[0])"])
    """,
}

CHILD = """
import os, sys
from shared import count
class Main:
    value = 0
main = Main()
main.value = count(2)
print(__name__, sys.argv, sys.path[0], os.path.basename(__file__), __spec__ and __spec__.name, __package__, main.value)
print([entry for entry in sys.path if "startup" in entry], "sitecustomize" in sys.modules)
if "fail" in sys.argv: main.nothing
"""


def write(folder: Path, source: str) -> None:
    (folder / "program.py").write_text(dedent(source))
    (folder / "child.py").write_text(CHILD)
    (folder / "shared.py").write_text(SHARED)


@pytest.mark.parametrize("name", PROGRAMS)
def test_child_processes_are_measured(tmp_path: Path, name: str) -> None:
    write(tmp_path, PROGRAMS[name])
    ended = watched(tmp_path, "program.py", options=["--criteria", "sync", "--data-file", "data"])
    expected = plain(tmp_path, "program.py")
    assert (ended.code, ended.err) == (expected.code, expected.err)
    # Under raddle the child always has a sitecustomize module. Without raddle, only some distributions of Python have
    # one.
    assert ended.out == expected.out.replace("[] False", "[] True")
    contents = read(tmp_path / "data")
    assert len(contents.runs) == 2  # one per process
    # Both processes acquire the lock at the same site.
    (acquired,) = [
        covered for (site, aspect), covered in contents.tally.covered["sync"].items()
        if aspect == "visited" and contents.sites[site].file == "shared.py"
    ]  # fmt: skip
    assert acquired.executions == 2


def test_the_main_script_of_a_child_is_instrumented(tmp_path: Path) -> None:
    write(tmp_path, "import subprocess, sys; subprocess.run([sys.executable, 'child.py'])")
    (tmp_path / "child.py").write_text("import threading\nlock = threading.Lock()\nwith lock: pass\n")
    watched(tmp_path, "program.py", options=["--criteria", "sync", "--data-file", "data"])
    assert ("child.py") in {site.file for site in read(tmp_path / "data").sites.values()}


def test_a_failing_child_has_the_same_exit_code_and_traceback(tmp_path: Path) -> None:
    source = "import subprocess, sys; sys.exit(subprocess.run([sys.executable, 'child.py', 'fail']).returncode)"
    write(tmp_path, source)
    ended, expected = watched(tmp_path, "program.py"), plain(tmp_path, "program.py")
    assert (ended.code, ended.err) == (expected.code, expected.err)
    assert "AttributeError" in ended.err


def test_the_users_own_sitecustomize_runs(tmp_path: Path) -> None:
    write(tmp_path, "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import sys; print(sys.mine)'])")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import sys\nsys.mine = __file__\n")
    env = {"PYTHONPATH": str(tmp_path / "site")}
    assert watched(tmp_path, "program.py", env=env) == plain(tmp_path, "program.py", env=env)


def test_xdist_workers_are_measured(tmp_path: Path) -> None:
    write(tmp_path, "")
    (tmp_path / "test_it.py").write_text(
        "import pytest, threading\nfrom shared import count\nlock = threading.Lock()\n"
        "@pytest.mark.parametrize('n', range(4))\n"
        "def test_count(n):\n    with lock: assert count(n) == n\n"
    )
    ended = watched(
        tmp_path, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-p", "no:randomly",
        options=["--criteria", "sync", "--data-file", "data"],
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "4 passed" in ended.out
    contents = read(tmp_path / "data")
    files = {site.file for site in contents.sites.values()}
    assert {"shared.py", "test_it.py"} <= files
    assert len(contents.runs) >= 2


def test_a_nested_raddle_run_measures_only_its_own_program(tmp_path: Path) -> None:
    """The inner `raddle run` stores the child's coverage in its own data file."""
    run = "import sys; from raddle.cli.run import run; sys.exit(run.main(args=sys.argv[1:], standalone_mode=False))"
    write(
        tmp_path,
        f"""
        import subprocess, sys
        options = ["--criteria", "sync", "--data-file", "inner", "--json-file", "inner.json"]
        print(subprocess.run([sys.executable, "-c", {run!r}, *options, "child.py"]).returncode)
        """,
    )
    ended = watched(tmp_path, "program.py", options=["--criteria", "sync", "--data-file", "outer"])
    assert (ended.code, ended.err) == (0, "")
    assert [run.origin for run in read(tmp_path / "inner").runs] == ["run child.py"]
    assert [run.origin for run in read(tmp_path / "outer").runs] == ["run program.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_killed_child_does_not_affect_its_parent(tmp_path: Path) -> None:
    write(
        tmp_path,
        """
        import os, signal, subprocess, sys
        from shared import count
        if "child" in sys.argv: count(2); os.kill(os.getpid(), signal.SIGKILL)
        print(subprocess.run([sys.executable, __file__, "child"]).returncode, count(3))
        """,
    )
    ended = watched(tmp_path, "program.py", options=["--criteria", "sync", "--data-file", "data"])
    assert (ended.code, ended.out) == (0, "-9 3\n")
    assert len(read(tmp_path / "data").runs) == 1

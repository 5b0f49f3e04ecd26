"""The test helpers in `processes` and `warm` end every process that a test starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import processes
import warm

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

IMPORT_PATH = f"import sys; sys.path.insert(0, {str(Path(processes.__file__).parent)!r})"
WAITS = [sys.executable, "-c", "import signal; print('ready', flush=True); signal.pause()"]
# Starts a second process, waits until that process is running (its environment cannot be read earlier), prints its pid,
# and ends.
STARTS_ONE = [
    sys.executable,
    "-c",
    f"import subprocess; p = subprocess.Popen({WAITS!r}, stdout=subprocess.PIPE); p.stdout.readline(); print(p.pid)",
]


@pytest.fixture
def outcomes_of(pytester, monkeypatch):
    """A function that runs tests with this suite's checks, but gives processes no grace period in which to end."""
    pytester.makeconftest(
        f"{IMPORT_PATH}\n"
        "import processes; processes.GRACE_SECONDS = 0\n"
        "from processes import default_signals, no_child_is_left, no_descendant_is_left\n"
    )
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # importing plugins takes longer than the test

    def outcomes_of(body):
        pytester.makepyfile(f"import subprocess, sys\nWAITS, STARTS_ONE = {WAITS!r}, {STARTS_ONE!r}\n{body}")
        return pytester.runpytest_subprocess().parseoutcomes()

    return outcomes_of


def test_a_child_process_left_running_fails_its_test(outcomes_of):
    body = "def test_it(): sys.kept = subprocess.Popen(WAITS, stdout=subprocess.DEVNULL)\ndef test_other(): pass\n"
    assert outcomes_of(body) == {"passed": 2, "errors": 1}


def test_a_grandchild_process_left_running_fails_its_module(outcomes_of):
    body = "def test_it(): subprocess.run(STARTS_ONE, check=True)\n"
    assert outcomes_of(body) == {"passed": 1, "errors": 1}


def test_a_child_process_that_has_ended_fails_nothing(outcomes_of):
    assert outcomes_of("def test_it(): subprocess.run([sys.executable, '-c', ''], check=True)\n") == {"passed": 1}


def test_grandchildren_end_with_the_block():
    with processes.started(STARTS_ONE, stdout=subprocess.PIPE, text=True) as process:
        grandchild = int(process.stdout.readline())
    assert processes._ends(grandchild)


def test_a_block_that_fails_ends_its_process_and_closes_its_pipes():
    block = processes.started(WAITS, stdout=subprocess.PIPE, text=True)
    process = block.__enter__()
    assert process.stdout.readline() == "ready\n"
    assert not block.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert process.returncode == -signal.SIGKILL
    assert process.stdout.closed


def test_sigint_has_its_default_handler_even_if_it_is_ignored_outside_the_tests(pytester):
    pytester.makeconftest(f"{IMPORT_PATH}\nfrom processes import default_signals")
    pytester.makepyfile(
        """
        import signal, subprocess, sys
        def test_here():
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        def test_in_a_process():
            code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
            assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\\n"
        """
    )
    ignoring = "import signal, sys, pytest; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.exit(pytest.main(['-q']))"
    done = processes.run([sys.executable, "-c", ignoring], cwd=pytester.path, capture_output=True, text=True)
    assert "2 passed" in done.stdout


def test_a_forked_module_runs_as_a_separate_program(tmp_path):
    (tmp_path / "program.py").write_text(
        "import atexit, os, sys\n"
        "atexit.register(print, 'at exit')\n"
        "print(__name__, sys.argv[1:], os.environ['MINE'], os.getcwd() == os.path.dirname(__file__))\n"
        "sys.exit('wrong')\n"
    )
    done = warm.run("program", "a", "b c", cwd=tmp_path, env=os.environ | {"MINE": "1"})
    assert (done.returncode, done.stdout, done.stderr) == (1, "__main__ ['a', 'b c'] 1 True\nat exit\n", "wrong\n")
    assert "program" not in sys.modules
    (tmp_path / "program.py").write_text("import os; os.kill(os.getpid(), 9)")
    assert warm.run("program", cwd=tmp_path).returncode == -9


@pytest.mark.parametrize(("end", "code"), [("", 0), ("sys.exit()", 0), ("sys.exit(True)", 1), ("sys.exit(7)", 7)])
def test_a_forked_program_ends_as_under_python(end, code, tmp_path):
    """Threads end first, then exit handlers run. The last line has no newline, so only the final flush writes it."""
    (tmp_path / "program.py").write_text(
        "import atexit, sys, threading\n"
        "atexit.register(print, 'at exit', end='')\n"
        "ended = threading.Event()\n"
        "threading.Thread(target=lambda: (ended.wait(), print('thread'))).start()\n"
        "threading.Timer(0, ended.set).start()\n"
        f"{end}\n"
    )
    done = warm.python("program.py", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "thread\nat exit", "")


def test_processes_started_by_a_forked_module_end_with_it(tmp_path):
    (tmp_path / "program.py").write_text(STARTS_ONE[-1])
    done = warm.run("program", cwd=tmp_path)
    assert processes._ends(int(done.stdout))


def test_a_forked_file_and_a_forked_command_run_as_under_python(tmp_path):
    (tmp_path / "program.py").write_text(
        "import sys\n"
        "print(__name__, sys.argv, sys.modules['__main__'].__file__ == __file__, input())\n"
        "print('wrong', file=sys.stderr)\n"
        "print('right')\n"
    )
    unbuffered = os.environ | {"PYTHONUNBUFFERED": "1"}
    done = warm.python("program.py", "a", cwd=tmp_path, stdin="given\n", merged=True, env=unbuffered)
    assert (done.stdout, done.stderr) == ("__main__ ['program.py', 'a'] True given\nwrong\nright\n", "")
    done = warm.python("-c", "import sys; print(__name__, sys.argv)", "a", cwd=tmp_path)
    assert done.stdout == "__main__ ['-c', 'a']\n"


def test_a_forked_program_finds_the_requested_modules_imported(tmp_path):
    code = "import sys; print([name for name in ('pytest', 'raddle', 'raddle.site') if name in sys.modules])"
    assert warm.python("-c", code, cwd=tmp_path).stdout == "['pytest', 'raddle', 'raddle.site']\n"
    assert warm.python("-c", code, cwd=tmp_path, imported=("raddle.site",)).stdout == "['raddle', 'raddle.site']\n"


def test_a_forked_program_that_hangs_is_killed(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(warm, "HANG_SECONDS", 0)
        with pytest.raises(TimeoutError, match="still ran after 0 seconds"):
            warm.python("-c", "import signal; signal.pause()", cwd=tmp_path)
    assert warm.python("-c", "print('next')", cwd=tmp_path).stdout == "next\n"

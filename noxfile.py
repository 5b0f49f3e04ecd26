"""Runs the tests on each supported Python version. `nox --list` shows the sessions; `make test` runs the default ones.

Python 3.11 is the reference interpreter and runs every test that is not marked `long`. The other interpreters also skip
the tests marked `slow` (see tests/conftest.py).
"""

from __future__ import annotations

import atexit
import os
from pathlib import Path

import nox
from nox.command import CommandFailed
from python_discovery import get_interpreter

SUPPORTED = ["3.11", "3.12", "3.13", "3.14", "3.15"]
ROOT = Path(__file__).resolve().parent
PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")

# A pyenv shim fails unless its version is active, so the directories of the installed versions are added to PATH.
os.environ["PATH"] = os.pathsep.join(
    [str(folder) for version in SUPPORTED for folder in sorted(PYENV.glob(f"versions/{version}.*/bin"), reverse=True)]
    + [os.environ["PATH"]]
)
# `get_interpreter` runs each interpreter to determine its version.
FOUND = [version for version in SUPPORTED if get_interpreter(version)]
if not FOUND:
    raise SystemExit(f"no supported Python was found: install one of {', '.join(SUPPORTED)}")
REFERENCE, NEWEST = FOUND[0], FOUND[-1]

nox.needs_version = ">=2026.10"
nox.options.sessions = [f"tests-{version}" for version in sorted({REFERENCE, NEWEST}, key=SUPPORTED.index)]
nox.options.reuse_venv = "yes"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False  # `report_untested` names the missing interpreters

# Each group runs in separate processes, so that a process contains fewer objects. The first exploration in a process
# inspects all of its objects, and so does the first exploration after each full garbage collection.
GROUPS = [
    ["tests/unit/sync", "tests/unit/instrument", "tests/conformance", "tests/switches"],
    ["tests/unit/execute", "tests/unit/guide", "tests/programs"],
    ["tests/counts", "tests/determinism", "tests/differential", "tests/same_meaning"],
    ["tests/unit/native", "tests/plugin", "tests/docs"],
    ["tests"],  # everything not in the groups above
]

NOTHING_SELECTED = 5  # pytest's exit code if no tests were selected

tested: set[str] = set()


@nox.session(python=SUPPORTED)
def tests(session: nox.Session) -> None:
    """Run the tests on one interpreter."""
    is_reference = session.python == REFERENCE
    install(session, *([".[test,lab]", "towncrier>=26"] if is_reference else [".[test]"]))
    run_pytest(session, "-m", "not long" if is_reference else "not slow and not long", groups=GROUPS)


@nox.session(python=REFERENCE)
def long(session: nox.Session) -> None:
    """Run the tests that take minutes each. Run the random tests with more programs and schedules than usual."""
    install(session, ".[test,lab]")
    run_pytest(session, "-m", "long", groups=[["tests"]])
    more = {"RADDLE_DIFFERENTIAL": "1600", "RADDLE_REACHABILITY": "200", "RADDLE_SCHEDULES": "10000"}
    random = ["tests/counts/test_reachability_random.py", "tests/determinism", "tests/differential"]
    run_pytest(session, groups=[random], env=more)


def install(session: nox.Session, *requirements: str) -> None:
    """Install the requirements, unless they have been installed since pyproject.toml last changed."""
    done = Path(session.virtualenv.location) / "installed"
    if not done.exists() or done.stat().st_mtime < (ROOT / "pyproject.toml").stat().st_mtime:
        session.install("--no-compile", "--editable", *requirements)
        done.touch()


def run_pytest(
    session: nox.Session, *arguments: str, groups: list[list[str]], env: dict[str, str] | None = None
) -> None:
    """Run pytest on each group of directories, or on the arguments given to nox. Fail the session if any run fails."""
    if not tested:
        atexit.register(report_untested)  # runs after nox's own summary, even if a session failed
    tested.add(str(session.python))
    workers = (os.cpu_count() or 1) + 1  # one more than the number of CPUs, because some tests spend time waiting
    command = ["python", "-m", "pytest", "-n", str(workers), "--dist", "worksteal", *arguments]
    failed = []
    for number, group in enumerate([session.posargs] if session.posargs else groups):
        done = [f"--ignore={folder}" for earlier in groups[:number] for folder in earlier]
        try:
            session.run(*command, *group, *done, env=env, success_codes=[0, NOTHING_SELECTED])
        except CommandFailed:
            failed.append(" ".join(group))
    if failed:
        session.error(f"tests failed in {', '.join(failed)}")


def report_untested() -> None:
    """Print which supported versions were not tested, and why."""
    missing = [version for version in SUPPORTED if version not in FOUND]
    left = [version for version in FOUND if version not in tested]
    if left:
        print(f"found but not tested: Python {', '.join(left)} (make test-all tests them)", flush=True)
    if missing:
        print(f"not found on this machine, so not tested: Python {', '.join(missing)}")
    else:
        print(f"every supported Python was found on this machine: {', '.join(SUPPORTED)}")

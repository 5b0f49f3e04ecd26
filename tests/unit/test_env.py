"""`raddle.env` describes the interpreter correctly, and no other module compares versions."""

from __future__ import annotations

import ast
import asyncio
import builtins
import concurrent.futures.thread
import functools
import gc
import inspect
import queue
import re
import sys
import threading
import tomllib
from pathlib import Path
from subprocess import PIPE

import pytest

import processes
import raddle
import raddle_pytest
from raddle import env

ROOT = Path(__file__).parents[2]
SOURCES = [*Path(raddle.__file__).parent.rglob("*.py"), Path(raddle_pytest.__file__)]
REVEALING = {"version_info", "hexversion", "python_version", "python_version_tuple", "_is_gil_enabled"}


def mentioned(source: str) -> set[str]:
    """Return which of the names in `REVEALING` the source uses."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) | ast.Constant(value=str(name)):
                found.add(name)
    return found & REVEALING


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import sys\nif sys.version_info >= (3, 13): pass", {"version_info"}),
        ("from sys import version_info as v", {"version_info"}),
        ("import platform\nnew = platform.python_version() > '3.12'", {"python_version"}),
        ("import sys\nold = sys.hexversion < 0x030c0000", {"hexversion"}),
        ("import sys\ngil = getattr(sys, '_is_gil_enabled', lambda: True)()", {"_is_gil_enabled"}),
        ("from raddle import env\nif env.QUEUES_SHUT_DOWN: pass", set()),
    ],
)
def test_a_version_check_is_recognized(source, names):
    assert mentioned(source) == names


def test_only_env_compares_versions():
    found = {path.name for path in SOURCES if mentioned(path.read_text(encoding="utf-8"))}
    assert found == {"env.py"}
    assert {path.name for path in SOURCES} >= {"env.py", "api.py", "raddle_pytest.py"}


def test_the_project_metadata_names_the_supported_versions():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest, newest = (".".join(map(str, version)) for version in (env.SUPPORTED[0], env.SUPPORTED[-1]))
    found = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in project["classifiers"]]
    assert [match[1] for match in found if match] == [".".join(map(str, version)) for version in env.SUPPORTED]
    assert project["requires-python"] == f">={oldest}"
    assert f"Python {oldest} to {newest}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_this_interpreter_is_supported():
    assert env.VERSION in env.SUPPORTED


def _keeps_locals() -> bool:
    frame = inspect.currentframe()
    assert frame is not None
    return frame.f_locals is frame.f_locals


def _evaluates(target: str) -> bool:
    seen: list[str] = []
    namespace = {"record": seen.append, "box": type("Box", (), {})()}
    exec(compile(f"{target}: record('evaluated') = 1", "annotated", "exec", dont_inherit=True), namespace)
    return bool(seen)


def _refuses_a_second_task() -> bool:
    loops = object(), object()
    entered = []
    try:
        for loop in loops:
            asyncio._set_running_loop(loop)
            asyncio._enter_task(loop, "task")
            entered.append(loop)
    except RuntimeError:
        return True
    else:
        return False
    finally:
        for loop in entered:
            asyncio._set_running_loop(loop)
            asyncio._leave_task(loop, "task")
        asyncio._set_running_loop(None)


def _moves_survivors_up() -> bool:
    """Return whether an object moves to the next generation exactly when its generation is collected."""
    gc.disable()
    try:
        gc.collect()
        survivor: list[object] = []
        places = []
        for generation in (None, 0, 1):
            if generation is not None:
                gc.collect(generation)
            places.append([any(item is survivor for item in gc.get_objects(number)) for number in range(3)])
    finally:
        gc.enable()
    return places == [[True, False, False], [False, True, False], [False, False, True]]


def test_each_constant_agrees_with_this_interpreter():
    # Each expected value is derived from the behavior itself or, if that cannot be observed, from something that
    # changed in the same version.
    item = inspect.signature(concurrent.futures.thread._WorkItem).parameters
    named = {name: value for name, value in vars(env).items() if name.isupper() and isinstance(value, bool)}
    assert named == {
        "FREE_THREADED": "free-threading" in sys.version,
        "THREADS_HAVE_CONTEXT": "context" in inspect.signature(threading.Thread).parameters,
        "THREAD_NAMES_REACH_THE_OS": hasattr(threading.Thread, "_set_os_name"),
        "RLOCKS_HAVE_LOCKED": hasattr(threading.RLock(), "locked") and hasattr(threading.Condition(), "locked"),
        "ITERATORS_CAN_BE_SERIALIZED": hasattr(threading, "serialize_iterator"),
        "QUEUES_SHUT_DOWN": hasattr(queue, "ShutDown"),
        "WORK_ITEMS_HOLD_TASKS": "task" in item,
        "CACHED_PROPERTIES_LOCK": hasattr(functools.cached_property(len), "lock"),
        "CACHES_LOCK_CALLS": "free-threading" in sys.version and sys.version_info[:2] == (3, 13),
        "RUNNING_TASK_IS_PER_THREAD": _refuses_a_second_task(),
        "HAS_LAST_EXC": "last_exc" in (sys.__doc__ or ""),
        "MODULES_HAVE_CACHED": hasattr(queue, "__cached__"),
        "IMMORTAL_OBJECTS_ARE_UNTRACKED": "free-threading" in sys.version and sys.version_info[:2] == (3, 13),
        "COLLECTOR_HAS_GENERATIONS": _moves_survivors_up(),
        "HAS_MONITORING": hasattr(sys, "monitoring"),
        "FRAMES_KEEP_THEIR_LOCALS": _keeps_locals(),
        "HAS_TYPE_PARAMETERS": hasattr(ast, "TypeAlias"),
        "HAS_LAZY_IMPORTS": "is_lazy" in ast.Import._fields,
        "ANNOTATIONS_ARE_DEFERRED": not _evaluates("box.x"),
    }


def test_max_frozen_at_start_covers_the_objects_frozen_at_startup():
    counted = processes.run([sys.executable, "-c", "import gc; print(gc.get_freeze_count())"], stdout=PIPE, text=True)
    assert int(counted.stdout) <= env.MAX_FROZEN_AT_START < len(gc.get_objects()) + gc.get_freeze_count()
    assert (int(counted.stdout) > 0) == (env.MAX_FROZEN_AT_START > 0)


def test_thread_handle_names_the_attribute_with_the_handle():
    thread = threading.Thread()
    assert [name for name, value in vars(thread).items() if hasattr(value, "_set_done")] == [
        name for name in [env.THREAD_HANDLE] if name is not None
    ]


def test_event_loop_policy_names_the_class_that_holds_a_thread_s_event_loop():
    assert "_Local" in vars(getattr(asyncio.events, env.EVENT_LOOP_POLICY))


def test_frozen_types_lists_the_immutable_builtin_containers():
    assert [kind.__name__ for kind in env.FROZEN_TYPES] == [
        name for name in ("frozenset", "frozendict") if hasattr(builtins, name)
    ]


def test_gil_enabled_agrees_with_the_interpreter():
    if env.FREE_THREADED:
        assert env.gil_enabled() == sys._is_gil_enabled()
    else:
        assert env.gil_enabled()

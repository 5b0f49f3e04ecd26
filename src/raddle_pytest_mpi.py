"""The pytest plugin for message-passing tests: runs each test marked `raddle_mpi` on simulated ranks.

Like `raddle_pytest`, this module imports nothing from raddle before a marked test runs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from raddle.finding import Finding

PYTEST_DONT_REWRITE = True
MARKER = (
    "raddle_mpi(ranks, ...): run the test on simulated MPI ranks, with every order of their messages; takes the "
    "keyword options of raddle.messages.explore. The fixture `comm` is COMM_WORLD."
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def comm(request: pytest.FixtureRequest) -> Any:
    """Return the communicator of all ranks, in a test with the marker `raddle_mpi`."""
    if request.node.get_closest_marker("raddle_mpi") is None:
        _refuse("the fixture `comm` needs the marker: @pytest.mark.raddle_mpi(ranks=4)")
    from raddle.mpi.library.comm import COMM_WORLD

    return COMM_WORLD


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object | None:
    mark = pyfuncitem.get_closest_marker("raddle_mpi")
    if mark is None:
        return None
    options = _options(pyfuncitem, mark)
    from raddle.errors import RaddleError

    try:
        story = _failure(pyfuncitem, options)
    except RaddleError as error:
        story = f"raddle: {error}"
    if story:
        pytest.fail(story, pytrace=False)
    return True


def _options(item: pytest.Function, mark: pytest.Mark) -> dict[str, Any]:
    """Return the options for `raddle.messages.explore`; fail the test if the marker is invalid."""
    from raddle.messages import explore

    if item.get_closest_marker("raddle") is not None:
        _refuse("a test can have the marker raddle or raddle_mpi, but not both")
    known = [name for name in inspect.signature(explore).parameters if name not in ("program", "argv", "progress")]
    if mark.args:
        _refuse(f"the marker takes only keyword options, not {mark.args[0]!r} (valid options: {', '.join(known)})")
    unknown = next((name for name in mark.kwargs if name not in known), None)
    if unknown is not None:
        _refuse(f"the marker has no option {unknown!r} (valid options: {', '.join(known)})")
    if "ranks" not in mark.kwargs:
        _refuse("the marker needs the number of ranks: @pytest.mark.raddle_mpi(ranks=4)")
    if inspect.iscoroutinefunction(item.obj):
        _refuse("the raddle_mpi marker does not apply to async tests")
    options = dict(mark.kwargs)
    for name in ("executions", "seed"):
        value = item.config.getoption(f"raddle_{name}", default=None)
        if value is not None:
            options[name] = value
    return options


def _failure(item: pytest.Function, options: dict[str, Any]) -> str:
    """Explore or replay the test; return the story of its first finding, or ""."""
    from raddle.messages import explore
    from raddle.messages.scenario import ignoring_communicator
    from raddle.report.story import story_text

    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    program = ignoring_communicator(functools.partial(item.obj, **arguments), item.name)
    schedule = item.config.getoption("raddle_replay", default=None)
    finding: Finding | None
    if schedule is not None:
        finding = _replayed(program, schedule, options)
    else:
        result = explore(program, **{"until": "first-finding", **options})
        finding = result.findings[0] if result.findings else None
    if finding is None:
        return ""
    if isinstance(finding.error, pytest.skip.Exception):
        raise finding.error
    command = f"pytest {item.nodeid} --raddle-replay '{finding.schedule}'"
    return story_text(finding, replay=command)


def _replayed(program: Callable[[Any], object], schedule: str, options: dict[str, Any]) -> Finding | None:
    """Replay a schedule in each mode of sends that the marker explores; return the first finding."""
    from raddle.messages import replay
    from raddle.messages.scenario import SendModes

    known = inspect.signature(replay).parameters
    settings = {name: value for name, value in options.items() if name in known and name != "sends"}
    for mode in SendModes(options.get("sends", SendModes.BOTH)).modes:
        finding = replay(program, schedule, sends=mode, **settings)
        if finding is not None:
            return finding
    return None


def _refuse(why: str) -> NoReturn:
    pytest.fail(f"raddle: {why}", pytrace=False)

"""Worker processes: results do not depend on their number, and a search survives the death of a worker."""

import multiprocessing
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import worker_scenarios

import processes
import raddle
from raddle.distribute import rounds
from raddle.distribute.processes import Processes
from raddle.errors import UsageError
from raddle.execute.fork import can_fork
from raddle.exploring.stop_rules import Budget
from raddle.exploring.units import run_unit

FOLDER = Path(__file__).parent


def explore(scenario, **options):
    """Explore with only these files instrumented, because the test process has many other modules."""
    return raddle.explore(scenario, **{"source": [worker_scenarios.__file__, __file__], **options})


def comparable(result):
    """Return a result without its duration and paths, so that two results can be compared."""
    record = result.record
    return replace(result, seconds=0.0, record=None), record and replace(record, paths={})


def first_executions(tally):
    """Map each covered requirement to the first execution that covered it."""
    return {name: {key: covered.first for key, covered in keys.items()} for name, keys in tally.covered.items()}


class InProcessExecutor(Executor):
    """Runs every call in this process."""

    def submit(self, function, /, *arguments):
        future = Future()
        future.set_result(function(*arguments))
        return future


class InProcessProvider:
    def executor(self, workers):
        return InProcessExecutor()

    def submit(self, executor, unit):
        return executor.submit(run_unit, unit)

    def stop(self):
        """Do nothing, because `submit` returns only after the unit has finished."""

    kill = stop

    def death(self):
        raise AssertionError("no worker process died")


def plan_of_search(scenario, **options):
    """Return the plan that `explore` makes for a search with workers."""
    plans = []

    class RecordingRounds(rounds.Rounds):
        def __init__(self, plan, *rest, **more):
            plans.append(plan)
            super().__init__(plan, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "Rounds", RecordingRounds)
        explore(scenario, workers=1, executions=1, until="budget", **options)
    return plans[0]


@pytest.mark.parametrize("scheduler", ["portfolio", "pos"])
@pytest.mark.parametrize(
    "scenario", [worker_scenarios.lost_update, worker_scenarios.crossed_locks, worker_scenarios.handed_over]
)
def test_any_number_of_workers_gives_the_same_result(scenario, scheduler):
    one, two, three = (
        explore(scenario, workers=n, scheduler=scheduler, executions=200, until="budget", criteria="default")
        for n in (1, 2, 3)
    )
    assert comparable(one) == comparable(two) == comparable(three)
    assert one.executions == 200
    assert one.failed is (scenario is not worker_scenarios.handed_over)


def test_pos_with_workers_covers_the_same_as_without():
    # POS depends only on the seed and the number of the execution, and every unit starts with the known points of the
    # rehearsal. So splitting the search into units changes nothing.
    options = {"scheduler": "pos", "executions": 300, "until": "budget", "criteria": "default"}
    split, whole = (explore(worker_scenarios.lost_update, workers=n, **options) for n in (2, None))
    assert first_executions(split.tally) == first_executions(whole.tally)
    assert split.scheduling_points == whole.scheduling_points
    assert [str(f.schedule) for f in split.findings] == [str(f.schedule) for f in whole.findings]
    assert [f.execution for f in split.findings] == [f.execution for f in whole.findings]
    assert split.corpus == whole.corpus


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_give_the_same_result_as_one_process(method):
    plan = plan_of_search(worker_scenarios.lost_update, criteria="default")
    in_process = rounds.Rounds(plan, Budget(200, None, "budget"), workers=1, provider=InProcessProvider()).run()
    in_workers = rounds.Rounds(plan, Budget(200, None, "budget"), workers=2, provider=Processes(method)).run()
    if method == "spawn":  # a spawned process orders sets of strings differently, which affects only guided searches
        in_process, in_workers = in_process.tally, in_workers.tally
    else:
        in_process, in_workers = comparable(in_process), comparable(in_workers)
    assert in_process == in_workers


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_finding_has_the_lowest_execution_number(workers):
    found = explore(worker_scenarios.rarely_fails, workers=workers, scheduler="random", shrink=False)
    expected = explore(worker_scenarios.rarely_fails, scheduler="random", shrink=False)
    assert found.stopped_because == "first-finding"
    assert [(f.kind, f.execution) for f in found.findings] == [("assertion", expected.findings[0].execution)]


def test_a_search_with_workers_can_be_saturated():
    result = explore(worker_scenarios.lost_update, workers=2)
    assert result.stopped_because == "saturated"
    assert sum(share["executions"] for share in result.shares.values()) == result.executions
    # Every covered requirement and the only finding are attributed to a scheduler.
    assert sum(share["covered"] for share in result.shares.values()) == sum(result.tally.counts().values())
    assert sum(share["found"] for share in result.shares.values()) == len(result.findings) == 1


def test_a_search_with_workers_stops_when_everything_is_covered():
    # Two increments of one attribute, a read and a write each: all of the few requirements can be covered.
    options = {"scheduler": "pos", "criteria": "concur-pairs", "until": "covered"}
    without, with_two = (explore(worker_scenarios.lost_update, workers=n, **options) for n in (None, 2))
    assert (without.stopped_because, with_two.stopped_because) == ("covered", "covered")
    assert with_two.tally.counts() == without.tally.counts()


def test_a_search_with_workers_respects_the_time_budget():
    result = explore(worker_scenarios.handed_over, workers=2, scheduler="pos", seconds=0.2, until="budget")
    assert result.stopped_because == "seconds"


@pytest.mark.skipif(not can_fork(), reason="needs processes that have imported the scenario")
def test_any_executor_can_run_the_units():
    options = {"scheduler": "pos", "executions": 150, "until": "budget", "criteria": "default"}
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as executor:
        given = explore(worker_scenarios.lost_update, workers=executor, **options)
        assert executor.submit(int, "7").result() == 7  # the executor is still usable
    assert comparable(given) == comparable(explore(worker_scenarios.lost_update, workers=2, **options))


def test_an_executor_rejects_a_scenario_that_cannot_be_imported():
    with pytest.raises(UsageError, match="the workers of an executor cannot inherit it") as caught:
        explore(lambda: worker_scenarios.lost_update(), workers=InProcessExecutor())
    assert caught.value.slug == "bad-workers"


# -- scenarios ------------------------------------------------------------------------------------------


def test_forked_workers_inherit_a_local_scenario():
    times = 2

    def scenario():
        counter = worker_scenarios.Counter()
        worker_scenarios.run_all(*[counter.increment] * times)
        value = counter.value
        assert value == times

    one, two = (explore(scenario, workers=n, executions=100, until="budget") for n in (1, 2))
    assert comparable(one) == comparable(two)
    assert one.outcome == "assertion"


def test_setup_runs_before_each_execution_of_a_worker():
    left = explore(worker_scenarios.leaves_state_behind, workers=2, executions=100)
    reset = explore(worker_scenarios.leaves_state_behind, workers=2, executions=100, setup=worker_scenarios.reset)
    assert (left.outcome, reset.outcome) == ("divergence", "passed")


def test_workers_can_isolate_each_execution():
    result = explore(
        worker_scenarios.leaves_state_behind, workers=2, executions=80, isolate="fork", scheduler="pos", until="budget"
    )
    assert (result.outcome, result.executions) == ("passed", 80)


def test_workers_replay_the_corpus_first(tmp_path):
    file = tmp_path / "data"
    first = explore(worker_scenarios.lost_update, workers=2, data_file=file)
    second = explore(worker_scenarios.lost_update, workers=2, data_file=file)
    assert first.corpus
    assert second.notes[0].startswith(f"started with {len(first.corpus)} schedule")
    assert second.tally.counts() == first.tally.counts()


@pytest.mark.parametrize("options", [{"workers": 0}, {"workers": -1}, {"workers": 2, "scheduler": "reachability"}])
def test_invalid_uses_of_workers_are_rejected(options):
    with pytest.raises(UsageError) as caught:
        explore(worker_scenarios.lost_update, **options)
    assert caught.value.slug == "bad-workers"


# -- worker processes that die or are interrupted --------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "how", "workers"),
    [("rarely_exits", "exit code 3", 1), ("rarely_exits", "exit code 3", 2), ("rarely_killed", "killed by SIGKILL", 2)],
)
def test_a_crash_costs_one_execution(scenario, how, workers):
    options = {"scheduler": "random", "executions": 80, "until": "budget", "shrink": False}
    result = explore(getattr(worker_scenarios, scenario), workers=workers, **options)
    # `rarely_fails` fails an assertion in the same interleaving.
    first = explore(worker_scenarios.rarely_fails, **options).findings[0].execution
    assert [(f.kind, f.execution) for f in result.findings] == [("crash", first)]
    where = f"in execution {first} of the scheduler 'random' with seed 1"
    assert result.findings[0].message == f"the process died ({how}) {where}"
    assert result.executions == 80
    assert result.stopped_because == "executions"


def test_a_crash_in_an_isolated_execution_costs_one_execution():
    options = {"scheduler": "random", "executions": 60, "until": "budget", "shrink": False}
    result = explore(worker_scenarios.rarely_exits, workers=2, isolate="fork", **options)
    first = explore(worker_scenarios.rarely_fails, **options).findings[0].execution
    assert [(f.kind, f.execution) for f in result.findings] == [("crash", first)]
    assert "exit code 3" in result.findings[0].message
    assert result.executions == 60


def test_a_scenario_that_always_crashes_is_reported():
    result = explore(worker_scenarios.always_exits, workers=2)
    assert [f.kind for f in result.findings] == ["crash"]
    assert "(exit code 4) in a rehearsal, before the first execution" in result.findings[0].message


def test_a_process_that_dies_by_chance_is_replaced(tmp_path):
    marker = tmp_path / "once"
    marker.touch()

    def scenario():
        worker_scenarios.run_all(lambda: None)
        if marker.exists():
            marker.unlink()
            worker_scenarios.die(1)

    result = explore(scenario, workers=2, scheduler="pos", executions=100)
    assert (result.outcome, result.executions) == ("passed", 100)
    assert result.notes == ("a worker process died; its work was repeated, this time without a crash",)


def test_ctrl_c_keeps_the_findings_so_far():
    def progress(update):
        if not pressed:
            pressed.append(update)
            signal.raise_signal(signal.SIGINT)

    pressed = []
    result = explore(
        worker_scenarios.lost_update, workers=2, scheduler="pos", executions=10**9, until="budget", progress=progress
    )
    assert result.stopped_because == "interrupted"
    assert [f.kind for f in result.findings] == ["assertion"]
    assert result.executions >= pressed[0].executions == 64
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


PROGRAM = """
import raddle, worker_scenarios
result = raddle.explore(worker_scenarios.lost_update, workers=2, scheduler="pos", executions=10**9, until="budget",
                        criteria="default", progress=lambda moment: print("on", flush=True))
print(result.stopped_because, len(result.findings), result.tally.executions == result.executions)
"""


def test_ctrl_c_in_the_terminal_ends_all_processes_with_one_result():
    command = [sys.executable, "-c", PROGRAM]
    with processes.started(command, cwd=FOLDER, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "on\n"
        worker_scenarios.os.killpg(program.pid, signal.SIGINT)
        assert program.stdout.read().splitlines()[-1] == "interrupted 1 True"
        program.wait()
    assert program.returncode == 0


def test_the_command_line_accepts_workers(tmp_path):
    command = [sys.executable, "-m", "raddle", "explore", "worker_scenarios.py::lost_update", "--workers", "2"]
    done = processes.run(
        [*command, "--executions", "80", "--data-file", str(tmp_path / "data")],
        cwd=FOLDER,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "1 finding in 80 executions" in done.stderr

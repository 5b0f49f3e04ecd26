"""Several processes: the same is found and covered, however many there are and whatever becomes of them."""

import multiprocessing
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import worked

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
    """Only these files are instrumented: there are many others in the same process."""
    return raddle.explore(scenario, **{"source": [worked.__file__, __file__], **options})


def everything(result):
    """All of a result that does not tell how long it took."""
    record = result.record
    return replace(result, seconds=0.0, record=None), record and replace(record, paths={})


def firsts(tally):
    """What was covered, and by which execution first. How often depends on what has been seen to tell nothing new."""
    return {name: {key: seen.first for key, seen in keys.items()} for name, keys in tally.covered.items()}


class Here(Executor):
    """No other process at all."""

    def submit(self, function, /, *arguments):
        future = Future()
        future.set_result(function(*arguments))
        return future


class HereMakers:
    def executor(self, workers):
        return Here()

    def submit(self, executor, unit):
        return executor.submit(run_unit, unit)

    def stop(self):
        """It is over before anybody can."""

    kill = stop

    def death(self):
        raise AssertionError("nobody died")


def planned(scenario, **options):
    """The plan of a search by POS that measures, without the front door."""
    seen = []

    class Noting(rounds.Rounds):
        def __init__(self, plan, *rest, **more):
            seen.append(plan)
            super().__init__(plan, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "Rounds", Noting)
        explore(scenario, workers=1, executions=1, until="budget", **options)
    return seen[0]


@pytest.mark.parametrize("scheduler", ["portfolio", "pos"])
@pytest.mark.parametrize("scenario", [worked.lost_update, worked.crossed_locks, worked.handed_over])
def test_any_number_of_workers_gives_the_same(scenario, scheduler):
    one, two, three = (
        explore(scenario, workers=n, scheduler=scheduler, executions=200, until="budget", criteria="default")
        for n in (1, 2, 3)
    )
    assert everything(one) == everything(two) == everything(three)
    assert one.executions == 200
    assert one.failed is (scenario is not worked.handed_over)


def test_the_union_of_pos_is_that_of_one_process_without_workers():
    # POS draws everything from the seed and the number of the execution, and every unit begins with what the rehearsal
    # teaches: so cutting it into units changes nothing at all.
    options = {"scheduler": "pos", "executions": 300, "until": "budget", "criteria": "default"}
    cut, whole = (explore(worked.lost_update, workers=n, **options) for n in (2, None))
    assert firsts(cut.tally) == firsts(whole.tally)
    assert cut.scheduling_points == whole.scheduling_points
    assert [str(f.schedule) for f in cut.findings] == [str(f.schedule) for f in whole.findings]
    assert [f.execution for f in cut.findings] == [f.execution for f in whole.findings]
    assert cut.corpus == whole.corpus


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_give_what_one_gives_that_runs_all_units_itself(method):
    plan = planned(worked.lost_update, criteria="default")
    here = rounds.Rounds(plan, Budget(200, None, "budget"), workers=1, provider=HereMakers()).run()
    there = rounds.Rounds(plan, Budget(200, None, "budget"), workers=2, provider=Processes(method)).run()
    if method == "spawn":  # sets of texts have another order there, which only aiming can notice
        here, there = here.tally, there.tally
    else:
        here, there = everything(here), everything(there)
    assert here == there


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_finding_is_the_one_with_the_least_number(workers):
    found = explore(worked.rarely_fails, workers=workers, scheduler="random", shrink=False)
    expected = explore(worked.rarely_fails, scheduler="random", shrink=False)
    assert found.stopped_because == "first-finding"
    assert [(f.kind, f.execution) for f in found.findings] == [("assertion", expected.findings[0].execution)]


def test_a_search_by_workers_is_saturated_too():
    result = explore(worked.lost_update, workers=2)
    assert result.stopped_because == "saturated"
    assert sum(share["executions"] for share in result.shares.values()) == result.executions
    # Each covered requirement is somebody's merit, and so is the only finding.
    assert sum(share["covered"] for share in result.shares.values()) == sum(result.tally.counts().values())
    assert sum(share["found"] for share in result.shares.values()) == len(result.findings) == 1


def test_everything_can_be_covered():
    # Two increments of one attribute, a read and a write each: few requirements, all of which can be covered.
    options = {"scheduler": "pos", "criteria": "concur-pairs", "until": "covered"}
    one, two = (explore(worked.lost_update, workers=n, **options) for n in (None, 2))
    assert (one.stopped_because, two.stopped_because) == ("covered", "covered")
    assert two.tally.counts() == one.tally.counts()


def test_a_time_can_be_given():
    result = explore(worked.handed_over, workers=2, scheduler="pos", seconds=0.2, until="budget")
    assert result.stopped_because == "seconds"


@pytest.mark.skipif(not can_fork(), reason="needs processes that have imported the scenario")
def test_any_executor_can_run_the_units():
    options = {"scheduler": "pos", "executions": 150, "until": "budget", "criteria": "default"}
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as executor:
        given = explore(worked.lost_update, workers=executor, **options)
        assert executor.submit(int, "7").result() == 7  # it is left as it was
    assert everything(given) == everything(explore(worked.lost_update, workers=2, **options))


def test_a_scenario_without_a_name_cannot_be_given_to_an_executor():
    with pytest.raises(UsageError, match="the workers of an executor cannot inherit it") as caught:
        explore(lambda: worked.lost_update(), workers=Here())
    assert caught.value.slug == "bad-workers"


# -- what the scenario may be ---------------------------------------------------------------------------


def test_a_scenario_without_a_name_is_inherited():
    times = 2

    def scenario():
        counter = worked.Counter()
        worked.run_all(*[counter.increment] * times)
        value = counter.value
        assert value == times

    one, two = (explore(scenario, workers=n, executions=100, until="budget") for n in (1, 2))
    assert everything(one) == everything(two)
    assert one.outcome == "assertion"


def test_setup_is_called_before_each_execution():
    left = explore(worked.leaves_state_behind, workers=2, executions=100)
    reset = explore(worked.leaves_state_behind, workers=2, executions=100, setup=worked.reset)
    assert (left.outcome, reset.outcome) == ("divergence", "passed")


def test_isolation_is_respected():
    result = explore(
        worked.leaves_state_behind, workers=2, executions=80, isolate="fork", scheduler="pos", until="budget"
    )
    assert (result.outcome, result.executions) == ("passed", 80)


def test_what_earlier_runs_kept_comes_first(tmp_path):
    file = tmp_path / "data"
    first = explore(worked.lost_update, workers=2, data_file=file)
    again = explore(worked.lost_update, workers=2, data_file=file)
    assert first.corpus
    assert again.notes[0].startswith(f"begun with {len(first.corpus)} schedule")
    assert again.tally.counts() == first.tally.counts()


@pytest.mark.parametrize("options", [{"workers": 0}, {"workers": -1}, {"workers": 2, "scheduler": "reachability"}])
def test_what_cannot_be_shared_is_refused(options):
    with pytest.raises(UsageError) as caught:
        explore(worked.lost_update, **options)
    assert caught.value.slug == "bad-workers"


# -- what becomes of the processes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "how", "workers"),
    [("rarely_exits", "exit code 3", 1), ("rarely_exits", "exit code 3", 2), ("rarely_killed", "killed by SIGKILL", 2)],
)
def test_a_crash_costs_one_execution(scenario, how, workers):
    options = {"scheduler": "random", "executions": 80, "until": "budget", "shrink": False}
    result = explore(getattr(worked, scenario), workers=workers, **options)
    # The same threads in the same order, but it is an assertion that fails.
    first = explore(worked.rarely_fails, **options).findings[0].execution
    assert [(f.kind, f.execution) for f in result.findings] == [("crash", first)]
    assert result.findings[0].message == f"the process died ({how}) in execution {first} of random with seed 1"
    assert result.executions == 80
    assert result.stopped_because == "executions"


def test_a_crash_in_an_isolated_execution_costs_one_execution():
    options = {"scheduler": "random", "executions": 60, "until": "budget", "shrink": False}
    result = explore(worked.rarely_exits, workers=2, isolate="fork", **options)
    first = explore(worked.rarely_fails, **options).findings[0].execution
    assert [(f.kind, f.execution) for f in result.findings] == [("crash", first)]
    assert "exit code 3" in result.findings[0].message
    assert result.executions == 60


def test_a_scenario_that_crashes_at_once_is_said_to():
    result = explore(worked.always_exits, workers=2)
    assert [f.kind for f in result.findings] == ["crash"]
    assert "(exit code 4) without any preemption" in result.findings[0].message


def test_a_process_that_dies_by_chance_is_replaced(tmp_path):
    mine = tmp_path / "once"
    mine.touch()

    def scenario():
        worked.run_all(lambda: None)
        if mine.exists():
            mine.unlink()
            worked.die(1)

    result = explore(scenario, workers=2, scheduler="pos", executions=100)
    assert (result.outcome, result.executions) == ("passed", 100)
    assert result.notes == ("a worker process died; its work was repeated, and no process died again",)


def test_what_was_found_before_ctrl_c_is_kept():
    def progress(moment):
        if not pressed:
            pressed.append(moment)
            signal.raise_signal(signal.SIGINT)

    pressed = []
    result = explore(
        worked.lost_update, workers=2, scheduler="pos", executions=10**9, until="budget", progress=progress
    )
    assert result.stopped_because == "interrupted"
    assert [f.kind for f in result.findings] == ["assertion"]
    assert result.executions >= pressed[0].executions == 64
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


PROGRAM = """
import raddle, worked
result = raddle.explore(worked.lost_update, workers=2, scheduler="pos", executions=10**9, until="budget",
                        criteria="default", progress=lambda moment: print("on", flush=True))
print(result.stopped_because, len(result.findings), result.tally.executions == result.executions)
"""


def test_ctrl_c_goes_to_all_processes_and_one_answers():
    command = [sys.executable, "-c", PROGRAM]
    with processes.started(command, cwd=FOLDER, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "on\n"
        worked.os.killpg(program.pid, signal.SIGINT)
        assert program.stdout.read().splitlines()[-1] == "interrupted 1 True"
        program.wait()
    assert program.returncode == 0


def test_the_option_is_one_of_the_command(tmp_path):
    command = [sys.executable, "-m", "raddle", "explore", "worked.py::lost_update", "--workers", "2"]
    done = processes.run(
        [*command, "--executions", "80", "--data-file", str(tmp_path / "data")],
        cwd=FOLDER,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "1 finding in 80 executions" in done.stderr

"""Measures one cell of `messages.py` in a process of its own: prints the rate and the memory as JSON.

`python messages_cell.py PROGRAM RANKS SCHEDULER SECONDS CRITERIA [ARGUMENT ...]`
"""

import json
import resource
import sys
import time
from typing import Any

from raddle.exploring.workbench import Workbench
from raddle.messages.scenario import MessageScenario
from raddle.mpi.installation import MpiInstallation
from raddle.schedulers import make_scheduler

WARM_UP = 20  # executions before the measurement


def main() -> None:
    program, ranks, scheduler, seconds, criteria, *arguments = sys.argv[1:]
    names = tuple(name for name in criteria.split(",") if name)
    scenario = MessageScenario(program, int(ranks), argv=tuple(arguments))
    workbench = Workbench(scenario.domain(names))
    with workbench:
        result = measure(workbench, scenario, scheduler, float(seconds), names)
    result["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result), file=sys.__stdout__)


def measure(
    workbench: Workbench, scenario: MessageScenario, name: str, seconds: float, criteria: tuple[str, ...]
) -> dict[str, Any]:
    """Run executions for this much processor time; return how many, and how many operations each has."""
    installation = workbench.installation
    assert isinstance(installation, MpiInstallation)
    options = {"measuring": bool(criteria), "criteria": criteria}
    with workbench.session(scenario.scenario(installation), **options) as session:
        search, executions, begun = make_scheduler(name, seed=1), 0, 0.0
        while True:
            if executions == WARM_UP:
                begun = time.process_time()
            if executions > WARM_UP and time.process_time() - begun >= seconds:
                break
            executions += 1
            if not search.begin(executions, 0):  # a complete search has ended: begin it again
                search = make_scheduler(name, seed=1)
                search.begin(executions, 0)
            session.run_for(search)
        taken = time.process_time() - begun
    exchange = installation.world.exchange
    operations = len(exchange.messages) + len(exchange.receives) + sum(len(c.entries) for c in exchange.calls.values())
    return {"rate": (executions - WARM_UP) / taken, "operations": operations}


if __name__ == "__main__":
    main()

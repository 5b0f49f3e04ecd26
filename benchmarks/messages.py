"""Measures executions of message-passing programs per second of processor time, and compares them with a real MPI.

Each cell runs in a process of its own. Open MPI starts the processes of all ranks for each execution, so its executions
are measured by the wall clock.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import environment
from table import aligned

CELL = Path(__file__).with_name("messages_cell.py")
CRITERIA = (
    "all-nodes,all-nodes-s,all-nodes-r,all-edges,all-edges-s,all-c-uses,all-p-uses,all-s-uses,all-s-c-uses,all-s-p-uses"
)
REAL_RUNS = 5  # executions with real MPI
LIMIT_SECONDS = 120.0

GCD = """\
import sys
from mpi4py import MPI

comm = MPI.COMM_WORLD


def master(x, y, z):
    buf = [x, y]
    comm.send(buf, dest=1, tag=1)
    buf = [y, z]
    comm.send(buf, dest=2, tag=1)
    x = comm.recv(source=MPI.ANY_SOURCE, tag=2)[0]
    y = comm.recv(source=MPI.ANY_SOURCE, tag=2)[0]
    comm.send([x, y] if x > 1 and y > 1 else [-1, -1], dest=3, tag=1)
    comm.recv(source=3, tag=2)


def worker():
    buf = comm.recv(source=0, tag=MPI.ANY_TAG)
    while buf[0] != buf[1]:
        if buf[0] < buf[1]:
            buf[1] = buf[1] - buf[0]
        else:
            buf[0] = buf[0] - buf[1]
    comm.send(buf, dest=0, tag=2)


if comm.rank == 0:
    master(*map(int, sys.argv[1:4]))
else:
    worker()
"""
RING = """\
from mpi4py import MPI

comm = MPI.COMM_WORLD
comm.send(comm.rank, dest=(comm.rank + 1) % comm.size)
comm.recv(source=(comm.rank - 1) % comm.size)
"""
HALO = """\
from mpi4py import MPI

comm = MPI.COMM_WORLD
right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
for _ in range(5):
    comm.send(comm.rank, dest=right, tag=1)
    comm.send(comm.rank, dest=left, tag=2)
    comm.recv(source=left, tag=1)
    comm.recv(source=right, tag=2)
"""
FAN_IN = """\
from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    for _ in range(comm.size - 1):
        comm.recv(source=MPI.ANY_SOURCE)
else:
    comm.send(comm.rank, dest=0)
"""
PROGRAMS = {"gcd": (GCD, ("2", "8", "4")), "ring": (RING, ()), "halo": (HALO, ()), "fan-in": (FAN_IN, ())}
# Programs with numbers of ranks and schedulers
CELLS = [
    ("gcd", 4, "random"),
    ("gcd", 4, "reachability"),
    *[(name, ranks, "random") for name in ("ring", "halo", "fan-in") for ranks in (4, 16, 64)],
]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="per cell; default %(default)s")
    parser.add_argument("--no-mpi", action="store_true", help="do not compare with a real MPI")
    parser.add_argument("--json", action="store_true", help="JSON on stdout, the table on stderr")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, (source, _) in PROGRAMS.items():
            Path(folder, f"{name}.py").write_text(source, encoding="utf-8")
        results = [measured(Path(folder), name, ranks, scheduler, options.seconds) for name, ranks, scheduler in CELLS]
        covered = measured(Path(folder), "gcd", 4, "random", options.seconds, CRITERIA)
        real, why = (None, "not asked for") if options.no_mpi else real_rate(Path(folder))
    screen = sys.stderr if options.json else sys.stdout
    rows = [
        [one["program"], str(one["ranks"]), one["scheduler"], f"{one['rate']:,.0f}", str(one["operations"]),
         f"{1e6 / one['rate'] / one['operations']:.0f}", f"{one['megabytes']:.0f}"]
        for one in results
    ]  # fmt: skip
    header = ["program", "ranks", "scheduler", "executions/s", "operations", "us/operation", "MB"]
    print(aligned(header, rows), file=screen)
    print(f"all ten criteria cost a factor of {results[0]['rate'] / covered['rate']:.2f} (gcd, random)", file=screen)
    if real is None:
        print(f"not compared with a real MPI: {why}", file=screen)
    else:
        ratio = results[0]["rate"] / real
        print(f"Open MPI: {real:.2f} executions/s (gcd, wall clock); raddle / Open MPI: {ratio:,.0f}", file=screen)
    if options.json:
        print(json.dumps({"cells": results, "with_criteria": covered, "open_mpi": real}, indent=2))
    return 0


def measured(folder: Path, name: str, ranks: int, scheduler: str, seconds: float, criteria: str = "") -> dict[str, Any]:
    """Measure a cell in a new process."""
    arguments = [str(folder / f"{name}.py"), str(ranks), scheduler, str(seconds), criteria, *PROGRAMS[name][1]]
    done = subprocess.run([sys.executable, str(CELL), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} with {ranks} ranks and {scheduler} failed:\n{done.stderr}")
    cell: dict[str, Any] = json.loads(done.stdout)
    return {"program": name, "ranks": ranks, "scheduler": scheduler, **cell}


def real_rate(folder: Path) -> tuple[float | None, str]:
    """Return the executions of gcd per second with Open MPI; None and the reason if it is not available."""
    missing = environment.prepare({"mpi4py": "mpi4py", "openmpi": "openmpi"})
    if missing:
        return None, "; ".join(f"{package} could not be installed: {reason}" for package, reason in missing.items())
    mpiexec = shutil.which("mpiexec", path=str(environment.PYTHON.parent))
    if mpiexec is None:
        return None, "the package openmpi has no mpiexec"
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    command = [mpiexec, "-n", "4", str(environment.PYTHON), str(folder / "gcd.py"), *PROGRAMS["gcd"][1]]
    begun = time.perf_counter()
    for _ in range(REAL_RUNS):
        try:
            done = subprocess.run(
                command, env=os.environ | settings, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return None, f"mpiexec did not end within {LIMIT_SECONDS:g} s"
        if done.returncode:
            return None, f"mpiexec failed: {done.stderr.strip().splitlines()[-1:]}"
    return REAL_RUNS / (time.perf_counter() - begun), ""


if __name__ == "__main__":
    sys.exit(main())

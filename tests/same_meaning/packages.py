"""Runs the test suites of real packages with and without probes, and compares each test's outcome.

`python packages.py [--folder FOLDER] [package ...]` downloads the source distributions with pip. It needs pytest.

Each suite runs in four modes: without instrumentation, with the package instrumented at import, the same with recording
probes attached, and with both package and tests instrumented in place. The exit code is 1 if the outcome of a test
differs between modes and `KNOWN` gives no reason for the difference.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MODES = ("hook", "recorded", "inplace")
TIMEOUT_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution, its package, and the folders of its code and its tests."""

    distribution: str
    name: str
    code: str = "."
    tests: str = "tests"


PACKAGES = (
    Package("boltons==26.2.0", "boltons"),
    Package("cachetools==5.5.2", "cachetools", code="src"),
    Package("click==8.1.8", "click", code="src"),
    Package("more-itertools==10.7.0", "more_itertools"),
    Package("sqlparse==0.5.3", "sqlparse"),
    Package("toolz==1.0.0", "toolz", tests="toolz"),
)

# Tests whose outcomes are known to differ, each with the reason, for example that it inspects interpreter internals.
KNOWN: dict[str, str] = {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", help="names of packages (default: all)")
    parser.add_argument("--folder", type=Path, help="folder for the downloaded sources (default: a temporary folder)")
    arguments = parser.parse_args()
    selected = [package for package in PACKAGES if not arguments.packages or package.name in arguments.packages]
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        differences = [difference for package in selected for difference in compare(package, folder)]
    return 1 if differences else 0


def compare(package: Package, folder: Path) -> list[str]:
    """Run the package's tests in every mode and return a description of each difference that has no known reason."""
    source = fetch(package, folder)
    plain = run(package, source, "plain")
    assert plain["outcomes"], f"no test of {package.name} ran"
    differences = []
    for mode in MODES:
        probed = run(package, source, mode)
        assert probed["instrumented"], f"nothing of {package.name} was instrumented"
        before, after = plain["outcomes"], probed["outcomes"]
        names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        new = [name for name in names if name not in KNOWN]
        print(
            f"{package.distribution:24} {mode:9} {len(after):5} tests, {len(names) - len(new)} known and "
            f"{len(new)} new differences, {probed['sites']} sites, {len(probed['refused'])} not instrumented",
            flush=True,
        )
        for name in new:
            differences.append(f"{package.name} {mode} {name}: {before.get(name)} became {after.get(name)}")
            print(f"    {differences[-1]}", flush=True)
    return differences


def fetch(package: Package, folder: Path) -> Path:
    """Download and unpack the source distribution; return its folder."""
    target = folder / package.name
    if not target.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", str(target), package.distribution], check=True)
        (archive,) = target.glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            opened.extractall(target, filter="data")
    (source,) = (entry for entry in target.iterdir() if entry.is_dir())
    return source


def run(package: Package, source: Path, mode: str) -> dict[str, Any]:
    """Run the package's tests in one mode; return their outcomes and what was instrumented."""
    import raddle

    outcomes = source.parent / f"{mode}.json"
    outcomes.unlink(missing_ok=True)
    paths = [source / package.code, HERE, Path(raddle.__file__).parents[1]]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONHASHSEED": "0",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "RADDLE_MODE": mode,
        "RADDLE_PACKAGE": package.name,
        "RADDLE_OUTCOMES": str(outcomes),
    }
    options = ["-p", "probing_plugin", "-p", "no:cacheprovider", "-o", "addopts=", "-q"]
    options += [
        "-o",
        "filterwarnings=default",
    ]  # some packages turn warnings into errors, and newer versions of pytest emit more warnings
    completed = subprocess.run(
        [sys.executable, "-m", "pytest", *options, package.tests],
        cwd=source,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    if not outcomes.exists():
        raise RuntimeError(f"the tests of {package.name} did not run ({mode}):\n{completed.stdout}\n{completed.stderr}")
    return dict(json.loads(outcomes.read_text()))


if __name__ == "__main__":
    sys.exit(main())

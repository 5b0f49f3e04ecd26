"""Measures how many known bugs of real packages `raddle generate` finds, from the class alone.

`python real_packages.py CORPUS --folder FOLDER [--methods M ...] [--seeds N ...] [--seconds S] [SUBJECT ...]`

CORPUS is a JSON file with a list of `subjects`. Each has an `id`, the `import_path` of the class, and the requirements
`pip_buggy`, `pip_fixed` and `pip_deps`. `package_symptoms.toml` says what a finding must show to be the known bug; bugs
that are not in it are left out. pip installs each version into a folder of its own. Each matching test is run on the
fixed version, where it must pass, and on the buggy one, where it must fail.

The result of each run is kept below FOLDER, so an interrupted measurement continues where it stopped. Results are only
comparable if they come from the same version of raddle: use another folder after a change.
"""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from package_folders import PackageFolders, Subject, environment_with, read_corpus
from package_symptoms import Symptom, read_symptoms
from table import aligned

SYMPTOMS = Path(__file__).with_name("package_symptoms.toml")
GRACE_SECONDS = 180.0  # how much longer than the time limit of the search a run may take
TEST_SECONDS = 120.0  # time limit for a generated test
PASSED, FAILED = 0, 1  # exit codes of pytest

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure."""

    subjects: tuple[Subject, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one run of `raddle generate`."""

    subject: str
    method: str
    seed: int
    matches: tuple[Json, ...]  # the findings that show the known bug, each with `on_buggy` and `on_fixed`
    others: int = 0  # number of other findings
    tests: int = 0
    end: str = ""  # why it ended
    error: str = ""  # why there is no result

    @property
    def found(self) -> bool:
        """Whether a finding shows the known bug."""
        return bool(self.matches)

    @property
    def written(self) -> bool:
        """Whether a test of the known bug was written."""
        return any(match["file"] for match in self.matches)


class Measurement:
    """Runs the cells of a plan, and keeps their results in a folder."""

    def __init__(self, plan: Plan, folder: Path, symptoms: dict[str, tuple[Symptom, ...]]) -> None:
        self._plan = plan
        self._packages = PackageFolders(folder / "packages")
        self._results = folder / f"results-{plan.seconds:g}s"
        self._symptoms = symptoms

    def runs(self) -> Iterator[Run]:
        """Yield the result of each run; those of earlier measurements are read."""
        for method in self._plan.methods:
            for seed in self._plan.seeds:
                for subject in self._plan.subjects:
                    yield self._run(subject, method, seed)

    def _run(self, subject: Subject, method: str, seed: int) -> Run:
        folder = self._results / method.replace("*", "-controlled") / subject.name / f"seed-{seed}"
        kept = folder / "result.json"
        if not kept.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            result = self._generate(subject, method, seed, folder)
            partial = kept.with_suffix(".partial")
            partial.write_text(json.dumps(result, indent=1), encoding="utf-8")
            partial.rename(kept)
        return self._judged(subject, method, seed, folder)

    def _generate(self, subject: Subject, method: str, seed: int, folder: Path) -> Json:
        """Run `raddle generate` in a folder; return its output, or an `error`."""
        installed = self._packages.install(subject, subject.buggy)
        command = [sys.executable, "-m", "raddle", "generate", subject.target, "--method", method]
        command += ["--seconds", f"{self._plan.seconds:g}", "--seed", str(seed), "--json", "--out", "tests"]
        done = _run_group(command, folder, _paths(installed), self._plan.seconds + GRACE_SECONDS)
        if done is None:
            return {"error": "it was still running after the time limit"}
        with suppress(ValueError):
            return dict(json.loads(done.stdout))
        return {"error": done.stderr.strip() or f"exit code {done.returncode}"}

    def _judged(self, subject: Subject, method: str, seed: int, folder: Path) -> Run:
        """Match the findings of a run, and run the tests of those that match."""
        result: Json = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        if "error" in result:
            return Run(subject.name, method, seed, (), error=result["error"])
        findings = result["findings"]
        matching = [found for found in findings if any(one.fits(found) for one in self._symptoms[subject.name])]
        matches = tuple(found | self._tried(subject, folder, found["file"]) for found in matching)
        errors = [one["error"] for one in result["classes"] if one["error"]]
        return Run(
            subject.name, method, seed, matches, len(findings) - len(matching), result["tests"],
            result["stopped_because"], *errors[:1],
        )  # fmt: skip

    def _tried(self, subject: Subject, folder: Path, file: str | None) -> Json:
        """Run a test on the buggy and on the fixed version; return pytest's exit codes."""
        if not file:
            return {"on_buggy": None, "on_fixed": None}
        kept = folder / f"{Path(file).stem}.json"
        if not kept.exists():
            codes = {
                "on_buggy": self._exit_code(subject, subject.buggy, folder / file),
                "on_fixed": self._exit_code(subject, subject.fixed, folder / file) if subject.fixed else None,
            }
            kept.write_text(json.dumps(codes), encoding="utf-8")
        return dict(json.loads(kept.read_text(encoding="utf-8")))

    def _exit_code(self, subject: Subject, requirement: str, file: Path) -> int:
        """Run a test with one version of the package; return pytest's exit code, -1 if it takes too long."""
        installed = self._packages.install(subject, requirement)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(file, folder)  # without `conftest.py`, which may add the other version to the path
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file.name]
            done = _run_group(command, Path(folder), _paths(installed), TEST_SECONDS)
            return -1 if done is None else done.returncode


def _paths(installed: Path | None) -> list[Path]:
    return [] if installed is None else [installed.resolve()]


def _run_group(
    command: Sequence[str], folder: Path, paths: Sequence[Path], seconds: float
) -> subprocess.CompletedProcess[str] | None:
    """Run a command in a process group; kill the group and return None if it takes longer."""
    process = subprocess.Popen(
        command, cwd=folder, env=environment_with(paths), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        output, errors = process.communicate(timeout=seconds)
        return subprocess.CompletedProcess(command, process.returncode, output, errors)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def text(plan: Plan, runs: Sequence[Run]) -> str:
    """Return the tables: found bugs per method, and per subject."""
    done = {(run.subject, run.method, run.seed): run for run in runs}

    def cells(subject: Subject, method: str) -> list[Run]:
        return [run for seed in plan.seeds if (run := done.get((subject.name, method, seed)))]

    header = ["method", "found (median)", "range", "with a test (median)", "fail on buggy", "pass on fixed"]
    rows = [[method, *_summary(plan, method, [run for run in runs if run.method == method])] for method in plan.methods]
    subjects = [
        [subject.name, *(_score(cells(subject, method)) for method in plan.methods)] for subject in plan.subjects
    ]
    errors = dict.fromkeys(
        f"{run.subject}: {' '.join(run.error.split())[:160]}" for run in runs if run.error and not run.found
    )
    parts = [aligned(header, rows), aligned(["seeds that found it", *plan.methods], subjects), "\n".join(errors)]
    return "\n\n".join(filter(None, parts))


def _score(runs: Sequence[Run]) -> str:
    return f"{sum(run.found for run in runs)} of {len(runs)}"


def _summary(plan: Plan, method: str, runs: Sequence[Run]) -> list[str]:
    """Return the cells of a method: only complete seeds count for the median and the range."""
    by_seed = [[run for run in runs if run.seed == seed] for seed in plan.seeds]
    complete = [group for group in by_seed if len(group) == len(plan.subjects)]
    found = [sum(run.found for run in group) for group in complete]
    written = [sum(run.written for run in group) for group in complete]
    tests = [match for run in runs for match in run.matches if match["file"]]
    fixed = [match for match in tests if match["on_fixed"] is not None]
    return [
        f"{statistics.median(found):g} of {len(plan.subjects)}" if found else "-",
        f"{min(found)} to {max(found)}" if found else "-",
        f"{statistics.median(written):g}" if written else "-",
        f"{sum(match['on_buggy'] == FAILED for match in tests)} of {len(tests)}",
        f"{sum(match['on_fixed'] == PASSED for match in fixed)} of {len(fixed)}",
    ]


def log(run: Run) -> None:
    what = run.error.strip().splitlines()[0][:100] if run.error.strip() else f"{run.tests} tests, {run.end}"
    found = "found" if run.written else "found, but no test" if run.found else "missed"
    print(
        f"{run.method} seed {run.seed} {run.subject}: {found}; {run.others} others; {what}", file=sys.stderr, flush=True
    )


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path, help="the description of the packages")
    parser.add_argument("subjects", nargs="*", help="ids of the subjects (default: all)")
    parser.add_argument("--folder", type=Path, required=True, help="folder for packages and results")
    parser.add_argument("--symptoms", type=Path, default=SYMPTOMS, help="the predicates; default %(default)s")
    parser.add_argument("--methods", nargs="+", default=["portfolio"], metavar="M", help="default %(default)s")
    parser.add_argument("--seeds", nargs="+", type=int, default=list(range(1, 11)), metavar="N", help="default 1 to 10")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="for each run; default %(default)s")
    return parser.parse_intermixed_args(arguments)


def main() -> int:
    options = parse(sys.argv[1:])
    symptoms = read_symptoms(options.symptoms)
    known = [subject for subject in read_corpus(options.corpus) if subject.name in symptoms]
    unknown = set(options.subjects) - {subject.name for subject in known}
    if unknown:
        raise SystemExit(f"unknown subjects: {', '.join(sorted(unknown))}")
    subjects = tuple(subject for subject in known if not options.subjects or subject.name in options.subjects)
    plan = Plan(subjects, tuple(options.methods), tuple(options.seeds), options.seconds)
    runs = []
    try:
        for run in Measurement(plan, options.folder.resolve(), symptoms).runs():
            runs.append(run)
            log(run)
    except KeyboardInterrupt:
        print("interrupted; run the command again to continue", file=sys.stderr)
    print(text(plan, runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())

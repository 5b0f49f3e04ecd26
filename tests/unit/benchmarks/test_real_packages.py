"""How the results of runs on real packages are matched and summarized."""

import json

import pytest
import real_packages
from package_folders import PackageFolders, Subject
from package_symptoms import Symptom
from real_packages import FAILED, PASSED, Measurement, Plan, Run, text

CACHE = Subject("cache_pop", "shop.cache:Cache", "shop==1.0", "shop==1.1")
QUEUE = Subject("queue_get", "shop.queue:Queue", "shop==1.0", "")
SYMPTOMS = {"cache_pop": (Symptom("exception", ("KeyError",)),), "queue_get": (Symptom("hang"),)}
PLAN = Plan((CACHE, QUEUE), ("portfolio",), (1, 2), 30.0)
FOUND = {"file": "tests/test_cache.py", "on_buggy": FAILED, "on_fixed": PASSED}


def finding(kind, **changes):
    return {
        "kind": kind, "exception": None, "function": None, "message": "", "story": None, "threads": [], "file": None,
    } | changes  # fmt: skip


@pytest.fixture
def generated(monkeypatch):
    """Replace the commands that the benchmark runs; return the commands, each with the folder it runs in."""
    commands = []

    def run(command, folder, paths, seconds):
        commands.append((command, paths))
        if "pytest" in command:
            codes = {"shop-1.0": FAILED, "shop-1.1": PASSED}
            return real_packages.subprocess.CompletedProcess(command, codes[paths[0].name], "", "")
        (folder / "tests").mkdir()
        (folder / "tests" / "test_cache.py").write_text("")
        findings = [
            finding("exception", exception="KeyError", file="tests/test_cache.py"),
            finding("outcome"),
        ]
        output = {"findings": findings, "tests": 7, "stopped_because": "seconds", "classes": [{"error": None}]}
        return real_packages.subprocess.CompletedProcess(command, 1, json.dumps(output), "")

    monkeypatch.setattr(real_packages, "_run_group", run)
    monkeypatch.setattr(
        PackageFolders, "install", lambda self, subject, version: self.folder / version.replace("==", "-")
    )
    return commands


def test_findings_are_matched_and_their_tests_are_run_on_both_versions(tmp_path, generated):
    plan = Plan((CACHE,), ("portfolio",), (3,), 30.0)
    (run,) = Measurement(plan, tmp_path, SYMPTOMS).runs()
    assert (run.found, run.written, run.others, run.tests) == (True, True, 1, 7)
    assert [(match["on_buggy"], match["on_fixed"]) for match in run.matches] == [(FAILED, PASSED)]
    command, (path,) = generated[0]
    assert command[3:] == [
        "generate", "shop.cache:Cache", "--method", "portfolio", "--seconds", "30", "--seed", "3", "--json", "--out",
        "tests",
    ]  # fmt: skip
    assert path.name == "shop-1.0"


def test_an_interrupted_measurement_continues(tmp_path, generated):
    first = list(Measurement(PLAN, tmp_path, SYMPTOMS).runs())
    count = len(generated)
    assert list(Measurement(PLAN, tmp_path, SYMPTOMS).runs()) == first
    assert len(generated) == count


def test_a_run_without_result_is_a_miss(tmp_path, monkeypatch):
    monkeypatch.setattr(real_packages, "_run_group", lambda *arguments: None)
    monkeypatch.setattr(PackageFolders, "install", lambda self, subject, version: self.folder)
    run = next(Measurement(PLAN, tmp_path, SYMPTOMS).runs())
    assert not run.found
    assert run.error == "it was still running after the time limit"


def test_the_median_counts_only_seeds_that_are_complete():
    runs = [
        Run("cache_pop", "portfolio", 1, (FOUND,)),
        Run("queue_get", "portfolio", 1, ({"file": None, "on_buggy": None, "on_fixed": None},)),
        Run("cache_pop", "portfolio", 2, (FOUND | {"on_fixed": FAILED},)),
    ]
    lines = text(PLAN, runs).splitlines()
    # Seed 1 has found 2 bugs, one of them with a test. Seed 2 lacks a run.
    assert lines[1].split() == ["portfolio", "2", "of", "2", "2", "to", "2", "1", "2", "of", "2", "1", "of", "2"]
    assert [line.split() for line in lines[4:6]] == [["cache_pop", "2", "of", "2"], ["queue_get", "1", "of", "1"]]


def test_the_range_is_that_of_the_seeds():
    runs = [Run(name, "portfolio", seed, (FOUND,) if seed == 1 else ()) for name in ("cache_pop", "queue_get")
            for seed in (1, 2)]  # fmt: skip
    assert text(PLAN, runs).splitlines()[1].split()[:7] == ["portfolio", "1", "of", "2", "0", "to", "2"]


def test_subjects_can_follow_the_options():
    options = real_packages.parse(["corpus.json", "--folder", "x", "--seeds", "1", "2", "--seconds", "5", "cache_pop"])
    assert (options.subjects, options.seeds, options.seconds) == (["cache_pop"], [1, 2], 5.0)

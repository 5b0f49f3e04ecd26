"""`raddle lab maptest`: the published statistics, the conditions for a fair comparison, and the tables."""

from __future__ import annotations

import argparse
import calendar
import collections
import concurrent.futures
import configparser
import difflib
import email.message
import http.client
import http.cookiejar
import importlib
import inspect
import io
import json
import logging.handlers
import mailbox
import math
import queue
import random
import re
import sched
import shelve
import smtplib
import socketserver
import subprocess
import tarfile
import textwrap
import threading
import xml.sax.saxutils
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

from click.testing import CliRunner
from raddle_lab.cell_processes import CellProcesses, CellTask
from raddle_lab.class_subject import ClassSubject
from raddle_lab.correct_classes import CORRECT_CLASSES
from raddle_lab.maptest import bug_tables, coverage_tables
from raddle_lab.maptest.bug_tables import published_summary
from raddle_lab.maptest.cell import POINTS, SAMPLES, Cell, Part
from raddle_lab.maptest.class_size import class_size
from raddle_lab.maptest.comparison import a12, p_value, speedup
from raddle_lab.maptest.experiment import CLASSES, NAMES, Plan, Run, run, runs_of
from raddle_lab.maptest.published import TABLE_3, TABLE_4
from raddle_lab.maptest.study import Study, text_of
from raddle_lab.maptest.symptoms import matches
from raddle_lab.published import TABLE_4 as RATES
from raddle_lab.result_log import ResultLog

from raddle.cli.lab import lab
from raddle.generation import guesses, usage_guesses
from raddle.generation.expressions import Expression
from raddle.generation.guesser import Guesser
from raddle.generation.guesses import Guess
from raddle.generation.inspect_class import inspect_class
from raddle.generation.surface import Method, Parameter
from raddle.generation.targets import find_targets
from raddle.generation.usage import Use

pytestmark = pytest.mark.slow


# -- the published numbers ------------------------------------------------------------------------------------


def test_maptest_over_covcon_as_published() -> None:
    found = published_summary("maptest", "covcon*")
    assert found is not None
    # The text: better in 18 of 20 cases, significantly in 11, on average 17 times as fast, at most 193 times.
    assert (found.faster, found.faster_significantly, found.classes) == (18, 11, 20)
    assert [round(value, 1) for value in (found.mean, found.mean_ratio, found.geometric_mean, found.median)] == [
        17.0, 17.2, 4.0, 2.7,
    ]  # fmt: skip
    assert round(found.maximum) == 193


def test_maptest_random_as_published() -> None:
    over_covcon = published_summary("maptest-random", "covcon*")
    under_maptest = published_summary("maptest", "maptest-random")
    assert over_covcon is not None
    assert under_maptest is not None
    # The text: noticeably better than CovCon for 8 classes, significantly for 6, noticeably worse for 10.
    assert over_covcon[3:6] == (8, 6, 10)
    # The text says that MAPTest is better than MAPTest-Random in 75 % of the cases, but Table III has 14 of 20.
    assert (under_maptest.faster, under_maptest.noticeably_slower) == (14, 1)


def test_published_speedups_follow_from_the_published_times() -> None:
    for row in TABLE_3.values():
        for one, other, compared in (
            (row.maptest, row.covcon, row.maptest_over_covcon),
            (row.maptest, row.random, row.maptest_over_random),
            (row.random, row.covcon, row.random_over_covcon),
        ):
            assert speedup(one, other) == pytest.approx(compared.speedup, abs=0.01)  # some are cut, not rounded


def test_published_success_rates() -> None:
    assert sum(row.covcon_rate > 0 for row in TABLE_3.values()) == 18
    assert sum(0 < row.covcon_rate < 100 for row in TABLE_3.values()) == 5
    assert [name for name, row in TABLE_3.items() if row.random_rate == 0] == ["V9"]


def test_published_correlations_agree_with_those_of_the_other_experiment() -> None:
    assert tuple(row.maptest for row in TABLE_4.values()) == RATES["map"]
    assert tuple(row.covcon for row in TABLE_4.values() if row.covcon is not None) == RATES["method-pairs"]
    assert coverage_tables.guilford(RATES["map"]) == "13 low, 6 moderate, 1 high"


def test_published_method_pairs_follow_from_the_number_of_methods() -> None:
    wrong = [s.id for s in CLASSES if TABLE_4[s.id].pairs != s.methods * (s.methods + 1) // 2]
    assert wrong == ["V7"]  # 1485 = 54 * 55 / 2, although Table II has 52 methods


# -- statistics ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rank_sum", "published"),
    [(0, 0.006), (1, 0.008), (2, 0.011), (3, 0.014), (6, 0.032), (7, 0.041), (10, 0.083), (15, 0.221), (18, 0.359),
     (25, 0.838)],
)  # fmt: skip
def test_the_wilcoxon_test_gives_the_published_values(rank_sum: int, published: float) -> None:
    # Ten pairs with the differences 1 to 10, of which those that are negative have this sum of ranks.
    negative = next(
        chosen for size in range(11) for chosen in combinations(range(1, 11), size) if sum(chosen) == rank_sum
    )
    ones = [-rank if rank in negative else rank for rank in range(1, 11)]
    found = p_value(ones, [0.0] * 10)
    assert found is not None
    assert round(found, 3) == published


def test_effect_size_of_no_runs() -> None:
    assert a12([], [1.0]) is None
    assert p_value([], []) is None


# -- a fair comparison ---------------------------------------------------------------------------------------

LEAST_METHODS = {"V1": 35, "V2": 35, "V12": 50, "V13": 50, "V15": 80, "V20": 35}  # large classes; else 60 %


@pytest.mark.parametrize("subject", CLASSES, ids=lambda subject: subject.id)
def test_a_class_has_enough_methods_to_choose_from(subject: ClassSubject) -> None:
    (target,) = find_targets(subject.target)
    assert class_size(target.cls).methods >= LEAST_METHODS.get(subject.id, math.ceil(0.6 * subject.methods))


# Rules and values of the pools must be of use to more than one class. A word that only one of the classes uses as the
# name of a parameter is fine if other code uses it as well.
OTHER_CLASSES = (
    argparse.ArgumentParser, calendar.TextCalendar, collections.Counter, collections.OrderedDict, collections.deque,
    concurrent.futures.ThreadPoolExecutor, configparser.ConfigParser, difflib.SequenceMatcher, email.message.Message,
    http.client.HTTPConnection, http.cookiejar.CookieJar, io.BytesIO, io.StringIO, json.JSONEncoder, logging.Logger,
    logging.handlers.RotatingFileHandler, mailbox.Mailbox, queue.Queue, random.Random, sched.scheduler, shelve.Shelf,
    smtplib.SMTP, socketserver.TCPServer, subprocess.Popen, tarfile.TarFile, textwrap.TextWrapper, threading.Condition,
    threading.Thread, threading.Timer, xml.sax.saxutils.XMLGenerator, zipfile.ZipFile,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Used:
    """The parameters of one class, with what its source does with them."""

    guesser: Guesser
    parameters: tuple[tuple[Method, Parameter], ...]

    @classmethod
    def of(cls, used: type) -> Used:
        surface = inspect_class(used)
        methods = (*surface.constructors, *surface.methods)
        return cls(Guesser(used), tuple((method, one) for method in methods for one in method.parameters))

    def names(self) -> set[str]:
        return {parameter.name for _, parameter in self.parameters}

    def functions(self) -> set[str]:
        """The functions to which the source passes parameters."""
        usages = (self.guesser.usage(method, parameter) for method, parameter in self.parameters)
        return {name.rpartition(".")[2] for usage in usages for name in usage.details(Use.PASSED)}

    def attributes(self) -> set[frozenset[str]]:
        """The attributes that the source uses, for each parameter."""
        return {self.guesser.usage(method, parameter).attributes for method, parameter in self.parameters} - {
            frozenset()
        }

    def values(self) -> set[Expression]:
        """All guesses for parameters."""
        return {
            guess.expression
            for method, parameter in self.parameters
            for guess in self.guesser.parameter(method, parameter)
        }


@pytest.fixture(scope="module")
def subjects() -> dict[str, Used]:
    return {subject.id: Used.of(find_targets(subject.target)[0].cls) for subject in CLASSES}


@pytest.fixture(scope="module")
def others() -> list[Used]:
    correct = [find_targets(one.target)[0].cls for one in CORRECT_CLASSES]
    return [Used.of(cls) for cls in (*correct, *OTHER_CLASSES)]


def lonely(subjects: Mapping[str, Used], others: Iterable[Used], serves: Callable[[Used], bool]) -> str:
    """Return the only subject that a rule serves; "" if it serves none, several, or other classes as well."""
    served = [name for name, used in subjects.items() if serves(used)]
    return served[0] if len(served) == 1 and not any(map(serves, others)) else ""


STANDARD_MODULES = (
    "argparse", "asyncio", "base64", "bisect", "calendar", "collections", "concurrent.futures", "configparser", "csv",
    "dataclasses", "difflib", "email.message", "fractions", "functools", "graphlib", "heapq", "http.client",
    "http.cookiejar", "importlib.machinery", "inspect", "io", "json", "logging.handlers", "mailbox", "multiprocessing",
    "numbers", "optparse", "os", "pathlib", "pickle", "pprint", "queue", "random", "sched", "shelve", "shutil",
    "smtplib", "socket", "socketserver", "statistics", "string", "subprocess", "tarfile", "tempfile", "textwrap",
    "threading", "timeit", "tokenize", "traceback", "types", "typing", "unittest", "urllib.parse", "urllib.request",
    "uuid", "warnings", "weakref", "xml.dom.minidom", "xml.sax.saxutils", "zipfile",
)  # fmt: skip


def standard_names() -> set[str]:
    """Return the names of the parameters of functions and classes in the standard library."""
    members = [member for name in STANDARD_MODULES for member in vars(importlib.import_module(name)).values()]
    methods = [method for cls in filter(inspect.isclass, members) for method in vars(cls).values()]
    functions = filter(inspect.isfunction, (*members, *methods))
    return {name for function in functions for name in inspect.signature(function).parameters}


def words() -> list[str]:
    return [word for pattern, _ in guesses._BY_NAME for word in pattern.split("|")]


def only_subject_with(monkeypatch: pytest.MonkeyPatch, word: str, subjects: Mapping[str, Used]) -> str:
    """Return the only subject for whose parameters a rule about this word has values; "" if other code uses it."""
    monkeypatch.setattr(guesses, "_BY_NAME", ((re.escape(word), guesses.INTS),))
    served = [name for name, used in subjects.items() if any(map(guesses.by_name, used.names()))]
    return served[0] if len(served) == 1 and not any(map(guesses.by_name, standard_names())) else ""


def test_every_word_in_the_names_of_parameters_serves_several_classes(
    monkeypatch: pytest.MonkeyPatch, subjects: dict[str, Used]
) -> None:
    serving = {word: only_subject_with(monkeypatch, word, subjects) for word in words()}
    assert {word: only for word, only in serving.items() if only} == {}


def test_every_function_that_values_are_passed_to_serves_several_classes(
    subjects: dict[str, Used], others: list[Used]
) -> None:
    functions = (*usage_guesses._BY_FUNCTION, *usage_guesses._CALLERS)
    serving = {name: lonely(subjects, others, lambda used, name=name: name in used.functions()) for name in functions}  # type: ignore[misc]
    assert {name: only for name, only in serving.items() if only} == {}


def test_every_class_that_values_can_belong_to_serves_several_classes(
    subjects: dict[str, Used], others: list[Used]
) -> None:
    def fits(cls: type, used: Used) -> bool:
        return any(all(hasattr(cls, name) for name in names) for names in used.attributes())

    serving = {cls: lonely(subjects, others, partial(fits, cls)) for cls in usage_guesses._KNOWN}
    assert {cls: only for cls, only in serving.items() if only} == {}


def test_every_value_of_the_pools_serves_several_classes(subjects: dict[str, Used], others: list[Used]) -> None:
    pools = {
        name: value
        for name, value in vars(guesses).items()
        if isinstance(value, list) and value and all(isinstance(one, Guess) for one in value)
    }
    assert {"STRINGS", "INTS", "FLOATS", "BYTES", "BOOLS", "EXCEPTIONS", "STREAMS", "LOCKS", "KEYS"} <= pools.keys()
    values = {guess.expression for pool in pools.values() for guess in pool}
    found = {used: used.values() & values for used in (*subjects.values(), *others)}
    serving = {value: lonely(subjects, others, lambda used, value=value: value in found[used]) for value in values}  # type: ignore[misc]
    assert {value: only for value, only in serving.items() if only} == {}


def test_a_rule_for_one_class_is_noticed(
    monkeypatch: pytest.MonkeyPatch, subjects: dict[str, Used], others: list[Used]
) -> None:
    # Only the plot (V15) has a parameter called `quadrant`, so a rule for it would be made for this class.
    assert only_subject_with(monkeypatch, "quadrant", subjects) == "V15"
    assert not only_subject_with(monkeypatch, "key", subjects)
    assert not only_subject_with(monkeypatch, "absent", subjects)
    assert lonely(subjects, others, lambda used: used is subjects["V3"]) == "V3"
    assert not lonely(subjects, [subjects["V3"]], lambda used: used is subjects["V3"])


def test_symptoms_match_by_name_and_by_base_class() -> None:
    class ParseError(ValueError):
        pass

    assert matches("ParseError", ParseError(), ("ValueError",))
    assert matches("deadlock", None, ("deadlock",))
    assert not matches("RuntimeError", RuntimeError(), ("RecursionError",))
    assert matches("RecursionError", None, ("RuntimeError",))  # a subclass of RuntimeError


# -- tables of results that are made up ------------------------------------------------------------------------


def bug(subject: str, method: str, seed: int, seconds: float, *, matching: bool = True, aimed_at: int = 0) -> Run:
    result = {
        "end": "bug", "seconds": seconds, "tests": 10, "executions": 50, "symptom": "KeyError", "matches": matching,
        "sentence": "get() raised KeyError", "aimed_at": aimed_at, "explained_by": 2,
    }  # fmt: skip
    return Run(Cell(Part.BUGS, subject, method, seed, 60.0), result)


def miss(subject: str, method: str, seed: int) -> Run:
    return Run(
        Cell(Part.BUGS, subject, method, seed, 60.0), {"end": "budget", "seconds": 60.1, "tests": 99, "executions": 999}
    )


def study(*runs: Run, **options: Any) -> Study:
    plan = Plan(**{"subjects": ("V3", "V17"), "methods": ("maptest", "covcon*"), "seeds": 2, **options})
    where = {"processors": 2, "python": "CPython 3.11", "switches": "", "system": "Linux"}
    return Study(plan, runs, where, {}, jobs=1)


BUGS = study(
    bug("V3", "maptest", 1, 2.0, aimed_at=3),
    bug("V3", "maptest", 2, 4.0, aimed_at=4),
    miss("V3", "covcon*", 1),
    bug("V3", "covcon*", 2, 30.0),
    bug("V17", "maptest", 1, 6.0, matching=False),  # another bug: not found in the strict sense
    miss("V17", "maptest", 2),
    bug("V17", "covcon*", 1, 5.0),
    bug("V17", "covcon*", 2, 5.0),
)


def test_misses_count_as_the_limit_and_are_marked() -> None:
    rows = {row[0]: row for row in bug_tables.times(BUGS).rows}
    # Mean seconds, runs with the known symptom, runs with any bug; for each method.
    assert rows["V3"][1:7] == ["3.0", "2/2", "2/2", "45.0*", "1/2", "1/2"]
    assert rows["V17"][1:7] == ["60.0*", "0/2", "1/2", "5.0", "2/2", "2/2"]
    assert rows["V3"][7:] == ["1.0", "4.5", "0.6"]


def test_speedups_are_signed() -> None:
    rows = {row[0]: row for row in bug_tables.comparisons(BUGS).rows}
    assert rows["V3"][1] == "15.00"  # 45 / 3
    assert rows["V17"][1] == "-12.00"  # 60 / 5
    assert (rows["V3"][3], rows["V17"][3]) == ("1.00", "0.00")  # A12


def test_patterns_count_only_runs_that_find_the_bug() -> None:
    rows = {row[0]: row[1:] for row in bug_tables.patterns(BUGS).rows}
    assert (rows["3"], rows["4"], rows["2"]) == (["1", "0"], ["1", "0"], ["0", "2"])


def test_observations_name_what_was_found() -> None:
    first, second, compared = bug_tables.observations(BUGS).remarks
    assert first.startswith(
        "maptest finds the bug of 1 of 2 classes, of 1 in every run; it sometimes misses that of 0."
    )
    assert second.endswith("it sometimes misses that of 1. Paper: 18 of 20; 5 sometimes missed.")
    assert compared.startswith("maptest over covcon*: faster for 1 of 2 classes (0 significantly)")
    assert "on average (7.5 as the mean of ratios" in compared  # (15 + 1/12) / 2 = 7.54


def test_other_bugs_and_broken_processes_are_listed() -> None:
    died = Run(Cell(Part.BUGS, "V3", "covcon*", 3, 60.0), {"end": "died", "error": "MemoryError"})
    remarks = bug_tables.irregularities(study(*BUGS.runs)).remarks
    assert remarks == ["V17: KeyError is not a known symptom: get() raised KeyError (1 runs)."]
    broken = Run(died.cell, {**died.result, "seconds": 1.0})
    assert bug_tables.irregularities(study(broken)).remarks == ["V3, covcon*, bugs: process died MemoryError (1 runs)."]


def sampled(part: Part, subject: str, method: str, seed: int, counts: list[int], bugs: list[int]) -> Run:
    samples = [
        {
            "covered": {"patterns": count, "map": count, "method-pairs": count},
            "bugs": found,
            "tests": 1,
            "executions": 1,
        }
        for count, found in zip(counts, bugs, strict=True)
    ]
    totals = {"static": 500, "pruned": 400}
    result = {"end": "budget", "seconds": 1.0, "samples": samples, "totals": totals, "pairs": 36, "has_locks": False}
    return Run(Cell(part, subject, method, seed, 60.0), result)


def test_coverage_is_relative_to_the_longer_run() -> None:
    none = [0] * SAMPLES
    found = study(
        sampled(Part.COVERAGE_TOTAL, "V3", "maptest", 1, [200] * SAMPLES, none),
        sampled(Part.COVERAGE, "V3", "maptest", 2, list(range(4, 4 * SAMPLES + 1, 4)), none),  # 4, 8, ... 120
        sampled(Part.COVERAGE, "V3", "random", 2, [2] * SAMPLES, none),
    )
    _, row = coverage_tables.coverage(found).rows
    # After 1/30 of the time, 4 of 200 patterns; at the end, 120. Random covers 2, which is 1 %.
    assert row == ["V3", "2", "10", "20", "30", "40", "60", "1", "9", "19", "29", "39", "59", "200", "500", "400"]
    assert "exceeds 50 % for 1 of 1 classes" in coverage_tables.coverage(found).remarks[1]


def test_table_4_marks_what_is_not_defined() -> None:
    found = study(
        sampled(Part.CORRELATION_TOTAL, "V3", "maptest", 1, [5, 6, 7, 8], [1, 1, 2, 4]),
        sampled(Part.CORRELATION, "V3", "maptest", 2, [1, 2, 3, 4], [0, 1, 2, 3]),
        sampled(Part.CORRELATION, "V3", "covcon*", 2, [1, 2, 3, 4], [0, 0, 0, 0]),
        sampled(Part.CORRELATION_TOTAL, "V17", "maptest", 1, [9, 9, 9, 9], [1, 1, 1, 1]),
        sampled(Part.CORRELATION, "V17", "maptest", 2, [1, 2, 3, 4], [3, 2, 1, 0]),
        sampled(Part.CORRELATION, "V17", "covcon*", 2, [9, 9, 9, 9], [0, 0, 1, 1]),
    )
    rows = {row[0]: row for row in coverage_tables.correlation(found).rows}
    assert rows["V3"][1:7] == ["36", "8", "4", "none", "1.00", "*"]
    assert rows["V17"][5:7] == ["-1.00", "-"]
    assert rows["mean of the rows"][5:7] == ["0.00", "-"]
    assert rows["V3"][7:] == ["45", "3,960", "18", "0.61", "0.32"]
    assert rows["mean of the rows"][-2:] == ["0.35", "0.29"]
    assert rows["last row as published"][-2:] == ["0.43", "0.13"]


def test_a_study_can_be_stored() -> None:
    data = BUGS.as_json()
    assert json.loads(text_of(data)) == json.loads(json.dumps(data))
    assert Study.of_json(json.loads(text_of(data))) == BUGS


# -- running cells ---------------------------------------------------------------------------------------------


def results_of(*cells: Cell) -> list[Any]:
    tasks = [CellTask(cell.description, 600.0) for cell in cells]
    return [result for _, result in CellProcesses("raddle_lab.maptest.run_cell", jobs=1).results(tasks)]


def test_locks_are_removed_from_a_class_that_has_them() -> None:
    cells = (Cell(Part.CORRELATION_TOTAL, name, "maptest", 1, 3600.0, 2) for name in ("V5", "V16"))
    with_locks, without = results_of(*cells)
    assert (with_locks["has_locks"], without["has_locks"]) == (True, False)
    assert len(with_locks["samples"]) == POINTS


def test_the_same_cell_gives_the_same_result() -> None:
    cell = Cell(Part.BUGS, "V3", "maptest", 1, 3600.0, 3)
    first, second = results_of(cell, cell)
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_a_process_that_fails_has_a_result() -> None:
    broken = CellTask(Cell(Part.BUGS, "V3", "no such method", 1, 1.0).description, 600.0)
    late = CellTask(Cell(Part.BUGS, "V3", "covcon", 1, 3600.0).description, 0.0)
    ((_, result),) = CellProcesses("raddle_lab.maptest.run_cell", jobs=1).results([late])
    assert result["end"] == "killed"
    ((_, result),) = CellProcesses("raddle_lab.maptest.run_cell", jobs=1).results([broken])
    assert result["end"] == "died"
    assert "no such method" in result["error"]


def test_an_interrupted_run_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    plan = Plan(subjects=("V3",), methods=("portfolio", "covcon*"), questions=(1,), seeds=1)
    one, other = plan.cells()
    ResultLog(path).add(one.description, {"end": "budget", "seconds": 60.0})
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"cell": {"part"')  # the run was interrupted while it wrote this line
    log = ResultLog(path)
    assert log.get(other.description) is None
    log.add(other.description, {"end": "budget", "seconds": 60.0})
    run(plan, ResultLog(path), done=lambda *_: pytest.fail("a known cell was run again"))
    assert [found.cell for found in runs_of(plan, ResultLog(path))] == [one, other]
    assert not runs_of(Plan(subjects=("V3",), methods=("portfolio",), seconds=1.0), ResultLog(path))  # another limit


# -- the commands ----------------------------------------------------------------------------------------------


def call(*args: str) -> tuple[str, str]:
    result = CliRunner().invoke(lab, args, catch_exceptions=False, standalone_mode=False)
    assert result.return_value == 0
    return result.stdout, result.stderr


SMALL = ("maptest", "--classes", "V3", "--methods", "maptest,covcon*", "--seeds", "1", "--correlation-seeds", "1")


def test_maptest_prints_every_table_and_continues(tmp_path: Path) -> None:
    text, progress = call(*SMALL, "--max-tests", "3", "--output", str(tmp_path))
    for title in ("Table II", "Table III", "Fig. 4", "Fig. 5", "Table IV", "Kendall's τ for every criterion"):
        assert re.search(f"^{re.escape(title)}", text, re.MULTILINE), title
    cells = 2 + 3 + 3  # question 1: two methods; 2: the total, MAPTest and Random; 3: the total, MAPTest and CovCon
    assert f"{cells} of {cells}: " in progress
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "maptest-figure4.svg", "maptest-figure5.svg", "maptest-runs.jsonl", "maptest.json", "maptest.txt",
    ]  # fmt: skip
    again, progress = call(*SMALL, "--max-tests", "3", "--output", str(tmp_path))
    assert again == text
    assert " of " not in progress
    stored = Study.of_json(json.loads((tmp_path / "maptest.json").read_text(encoding="utf-8")))
    assert (stored.plan.subjects, len(stored.runs)) == (("V3",), cells)


def test_false_alarms_counts_by_tier(tmp_path: Path) -> None:
    text, _ = call("false-alarms", "--classes", "C3,V3-fixed", "--max-tests", "5", "--output", str(tmp_path))
    assert "Of 1 correct classes, 0 have alarms in tiers 1-2 (exceptions, hangs) and 0 in tiers 3-4" in text
    assert "Of 1 fixed classes, 0 have alarms" in text
    data = json.loads((tmp_path / "false-alarms.json").read_text(encoding="utf-8"))
    assert {name: (result["tests"], result["bugs"]) for name, result in data["runs"].items()} == {
        "C3": (5, []), "V3-fixed": (5, []),
    }  # fmt: skip


def test_all_twenty_classes_are_compared() -> None:
    assert list(NAMES) == [f"V{number}" for number in range(1, 21)]
    assert set(TABLE_3) == set(TABLE_4) == set(NAMES)

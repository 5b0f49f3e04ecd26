"""raddle generate writes tests that pytest runs, and says what was tried."""

from __future__ import annotations

import importlib.util
import itertools
import json
import re
import shlex
import signal
import subprocess
import sys

import pytest

import processes
import raddle
import warm
from raddle.errors import UsageError
from raddle.generation.search_end import SearchEnd

SHOP = '''\
import threading


class Shop:
    """Threads buy and return things."""

    def __init__(self):
        self._lock = threading.Lock()
        self._left = 1

    def buy(self):
        left = self._left
        if not left:
            return False
        with self._lock:
            self._left = left - 1
        return True

    def give_back(self):
        with self._lock:
            self._left += 1

    def left(self):
        return self._left

    def broken(self):
        raise LookupError("out of order")


class Safe:
    """A thread-safe counter."""

    def __init__(self):
        self._lock = threading.Lock()
        self._n = 0

    def add(self):
        with self._lock:
            self._n += 1
            return self._n


class Unbuildable:
    """It is thread-safe."""

    def __init__(self, engine):
        if type(engine).__name__ != "Engine":
            raise TypeError(engine)
        self.engine = engine

    def go(self):
        return 1


class Plain:
    def get(self):
        return 1
'''

FIXED_BUY = """\
        with self._lock:
            if not self._left:
                return False
            self._left -= 1
            return True

"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


def generate(folder, *arguments, tests=60):
    return warm.run("raddle", "generate", *arguments, "--max-tests", str(tests), cwd=folder)


def run_pytest(folder, *arguments):
    """Run pytest as the command `pytest` does, which does not put the current folder on the path."""
    command = ["-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *arguments]
    return processes.run([sys.executable, *command], cwd=folder, capture_output=True, text=True)


def files(folder):
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_a_bug_becomes_a_test_that_fails_until_the_bug_is_fixed(project):
    done = generate(project, "shop:Shop", "--methods", "buy")
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    name = "raddle-tests/test_shop_buy_and_buy_lose_an_update.py"
    # Both calls of `buy` return True, although there is only one thing.
    assert re.search(r"(\w+)\.buy\(\) -> True, \1\.buy\(\) -> True", done.stderr)
    assert f"written to {name}; it fails until the bug is fixed: pytest {name}" in done.stderr
    assert "1 bug in 60 tests" in done.stderr
    assert files(project) == {"shop.py", name, "raddle-tests/conftest.py"}
    failed = run_pytest(project)
    assert failed.returncode == 1, failed.stdout
    assert "FindingError" in failed.stdout
    begin, end = SHOP.index("        left = self._left"), SHOP.index("    def give_back")
    (project / "shop.py").write_text(SHOP[:begin] + FIXED_BUY + SHOP[end:])
    assert run_pytest(project).returncode == 0
    assert generate(project, "shop:Shop", "--methods", "buy").returncode == 0


def test_the_same_command_writes_the_same_files(project):
    generate(project, "shop:Shop")
    first = {name: (project / name).read_text() for name in files(project)}
    generate(project, "shop:Shop")
    assert {name: (project / name).read_text() for name in files(project)} == first


def test_the_command_in_a_file_writes_the_same_file_again(project):
    generate(project, "shop:Shop", "--methods", "buy", "--seed", "3", "--out", "kept/tests", "--workers", "1")
    file = "test_shop_buy_and_buy_lose_an_update.py"
    test = project / "kept/tests" / file
    before = test.read_text()
    test.unlink()
    command = re.search(r"^# To generate it again: raddle (.*)$", before, re.MULTILINE).group(1)
    warm.run("raddle", *shlex.split(command), cwd=project)
    assert test.read_text() == before


def test_a_source_folder_is_made_importable(tmp_path):
    package = tmp_path / "src/store"
    package.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'store'\n")
    (package / "__init__.py").write_text("")
    (package / "shop.py").write_text(SHOP)
    done = generate(tmp_path, "src/store/shop.py:Shop", "--methods", "buy", "--out", "generated/threads")
    assert done.returncode == 1, done.stderr
    (test,) = (tmp_path / "generated/threads").glob("test_*.py")
    command = "raddle generate src/store/shop.py:Shop --methods buy --out generated/threads --max-tests 60"
    assert f"# To generate it again: {command}\n" in test.read_text()
    failed = run_pytest(tmp_path, "generated")
    assert "FindingError" in failed.stdout, failed.stdout


@pytest.mark.skipif(importlib.util.find_spec("ruff") is None, reason="ruff is not installed")
@pytest.mark.parametrize("marker", ["", "pyproject.toml"])
@pytest.mark.parametrize("source", [".", "src"])
def test_import_sorters_accept_the_files(project, marker, source):
    if marker:
        (project / marker).write_text("")
    (project / source).mkdir(exist_ok=True)
    (project / "shop.py").rename(project / source / "shop.py")
    done = generate(project, f"{source}/shop.py:Shop", "--methods", "buy", tests=20)
    assert done.returncode == 1, done.stderr
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--extend-select", "I,E501", "raddle-tests"]
    checked = processes.run(command, cwd=project, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_nothing_found_writes_nothing(project):
    done = generate(project, "shop:Safe")
    assert done.returncode == 0
    assert "0 bugs in 60 tests" in done.stderr
    assert files(project) == {"shop.py"}


def test_every_number_says_what_it_is_out_of(project):
    done = generate(project, "shop:Shop", "--exclude", "left")
    text = done.stderr
    # The class has four methods, which make 10 pairs. One is excluded, and one never works.
    assert "shop:Shop: stopped: limit on tests reached" in text
    assert "tried: 2 of 4 methods, 3 of 10 pairs, 60 tests" in text
    assert "not called: left (excluded by a pattern)" in text
    assert "not called: broken (it never worked; the last exception was LookupError: out of order)" in text
    assert "of 60 tests" in text
    assert "map: " in text


@pytest.mark.parametrize("verbose", [False, True])
def test_what_is_missing_from_the_coverage_is_shown(project, verbose):
    text = generate(project, "shop:Shop", "--exclude", "left", *(["-v"] if verbose else []), tests=20).stderr
    # The numbers depend on how many tests were measured.
    begin = re.search(r"^  map: (\d+) of (\d+) \(.*\); not covered by the measured tests:\n", text, re.MULTILINE)
    missing = int(begin.group(2)) - int(begin.group(1))
    assert missing > 3
    following = text[begin.end() :].splitlines()
    shown = list(itertools.takewhile(lambda line: re.match(r"    thread A .* \(pattern \d+\)$", line), following))
    assert len(shown) == (missing if verbose else 3)
    assert (following[3] == f"    ... and {missing - 3} more; -v lists them") != verbose


def test_a_module_is_searched_class_by_class(project):
    done = generate(project, "shop")
    assert done.returncode == 1
    rows = [line.split() for line in done.stderr.splitlines() if line.startswith("shop:")]
    table = {row[0]: row[1] for row in rows if row[0][-1] != ":"}
    assert set(table) == {"shop:Safe", "shop:Shop", "shop:Unbuildable"}  # `Plain` does not look shared
    assert table["shop:Safe"] == table["shop:Unbuildable"] == "0"
    assert int(table["shop:Shop"]) > 0
    assert "raddle cannot create a Unbuildable" in done.stderr
    assert "of 3 classes" in done.stderr


def test_classes_for_which_no_time_is_left_are_listed(project):
    # A class gets at least a second, so with half a second in all there is time for the first class only.
    done = warm.run("raddle", "generate", "shop", "--seconds", "0.5", "--json", cwd=project)
    data = json.loads(done.stdout)
    assert [report["class"] for report in data["classes"]] == ["shop:Safe"]
    assert data["notes"] == [
        "not searched, because the time was up: shop:Shop, shop:Unbuildable; use more --seconds for all classes"
    ]


def test_the_result_as_json(project):
    done = generate(project, ".", "--json")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert data["outcome"] != "passed"
    assert data["tests"] == 120  # 60 of each class that can be created
    assert data["seed"] == 1
    assert data["method"] == "portfolio"
    assert [report["stopped_because"] for report in data["classes"]] == ["tests", "tests", "unbuildable"]
    assert set(data["files"]) == files(project) - {"shop.py"}
    finding = data["findings"][0]
    assert finding["class"] == "shop:Shop"
    assert finding["replay"] == f"pytest {finding['file']}"
    assert finding["file"] in data["files"]
    # As in `raddle explore --json`, a finding shows the failing execution.
    assert finding["place"]["file"] == "shop.py"
    assert finding["possible_on"] == "this-interpreter"
    assert {step["thread"] for step in finding["steps"]} == {"T0", "T1", "T2"}
    assert finding["preemptions"][0]["before"] <= len(finding["steps"])
    assert 1 <= finding["execution"] <= data["executions"]
    # The numbers at the top are the sums for the two classes that were searched.
    rows = [report["criteria"]["method-pairs"] for report in data["classes"][:2]]
    total = data["criteria"]["method-pairs"]
    assert total["covered"] == sum(row["covered"] for row in rows)
    assert total["percent"] == pytest.approx(100 * total["covered"] / total["total"], abs=1e-4)
    assert 0 < data["executions_not_measured"] < data["executions"]


def test_a_class_that_cannot_be_created_needs_a_factory(project):
    done = generate(project, "shop:Unbuildable")
    assert done.returncode == 4
    assert "--with factory.py" in done.stderr
    assert "[unbuildable]" in done.stderr
    (project / "factory.py").write_text(
        "from shop import Unbuildable\n\n\nclass Engine:\n    pass\n\n\ndef make():\n    return Unbuildable(Engine())\n"
    )
    assert generate(project, "shop:Unbuildable", "--with", "factory.py").returncode == 0


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("queue:Queue", "raddle replaces queue.Queue with a twin"),
        ("collections:deque", "is not written in Python"),
        ("enum:IntFlag", "is an enumeration"),
        ("json:JSONDecodeError", "is an exception class"),
    ],
)
def test_a_class_of_the_wrong_kind_is_rejected_in_one_sentence(project, target, reason):
    done = generate(project, target)
    assert done.returncode == 4
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


def test_settings_come_from_the_project(project):
    (project / "pyproject.toml").write_text('[tool.raddle.generate]\nmethods = ["give*"]\nout = "kept"\nseed = 3\n')
    data = json.loads(generate(project, "shop:Shop", "--json").stdout)
    assert data["seed"] == 3
    assert data["classes"][0]["methods_called"] == ["give_back"]
    data = json.loads(generate(project, "shop:Shop", "--json", "--methods", "buy").stdout)
    assert data["classes"][0]["methods_called"] == ["buy"]
    assert data["files"][0].startswith("kept/")


def test_files_that_raddle_did_not_generate_are_kept(project):
    own = project / "raddle-tests/test_shop_buy_and_buy_lose_an_update.py"
    own.parent.mkdir()
    own.write_text("# mine\n")
    (own.parent / "conftest.py").write_text("# mine, too\n")
    done = generate(project, "shop:Shop", "--methods", "buy")
    assert done.returncode == 1
    assert "exists, and raddle did not generate it" in done.stderr
    assert own.read_text() == "# mine\n"
    assert (own.parent / "conftest.py").read_text() == "# mine, too\n"


def test_coverage_tests_pass(project):
    done = generate(project, "shop:Safe", "--keep-coverage-tests")
    assert done.returncode == 0, done.stderr
    assert "raddle-tests/test_safe_coverage.py" in files(project)
    text = (project / "raddle-tests/test_safe_coverage.py").read_text()
    assert "# To generate it again: raddle generate shop:Safe --max-tests 60 --keep-coverage-tests\n" in text
    assert run_pytest(project).returncode == 0


def test_output_of_the_module_does_not_mix_with_the_result(project):
    (project / "shop.py").write_text("import os\nprint('noise')\nos.write(1, b'noise')\n" + SHOP)
    done = generate(project, "shop:Safe", "--json")
    assert json.loads(done.stdout)["outcome"] == "passed"
    assert "noise" not in done.stderr


def test_ctrl_c_keeps_what_was_found(project):
    # The output shows the finding before the search ends, so the signal comes during the search.
    command = [sys.executable, "-u", "-m", "raddle", "generate", "shop:Shop", "--methods", "buy", "--seconds", "100000"]
    with processes.started(command, cwd=project, stderr=subprocess.PIPE, text=True) as process:
        lines = []
        while not lines or not lines[-1].startswith("written to"):
            lines.append(process.stderr.readline())
            assert lines[-1], "the command ended: " + "".join(lines)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait() == 1
    assert "shop:Shop: interrupted" in rest
    assert "1 bug in " in rest
    assert "raddle-tests/test_shop_buy_and_buy_lose_an_update.py" in files(project)


def test_the_function_returns_values_and_writes_nothing(project, monkeypatch):
    monkeypatch.syspath_prepend(project)
    monkeypatch.chdir(project)
    updates = []
    result = raddle.generate("shop:Shop", methods=["buy"], max_tests=60, progress=updates.append)
    assert result.failed
    assert result.tests == 60
    assert result.files == ()
    assert "raddle.linearizable" in result.findings[0].source
    assert result.stopped_because is SearchEnd.TESTS
    assert updates[-1].report == result.classes[0]
    assert files(project) == {"shop.py"}


def test_a_folder_for_tests_is_checked_before_the_search(tmp_path):
    (tmp_path / "notes").write_text("mine")
    updates = []
    for out in ("", tmp_path / "notes", tmp_path / "notes" / "tests"):
        with pytest.raises(UsageError) as caught:
            raddle.generate("graphlib:TopologicalSorter", out=out, progress=updates.append)
        assert caught.value.slug == "bad-out"
        assert "\n" not in str(caught.value)
    assert not updates
    assert (tmp_path / "notes").read_text() == "mine"


def test_skipped_files_are_part_of_the_result(project):
    (project / "broken.py").write_text("def f(:\n")
    done = generate(project, ".", "--json", tests=2)
    (skipped,) = json.loads(done.stdout)["files_skipped"]
    assert skipped["file"] == "broken.py"
    assert "is not valid Python" in skipped["reason"]
    done = generate(project, ".", tests=2)
    assert "skipped: broken.py: " in done.stderr
    assert "1 file skipped" in done.stderr


def test_classes_with_the_same_name_in_files_with_the_same_name_get_tests_of_their_own(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "shop.py").write_text(SHOP)
    done = generate(tmp_path, ".", "--methods", "buy", "--json")
    found = json.loads(done.stdout)
    assert [finding["class"] for finding in found["findings"]] == ["shop:Shop", "second.shop:Shop"]
    names = sorted(finding["file"] for finding in found["findings"])
    assert names == [
        "raddle-tests/test_second_shop_shop_buy_and_buy_lose_an_update.py",
        "raddle-tests/test_shop_buy_and_buy_lose_an_update.py",
    ]
    assert "from second.shop import Shop" in (tmp_path / names[0]).read_text()
    failed = run_pytest(tmp_path, "raddle-tests")
    assert "2 failed" in failed.stdout, failed.stdout
    begin, end = SHOP.index("        left = self._left"), SHOP.index("    def give_back")
    (tmp_path / "second/shop.py").write_text(SHOP[:begin] + FIXED_BUY + SHOP[end:])
    assert "1 failed, 1 passed" in run_pytest(tmp_path, "raddle-tests").stdout


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("go", "    def go(self):\n        raise OSError\n"),
        # The object is a context manager that cannot be entered.
        ("__enter__", "    def __enter__(self):\n        raise OSError\n    def __exit__(self, *exc):\n        pass\n"),
    ],
)
def test_a_search_in_which_no_method_works_ends_early_with_its_own_exit_code(project, name, methods):
    (project / "idle.py").write_text(f"import threading\nclass Idle:\n{methods}")
    done = generate(project, "idle:Idle", "--json", tests=1_000_000)
    assert done.returncode == 5
    data = json.loads(done.stdout)
    assert (data["outcome"], data["stopped_because"]) == ("nothing-tested", "nothing-works")
    assert data["tests"] < 1_000_000
    assert data["classes"][0]["methods_not_called"] == {name: "it never worked; the last exception was OSError"}


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"oracle": "luck"}, "bad-oracle"),
        ({"method": "luck"}, "bad-method"),
        ({"seconds": 0}, "bad-budget"),
        ({"workers": 0}, "bad-workers"),
        ({"factory": "missing.py"}, "no-such-file"),
    ],
)
def test_wrong_options_are_rejected(options, slug):
    with pytest.raises(UsageError) as caught:
        raddle.generate("graphlib:TopologicalSorter", **options)
    assert caught.value.slug == slug

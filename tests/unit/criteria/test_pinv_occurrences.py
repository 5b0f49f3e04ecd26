"""The setting `pinv-occurrences`: how many occurrences of an access the criterion `pinv` distinguishes."""

import sys
import threading

import pytest

import raddle
from raddle.cli.explore import explore
from raddle.cli.report import report
from raddle.errors import UsageError
from raddle.store import read as read_data

TIMES = 6
PROGRAM = """
import threading

class Box:
    def __init__(self):
        self.x = 0

def read(box):
    for _ in range(6):
        box.x

def write(box):
    box.x = 1

def scenario():
    box = Box()
    for target in (read, write):
        threading.Thread(target=target, args=(box,)).start()

if __name__ == "__main__":
    box = Box()
    for target in (read, write):
        thread = threading.Thread(target=target, args=(box,))
        thread.start()
        thread.join()
"""


class Box:
    def __init__(self):
        self.x = 0


def scenario():
    box = Box()

    def read():
        for _ in range(TIMES):
            box.x  # noqa: B018

    def write():
        box.x = 1

    for target in (read, write):
        threading.Thread(target=target).start()


# One thread reads six times at one site, with nothing in between. If N occurrences are distinguished, the pairs are
# 1-2, 2-3, ..., and also N-N if there are more than N reads.
PAIRS = {1: 1, 2: 2, 4: 4, 6: 5, 16: 5}


@pytest.mark.parametrize("occurrences", PAIRS)
def test_the_setting_limits_the_distinguished_occurrences(occurrences):
    (sample,) = raddle.measure(
        scenario, criteria="pinv", scheduler="sequential", executions=1, pinv_occurrences=occurrences, source=[__file__]
    )
    assert len(sample.covered["pinv"]) == PAIRS[occurrences]


def test_the_default_is_four():
    (sample,) = raddle.measure(scenario, criteria="pinv", scheduler="sequential", executions=1, source=[__file__])
    assert len(sample.covered["pinv"]) == PAIRS[4]


@pytest.mark.parametrize("wrong", [0, -1, "many"])
def test_an_invalid_number_is_refused(wrong):
    with pytest.raises(UsageError, match="pinv_occurrences must be a positive integer"):
        raddle.explore(scenario, criteria="pinv", pinv_occurrences=wrong)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "boxes.py").write_text(PROGRAM)
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("boxes", None)


def pairs(folder, *options):
    base_options = ["--criteria", "pinv", "--scheduler", "sequential", "--executions", "1", "--data-file", "data"]
    assert explore.main(["boxes.py::scenario", *base_options, *options], standalone_mode=False) == 0
    return len(read_data(folder / "data").tally.covered["pinv"])


@pytest.mark.parametrize(("given", "occurrences"), [(["--pinv-occurrences", "2"], 2), ([], 4)])
def test_explore_accepts_the_option(folder, given, occurrences):
    assert pairs(folder, *given) == PAIRS[occurrences]


def test_the_configuration_file_can_set_the_number(folder):
    (folder / "pyproject.toml").write_text("[tool.raddle]\npinv-occurrences = 6\n")
    assert pairs(folder) == PAIRS[6]


def test_a_report_says_from_which_occurrence_on_accesses_count_as_one(folder, capsys):
    # The write comes after all reads, so the requirements with the write between two reads are missing.
    assert pairs(folder, "--pinv-occurrences", "5") == 5
    report.main(["--missing", "pinv", "--data-file", "data"], standalone_mode=False)
    report_text = " ".join(capsys.readouterr().out.split())
    assert "(4th time)" in report_text
    assert "(5th time or later)" in report_text

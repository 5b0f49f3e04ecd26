"""Threads can conflict over state outside Python objects: in files, databases and stateful C objects."""

from __future__ import annotations

import builtins
import bz2
import codecs
import csv
import ctypes
import functools
import gc
import gzip
import hashlib
import io
import json
import logging
import lzma
import os
import pathlib
import random
import shutil
import sqlite3
import sys
import tarfile
import tempfile
import threading
import zipfile
import zlib
from contextlib import closing
from io import open as io_open

import pytest

import raddle
from raddle.report.story import story_text


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.fixture
def folder(tmp_path):
    """A function that returns an empty folder. Each execution of the scenario calls the function once."""

    def fresh():
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
        os.mkdir(tmp_path / "data")
        return tmp_path / "data"

    return fresh


def explore(scenario, **options):
    return raddle.explore(scenario, source=[__file__], **{"until": "first-finding", **options})


# -- files ----------------------------------------------------------------------------------------------


def make_folder(path, lock):
    with lock:
        if not os.path.exists(path):
            os.mkdir(path)


def make_folder_by_path(path, lock):
    with lock:
        if not path.is_dir():
            path.mkdir()


def count_in_file(path, lock):
    with lock:
        old = path.read_text() if path.exists() else "0"
        path.write_text(str(int(old) + 1))


def count_by_open(path, lock):
    with lock:
        with open(path, "a+") as file:
            file.seek(0)
            old = int(file.read() or 0)
        with open(path, "w") as file:
            file.write(str(old + 1))


COUNTING = (count_in_file, count_by_open)


class NoLock:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return None


def on_disk(work, folder, lock):
    path = folder() / "x"
    side_by_side(lambda: work(path, lock), lambda: work(path, lock))
    assert path.is_dir() or path.read_text() == "2"


WORK = [make_folder, make_folder_by_path, *COUNTING]


@pytest.mark.parametrize("work", WORK)
def test_threads_that_use_the_same_file_conflict(work, folder):
    (finding,) = explore(lambda: on_disk(work, folder, NoLock())).findings
    assert finding.kind in ("exception", "assertion")
    story = story_text(finding, None)
    assert "writes Disk.files" in story
    assert "can happen on this interpreter" in story
    assert raddle.replay(lambda: on_disk(work, folder, NoLock()), finding.schedule, source=[__file__]) is not None


@pytest.mark.parametrize("work", WORK)
def test_threads_that_use_the_same_file_under_a_lock_do_not_conflict(work, folder):
    result = explore(lambda: on_disk(work, folder, threading.Lock()), criteria="map")
    assert not result.findings
    assert result.exhausted
    assert not any("Disk" in warning["sentence"] for warning in result.warnings)
    assert not any("Disk" in str(key) for key in result.tally.covered["map"])


# -- ways to create a file --------------------------------------------------------------------------------

opener = open


class Kept:
    class_attribute = staticmethod(open)

    def __init__(self):
        self.in_object = open


def by_default(path, make=open):
    make(path, "w").close()


def by_variable(path):
    make = open
    make(path, "w").close()


def by_partial(path):
    make = functools.partial(open, path, "w")
    make().close()


def by_bound_method(path):
    touch = path.touch
    touch()


def by_with(path):
    with open(path, "w"):
        pass


MAKING = {
    "open": lambda path: open(path, "w").close(),
    "open, exclusively": lambda path: open(path, "x").close(),
    "with open": by_with,
    "builtins.open": lambda path: builtins.open(path, "w").close(),
    "io.open": lambda path: io.open(path, "w").close(),  # noqa: UP020 -- the function under test
    "from io import open": lambda path: io_open(path, "w").close(),  # noqa: UP020 -- the function under test
    "io.FileIO": lambda path: io.FileIO(path, "w").close(),
    "os.open": lambda path: os.close(os.open(path, os.O_CREAT)),
    "os.mknod": lambda path: os.mknod(path),
    "Path.open": lambda path: path.open("w").close(),
    "a variable": by_variable,
    "a global": lambda path: opener(path, "w").close(),
    "an argument": by_default,
    "an attribute": lambda path: Kept().in_object(path, "w").close(),
    "an attribute of a class": lambda path: Kept.class_attribute(path, "w").close(),
    "an item": lambda path: {"make": open}["make"](path, "w").close(),
    "a partial": by_partial,
    "a method": by_bound_method,
    "getattr": lambda path: getattr(os, "mkdir")(path),  # noqa: B009 -- the call under test
    "map": lambda path: [file.close() for file in map(open, [path], ["w"])],
    "bz2": lambda path: bz2.open(path, "w").close(),
    "codecs": lambda path: codecs.open(path, "w").close(),
    "gzip": lambda path: gzip.open(path, "w").close(),
    "GzipFile": lambda path: gzip.GzipFile(path, "w").close(),
    "logging": lambda path: logging.FileHandler(path).close(),
    "lzma": lambda path: lzma.open(path, "w").close(),
    "shutil": lambda path: shutil.copy(__file__, path),
    "sqlite3": lambda path: sqlite3.connect(path).close(),
    "subprocess": lambda path: os.system(f"touch {path}"),
    "tarfile": lambda path: tarfile.open(path, "w").close(),
    "zipfile": lambda path: zipfile.ZipFile(path, "w").close(),
}


@pytest.mark.filterwarnings("ignore:codecs.open:DeprecationWarning")  # since 3.14
@pytest.mark.parametrize("make", MAKING.values(), ids=MAKING.keys())
def test_creating_a_file_is_a_scheduling_point(make, folder):
    """Both threads can find that the file does not exist. Then either both create it, or the second attempt fails."""

    def scenario():
        path, made = folder() / "x", []

        def make_once():
            if not os.path.exists(path):
                make(path)
                made.append(1)

        side_by_side(make_once, make_once)
        assert len(made) == 1

    (finding,) = explore(scenario).findings
    assert finding.kind in ("assertion", "exception")
    assert "AssertionError" in finding.message or "FileExistsError" in finding.message


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_unreferenced_file_is_closed_as_usual(folder):
    def scenario():
        path = folder() / "x"
        open(path, "w").write("1")  # noqa: SIM115 -- closed when it is deallocated
        assert open(path).read() == "1"  # noqa: SIM115
        side_by_side(lambda: None)

    assert not explore(scenario, executions=5).findings
    gc.collect()  # a file that is still open is closed here, where its warning is ignored


def test_writes_to_a_temporary_file_conflict():
    def scenario():
        with tempfile.NamedTemporaryFile("w+") as file:

            def write(text):
                file.write(text)
                file.write(text)

            side_by_side(lambda: write("a"), lambda: write("b"))
            file.seek(0)
            assert file.read() in ("aabb", "bbaa")

    assert explore(scenario).findings


@pytest.mark.parametrize(
    "write",
    [
        lambda file, text: print(text, end="", file=file),
        lambda file, text: json.dump(int(text), file),
        lambda file, text: file.writelines([text]),
    ],
    ids=["print", "json.dump", "writelines"],
)
def test_writes_by_functions_that_receive_the_file_conflict(write):
    def scenario():
        with tempfile.TemporaryFile("w+") as file:

            def write_twice(text):
                write(file, text)
                write(file, text)

            side_by_side(lambda: write_twice("1"), lambda: write_twice("2"))
            file.seek(0)
            assert file.read() in ("1122", "2211")

    assert explore(scenario).findings


def test_a_write_conflicts_with_reading_the_position_of_the_file():
    def scenario():
        seen = []
        with tempfile.TemporaryFile("w") as file:
            side_by_side(lambda: file.write("a"), lambda: seen.append(file.tell()))
        assert seen == [1]

    assert explore(scenario).findings


def test_writes_to_standard_output_do_not_conflict(capsys):
    def scenario():
        def write():
            print("a")
            sys.stdout.write("b")

        side_by_side(write, write)

    result = explore(scenario)
    assert result.exhausted
    assert result.orders["partial_orders"] == 1


def test_threads_that_use_the_same_database_connection_conflict():
    def scenario():
        with closing(sqlite3.connect(":memory:", check_same_thread=False)) as connection:
            connection.execute("create table t (n int)")
            connection.execute("insert into t values (0)")

            def count():
                (n,) = connection.execute("select n from t").fetchone()
                connection.execute("update t set n = ?", (n + 1,))

            side_by_side(count, count)
            assert connection.execute("select n from t").fetchone() == (2,)

    assert explore(scenario).findings


# -- stateful C objects ---------------------------------------------------------------------------------


def hashing():
    digest = hashlib.sha256()
    side_by_side(lambda: digest.update(b"a"), lambda: digest.update(b"b"))
    return digest.hexdigest() == hashlib.sha256(b"ab").hexdigest()


def rows():
    file = io.StringIO()
    writer = csv.writer(file)

    def write(value):
        writer.writerow([value])
        writer.writerow([value])

    side_by_side(lambda: write(1), lambda: write(2))
    return file.getvalue().split() in (["1", "1", "2", "2"], ["2", "2", "1", "1"])


def rows_of_dicts():
    file = io.StringIO()
    writer = csv.DictWriter(file, ["a"])

    def write(value):
        writer.writerow({"a": value})
        writer.writerow({"a": value})

    side_by_side(lambda: write(1), lambda: write(2))
    return file.getvalue().split() in (["1", "1", "2", "2"], ["2", "2", "1", "1"])


def numbers():
    source, drawn = random.Random(1), {}

    def draw(name):
        drawn[name] = source.randint(1, 1000)

    side_by_side(lambda: draw("a"), lambda: draw("b"))
    return drawn["a"] == random.Random(1).randint(1, 1000)


def c_integer():
    number = ctypes.c_int(0)

    def count():
        number.value += 1

    side_by_side(count, count)
    return number.value == 2


class Structure(ctypes.Structure):
    _fields_ = (("n", ctypes.c_int),)


def c_structure_field():
    structure = Structure()

    def count():
        structure.n += 1

    side_by_side(count, count)
    return structure.n == 2


def compressing():
    packer, parts = zlib.compressobj(), []

    def pack(part):
        parts.append(packer.compress(part))

    side_by_side(lambda: pack(b"a"), lambda: pack(b"b"))
    return zlib.decompress(b"".join(parts) + packer.flush()) == b"ab"


@pytest.mark.parametrize("work", [hashing, rows, rows_of_dicts, numbers, c_integer, c_structure_field, compressing])
def test_operations_on_a_stateful_c_object_conflict(work):
    def scenario():
        assert work()

    assert [finding.kind for finding in explore(scenario).findings] == ["assertion"]


def test_operations_on_paths_do_not_conflict():
    assert pathlib.Path("a") / "b" == pathlib.Path("a/b")

    def scenario():
        side_by_side(*[lambda: pathlib.Path("a").with_suffix(".txt").name] * 2)

    assert explore(scenario).orders["partial_orders"] == 1

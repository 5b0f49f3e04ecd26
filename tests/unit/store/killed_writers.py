"""Data file writers that are killed. This script can fork them safely, because it has no other threads.

`python killed_writers.py statements FILE` kills one writer at its first statement, another at its second, and so on.

`python killed_writers.py write FILE NAME` adds records until it is killed, and prints the origin of each stored record.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys

from raddle.record import Record
from raddle.store import NoDataError, add, read
from raddle.tally import Tally


def record(origin):
    tally = Tally()
    for execution in range(1, 4):
        tally.add(execution, "map", [(execution, key) for key in range(10)])
    return Record(origin=origin, mode="native", tally=tally, sites={}, paths={})


def connect_with(each_statement):
    """Make every new connection call `each_statement` before each statement.

    The connections do not wait for the disk, because the tests kill only processes, not the machine.
    """
    connect = sqlite3.connect

    def connect_and_trace(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.execute("pragma synchronous = off")
        connection.execute("pragma cache_size = 1")  # so that some pages are written before the commit
        connection.set_trace_callback(each_statement)
        return connection

    sqlite3.connect = connect_and_trace


def kill_at_statement(number):
    """Make this process kill itself just before it executes statement `number`."""
    left = number

    def count(_):
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    connect_with(count)


def origins(file):
    try:
        return [run.origin for run in read(file).runs]
    except NoDataError:
        return []


def statements(file):
    stored, number, killed = [], 0, 0
    while True:
        number += 1
        child = os.fork()
        if child == 0:
            kill_at_statement(number)
            add(file, record(f"run {number}"))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        now = origins(file)
        if status == 0:
            assert now == [*stored, f"run {number}"], now
            print(f"{killed} killed, {len(now)} stored")
            return
        assert os.WTERMSIG(status) == signal.SIGKILL
        killed += 1
        assert now == stored, (number, now)  # the kill comes before the statement, and the last statement is the commit
        if not stored and number % 7 == 0:  # later writers find a file that already has a record
            add(file, record("whole"))
            stored = ["whole"]


def write(file, name):
    connect_with(None)
    number = 0
    while True:
        number += 1
        origin = f"{name} {number}"
        add(file, record(origin))
        os.write(1, f"{origin}\n".encode())  # unbuffered, because several writers share one pipe


if __name__ == "__main__":
    statements(sys.argv[2]) if sys.argv[1] == "statements" else write(sys.argv[2], sys.argv[3])

"""Runs Python modules as `python -m` does, in forks of a process that has imported raddle and pytest already.

Each module still runs in a process of its own, which ends as usual, but without the half second that importing takes.
For tests about starting up, about the interpreter's options or about its encodings, use `processes.run`.

Run as a script, this file is the process that forks: it is sent requests with the three standard streams through a
socket, and answers with process ids and exit codes.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

LENGTH = 4  # bytes that give the length of a message


def run(
    module: str, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a module to its end; return its exit code and what it printed."""
    command = [module, *arguments]
    if not hasattr(os, "fork"):
        return subprocess.run(
            [sys.executable, "-m", *command], cwd=cwd, env=env, capture_output=True, text=True, check=False
        )
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        request = {"command": command, "cwd": str(cwd), "env": dict(os.environ if env is None else env)}
        code = _server().run(request, out.fileno(), err.fileno())
        said = [_text(file) for file in (out, err)]
    return subprocess.CompletedProcess(command, code, *said)


def _text(file) -> str:
    file.seek(0)
    return file.read().decode("utf-8").replace("\r\n", "\n")


class Server:
    """The process that forks, from the side of the tests."""

    def __init__(self) -> None:
        self._socket, other = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(other.fileno())], pass_fds=[other.fileno()], start_new_session=True
        )
        other.close()

    def run(self, request: object, *streams: int) -> int:
        _send(self._socket, request)
        with open(os.devnull, "rb") as nothing:
            socket.send_fds(self._socket, [b"!"], [nothing.fileno(), *streams])
        child = _receive(self._socket)
        try:
            return _receive(self._socket)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what it started

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


_servers: list[Server] = []


def _server() -> Server:
    if not _servers:
        _servers.append(Server())
    return _servers[0]


def stop() -> None:
    """End the process that forks, if there is one."""
    while _servers:
        _servers.pop().close()


def pids() -> set[int]:
    """The process that forks, if there is one."""
    return {server._process.pid for server in _servers}


def _send(connection: socket.socket, message: object) -> None:
    data = json.dumps(message).encode()
    connection.sendall(len(data).to_bytes(LENGTH, "big") + data)


def _receive(connection: socket.socket):
    return json.loads(_exactly(connection, int.from_bytes(_exactly(connection, LENGTH), "big")))


def _exactly(connection: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        some = connection.recv(length - len(data))
        if not some:
            raise EOFError
        data += some
    return data


# -- the process that forks --------------------------------------------------------------------------------------


def serve(connection: socket.socket) -> None:
    """Fork for each request, until the other side has closed the connection."""
    import pkgutil

    import pytest  # noqa: F401 -- for the forks

    import raddle

    for info in pkgutil.walk_packages(raddle.__path__, "raddle."):
        if info.name not in ("raddle.__main__", "raddle.cli.appender"):
            __import__(info.name)
    with contextlib.suppress(EOFError):
        while True:
            request = _receive(connection)
            _, streams, _, _ = socket.recv_fds(connection, 1, 3)
            child = os.fork()
            if not child:
                connection.close()
                _become(request, streams)
                return
            for stream in streams:
                os.close(stream)
            _send(connection, child)
            _send(connection, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _become(request, streams: Sequence[int]) -> None:
    os.setsid()
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = (
        open(place, mode, closefd=False, encoding="utf-8", errors=errors)  # noqa: SIM115 -- they stay open
        for place, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "backslashreplace"))
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    module, *arguments = request["command"]
    sys.path[0] = os.getcwd()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))

"""Runs Python programs in forks of a server process that has already imported raddle and pytest.

Each program still runs in a separate process that ends as usual, but the process does not spend half a second on
imports. Tests of startup, of interpreter options or of encodings must use `processes.run` instead.

When run as a script, this file acts as the server. It receives requests and the three standard streams through a
socket, and replies with process ids and exit codes.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import CodeType, ModuleType

HANG_SECONDS = 900  # time limit for a hanging program; no test takes that long even on a busy machine
LENGTH = 4  # number of bytes in the length prefix of a message
EVERYTHING = ("pytest", "raddle.*")


def run(
    module: str, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a module to its end; return its exit code and output."""
    return python("-m", module, *arguments, cwd=cwd, env=env)


def python(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    merged: bool = False,
    imported: tuple[str, ...] = EVERYTHING,
) -> subprocess.CompletedProcess[str]:
    """Run `python` with the given arguments, which start with -m, -c or a file; return its exit code and output.

    `merged` sends standard error to standard output. `imported` names the modules that the server has imported.
    """
    if not hasattr(os, "fork"):
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd, env=env, input=stdin, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE, timeout=HANG_SECONDS, check=False,
        )  # fmt: skip
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        request = {"arguments": arguments, "cwd": str(cwd), "env": dict(os.environ if env is None else env)}
        code = _server(imported).run(request, given.fileno(), out.fileno(), (out if merged else err).fileno())
        output = [_text(file) for file in (out, err)]
    return subprocess.CompletedProcess(arguments, code, *output)


def _text(file) -> str:
    file.seek(0)
    return file.read().decode("utf-8").replace("\r\n", "\n")


class Server:
    """The tests' connection to a server process."""

    def __init__(self, imported: Sequence[str]) -> None:
        self._socket, other = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(other.fileno()), *imported],
            pass_fds=[other.fileno()],
            start_new_session=True,
        )
        other.close()

    def run(self, request: object, *streams: int) -> int:
        _send(self._socket, request)
        socket.send_fds(self._socket, [b"!"], streams)
        child = _receive(self._socket)
        try:
            if not select.select([self._socket], [], [], HANG_SECONDS)[0]:
                os.kill(child, signal.SIGKILL)
                _receive(self._socket)
                raise TimeoutError(f"a program still ran after {HANG_SECONDS} seconds: {request}")
            return _receive(self._socket)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # processes that the program started

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


_servers: dict[tuple[str, ...], Server] = {}  # maps imported modules to the server that has imported them


def _server(imported: tuple[str, ...]) -> Server:
    if imported not in _servers:
        _servers[imported] = Server(imported)
    return _servers[imported]


def stop() -> None:
    """End all servers."""
    while _servers:
        _servers.popitem()[1].close()


def pids() -> set[int]:
    """Return the process ids of all servers."""
    return {server._process.pid for server in _servers.values()}


def _send(connection: socket.socket, message: object) -> None:
    data = json.dumps(message).encode()
    connection.sendall(len(data).to_bytes(LENGTH, "big") + data)


def _receive(connection: socket.socket):
    return json.loads(_exactly(connection, int.from_bytes(_exactly(connection, LENGTH), "big")))


def _exactly(connection: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        received = connection.recv(length - len(data))
        if not received:
            raise EOFError
        data += received
    return data


# -- the server process ------------------------------------------------------------------------------------------


def serve(connection: socket.socket, imported: Sequence[str]) -> None:
    """Fork a process for each request until the connection is closed."""
    for name in imported:
        _import(name)
    with contextlib.suppress(EOFError):
        while True:
            request = _receive(connection)
            _, streams, _, _ = socket.recv_fds(connection, 1, 3)
            child = os.fork()
            if not child:
                connection.close()
                _run(request, streams)
                return
            for stream in streams:
                os.close(stream)
            _send(connection, child)
            _send(connection, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _import(name: str) -> None:
    """Import a module. If the name ends in `.*`, import the package and its modules, except those with side effects."""
    package = importlib.import_module(name.removesuffix(".*"))
    if name.endswith(".*"):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if info.name not in ("raddle.__main__", "raddle.cli.appender"):
                importlib.import_module(info.name)


def _run(request, streams: Sequence[int]) -> None:
    """Run the program and end the process as Python does, but without finalizing modules.

    Finalization would take longer than most programs, because it copies every memory page shared with the server.
    """
    try:
        _become(request, streams)
        code: object = 0
    except SystemExit as end:
        code = end.code or 0
        if not isinstance(code, int):  # an error message, which Python prints
            raise
    threading._shutdown()  # waits for threads
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    os._exit(code & 0xFF)


def _become(request, streams: Sequence[int]) -> None:
    os.setsid()
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    unbuffered = "PYTHONUNBUFFERED" in request["env"]
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            open(place, mode, closefd=False),  # noqa: SIM115 -- the streams stay open
            encoding="utf-8",
            errors=errors,
            write_through=unbuffered,
            line_buffering=place == 2 or unbuffered,
        )
        for place, mode, errors in ((0, "rb", "strict"), (1, "wb", "strict"), (2, "wb", "backslashreplace"))
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    kind, *arguments = request["arguments"]
    if kind == "-m":
        sys.path[0] = os.getcwd()
        sys.argv = arguments
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.path[0] = ""
        sys.argv = ["-c", *arguments[1:]]
        _run_as_main(compile(arguments[0], "<string>", "exec"), None)
    else:
        file = os.path.abspath(kind)
        sys.path[0] = os.path.dirname(file)
        sys.argv = [kind, *arguments]
        with open(file, "rb") as source:
            code = compile(source.read(), file, "exec")
        _run_as_main(code, file)


def _run_as_main(code: CodeType, file: str | None) -> None:
    main = ModuleType("__main__")
    if file:
        main.__file__ = file
    sys.modules["__main__"] = main
    exec(code, main.__dict__)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])

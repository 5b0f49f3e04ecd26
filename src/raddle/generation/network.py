"""Refuses network connections, so that generated calls do not reach servers, not even local ones."""

from __future__ import annotations

import socket
from typing import Any, NoReturn
from weakref import WeakSet

_FAMILIES = (socket.AF_INET, socket.AF_INET6)
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_listening: WeakSet[socket.socket] = WeakSet()  # the sockets on which this process has begun to listen


def refuse_connections() -> None:
    """Make connections and address lookups of this process fail. This cannot be undone.

    Servers can still listen, but a generated call cannot connect to them, except to a socket of this process: some
    classes connect two sockets with each other, to wake up a thread that waits for one of them.
    """
    for name in ("connect", "connect_ex", "sendto"):
        _guard(name)
    _note_listening()
    vars(socket)["getaddrinfo"] = _refuse


def _guard(name: str) -> None:
    original = getattr(socket.socket, name)

    def guarded(self: socket.socket, *arguments: Any) -> Any:
        if self.family in _FAMILIES and not (name != "sendto" and _is_own(*arguments[:1])):
            _refuse()
        return original(self, *arguments)

    setattr(socket.socket, name, guarded)


def _note_listening() -> None:
    original = socket.socket.listen

    def listen(self: socket.socket, *arguments: Any) -> None:
        original(self, *arguments)
        _listening.add(self)

    socket.socket.listen = listen


def _is_own(address: Any = None) -> bool:
    """Return whether a socket of this process listens at a local address."""
    if not isinstance(address, tuple) or len(address) < 2 or address[0] not in _LOOPBACK:
        return False
    return any(one.fileno() >= 0 and one.getsockname()[1] == address[1] for one in list(_listening))


def _refuse(*arguments: Any, **options: Any) -> NoReturn:
    raise ConnectionRefusedError("raddle generate allows no network connections")

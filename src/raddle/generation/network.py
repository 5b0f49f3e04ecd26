"""Refuses network connections, so that generated calls do not reach servers, not even local ones."""

from __future__ import annotations

import socket
from typing import Any, NoReturn

_FAMILIES = (socket.AF_INET, socket.AF_INET6)


def refuse_connections() -> None:
    """Make connections and address lookups of this process fail. This cannot be undone.

    Servers can still listen, but a generated call cannot connect to them.
    """
    for name in ("connect", "connect_ex", "sendto"):
        _guard(name)
    vars(socket)["getaddrinfo"] = _refuse


def _guard(name: str) -> None:
    original = getattr(socket.socket, name)

    def guarded(self: socket.socket, *arguments: Any) -> Any:
        if self.family in _FAMILIES:
            _refuse()
        return original(self, *arguments)

    setattr(socket.socket, name, guarded)


def _refuse(*arguments: Any, **options: Any) -> NoReturn:
    raise ConnectionRefusedError("raddle generate allows no network connections")

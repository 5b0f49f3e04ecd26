"""The operations of ranks. Their rows are in the table of `raddle.operation`, so that reports know them."""

from raddle.operation import (
    COMPLETE,
    JOIN_IN,
    MATCH,
    POLL,
    POST,
    PROBE,
    RECV,
    SEND,
    SENT,
    TEST,
    WAIT_FOR,
)

MESSAGE = "message"  # the kind of resource whose gives are scheduling points only for a search over partial orders

__all__ = [
    "COMPLETE",
    "JOIN_IN",
    "MATCH",
    "MESSAGE",
    "POLL",
    "POST",
    "PROBE",
    "RECV",
    "SEND",
    "SENT",
    "TEST",
    "WAIT_FOR",
]

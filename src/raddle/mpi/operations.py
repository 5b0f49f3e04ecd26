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
    Kind,
)

MESSAGE = "message"  # the kind of resource whose gives are scheduling points only for a search over partial orders
PASS_TIME = Kind("pass-time", "lets virtual time pass")  # not recorded by observers

__all__ = [
    "COMPLETE",
    "JOIN_IN",
    "MATCH",
    "MESSAGE",
    "PASS_TIME",
    "POLL",
    "POST",
    "PROBE",
    "RECV",
    "SEND",
    "SENT",
    "TEST",
    "WAIT_FOR",
]

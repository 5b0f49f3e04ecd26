"""The sixteen kinds of defect that Souza et al. insert into message-passing programs (Table VII)."""

from __future__ import annotations

from enum import IntEnum


class Defect(IntEnum):
    """A kind of defect; `title` is its name in the paper.

    >>> Defect(3).title, Defect.MISSING_STATEMENT.value
    ('source process changed to "any" process in messages', 14)
    """

    title: str

    def __new__(cls, number: int, title: str) -> Defect:
        self = int.__new__(cls, number)
        self._value_ = number
        self.title = title
        return self

    STRUCTURE = 1, "incorrect loop or selection structure"
    PROCESS = 2, "incorrect process in messages"
    ANY_SOURCE = 3, 'source process changed to "any" process in messages'
    ARRAY_SIZE = 4, "incorrect size of array"
    INITIALIZATION = 5, "variable that is not initialized"
    MESSAGE_SIZE = 6, "incorrect size of message"
    ADDRESS = 7, "incorrect message address"
    PARAMETER_TYPE = 8, "incorrect type of parameter"
    DATA_TYPE = 9, "incorrect message data type"
    NONBLOCKING = 10, "blocking message replaced by a nonblocking one"
    OPERATOR = 11, "changed operator in an assignment"
    DATA = 12, "incorrect data sent or received"
    PREDICATE = 13, "changed logical operator in a predicate"
    MISSING_STATEMENT = 14, "missing statement"
    ASSIGNMENT = 15, "incorrect assignment"
    INCREMENT = 16, "increment or decrement of variables in communication primitives"

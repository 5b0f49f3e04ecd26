"""The names of messages, requests and collective calls in stories."""

from __future__ import annotations

from raddle.mpi.collective_call import CollectiveCall
from raddle.mpi.message import Message, Receive
from raddle.mpi.operations import SEND, SENT
from raddle.operation import Kind


def resource_name(kind: Kind, target: object) -> str:
    """Return the name of an operation's target; "" if it has none.

    >>> message = Message(source=1, destination=0, context=0, tag=4, number=0, payload="")
    >>> resource_name(SEND, message), resource_name(Kind("look", "looks at"), message)
    ('a message to R0 (tag 4)', 'a message from R1 (tag 4)')
    """
    if isinstance(target, Message):
        end = f"to R{target.destination}" if kind in (SEND, SENT) else f"from R{target.source}"
        return f"a message {end} (tag {target.tag})"
    if isinstance(target, Receive):
        return f"a receive of {target}"
    return str(target) if isinstance(target, CollectiveCall) else ""

"""The operations of ranks, as rows of the table in `raddle.operation`."""

from __future__ import annotations

from raddle.operation import Kind, Role

MESSAGE = "message"  # the kind of resource whose gives are scheduling points only for a search over partial orders

SEND = Kind("send", "sends", role=Role.GIVE, point_if_observed=MESSAGE)
SENT = Kind("sent", "has sent", waiting="waits until a receive takes")
RECV = Kind("recv", "receives", role=Role.TAKE, waiting="waits for", partner="send", counted=True)
POST = Kind("post", "posts")
MATCH = Kind("match", "receives", role=Role.TAKE, waiting="waits for", partner="send", counted=True)
PROBE = Kind("probe", "finds", waiting="waits to find")
POLL = Kind("iprobe", "looks for", role=Role.OBSERVE, waiting="polls for")
TEST = Kind("test", "tests", role=Role.OBSERVE, waiting="polls")
WAIT_FOR = Kind("wait-for", "has completed", waiting="waits to complete")
JOIN_IN = Kind("collective", "enters", role=Role.GIVE, point_if_observed=MESSAGE)
PASS_TIME = Kind("pass-time", "lets virtual time pass")
COMPLETE = Kind("complete", "completes", role=Role.TAKE, waiting="waits in", partner="collective")

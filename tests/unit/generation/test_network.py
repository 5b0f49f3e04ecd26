"""Connections are refused, except those to sockets of the process itself."""

import subprocess
import sys

PROGRAM = """
import socket
from raddle.generation.network import refuse_connections

outside = socket.create_server(("127.0.0.1", 0))  # the guard has not seen it, like a server of another process
refuse_connections()
own = socket.socket()
own.bind(("127.0.0.1", 0))
own.listen()

def connects(address):
    with socket.socket() as client:
        try:
            client.connect(address)
        except ConnectionRefusedError as error:
            return str(error)
    return ""

print(repr(connects(own.getsockname())))
print(repr(connects(outside.getsockname())))
address = own.getsockname()
own.close()
print(repr(connects(address)))
"""


def test_only_sockets_of_the_process_itself_can_be_reached():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    refused = repr("raddle generate allows no network connections")
    assert done.stdout.splitlines() == ["''", refused, refused]

"""Request broker: ten clients send five requests each to objects that a server creates on demand.

Modeled on the echo test of TIDOrbJ, an object request broker. Requests travel as messages over connections that the
clients share, and a pool of threads executes them. An object is activated when it is first needed. Some objects are
deactivated after several uses, as soon as they have no users. Looking up an object and counting its new user should be
atomic, but the lock around both is left out. In between, the last user may leave, and then the object loses its
servant. In this case, the request raises an exception. As the standard requires, the server sends this exception to the
client, where it ends the client thread.
"""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor

CLIENTS = 10
REQUESTS = 5  # requests per client
POOL = 3  # threads in the server's pool
USES = 4  # number of uses after which some objects are deactivated
PORTS = ("ior:2809", "ior:2810")
KEYS = ("echo/1", "loud/1", "twice/1", "clock/1", "echo/2", "loud/2", "twice/2", "clock/2", "echo/3", "loud/3")


# -- messages -------------------------------------------------------------------------------------


class Request:
    """A client's request."""

    def __init__(self, number, key, text):
        self.number = number
        self.key = key
        self.text = text

    def encode(self):
        return f"{self.number} {self.key} {self.text}"

    @staticmethod
    def decode(message):
        number, key, text = message.split(" ", 2)
        return Request(int(number), key, text)


class Reply:
    """The server's reply to a request."""

    def __init__(self, number, status, text):
        self.number = number
        self.status = status
        self.text = text

    def encode(self):
        return f"{self.number} {self.status} {self.text}"

    @staticmethod
    def decode(message):
        number, status, text = message.split(" ", 2)
        return Reply(int(number), status, text)


class Wire:
    """Both directions of a connection, in memory."""

    def __init__(self):
        self.requests = queue.Queue()
        self.replies = queue.Queue()


# -- client ---------------------------------------------------------------------------------------


class Pending:
    """A reply that a client is waiting for."""

    def __init__(self):
        self.changed = threading.Condition()
        self.reply = None

    def fulfil(self, reply):
        with self.changed:
            self.reply = reply
            self.changed.notify()

    def wait(self):
        with self.changed:
            while self.reply is None:
                self.changed.wait()
            return self.reply


class PendingTable:
    """All replies that clients are waiting for on one connection."""

    def __init__(self):
        self.lock = threading.Lock()
        self.table = {}

    def register(self, number):
        with self.lock:
            pending = self.table[number] = Pending()
            return pending

    def arrived(self, reply):
        with self.lock:
            pending = self.table.pop(reply.number)
        pending.fulfil(reply)


class Connection:
    """Sends requests, and passes replies to the clients that are waiting for them."""

    def __init__(self, wire):
        self.lock = threading.Lock()
        self.wire = wire
        self.pending = PendingTable()
        self.numbers = 0
        self.reader = ReplyReader(self)
        self.reader.start()

    def send(self, key, text):
        with self.lock:
            self.numbers += 1
            pending = self.pending.register(self.numbers)
            self.wire.requests.put(Request(self.numbers, key, text).encode())
        return pending

    def close(self):
        self.wire.requests.put(None)
        self.reader.join()


class ReplyReader(threading.Thread):
    """A thread that reads the replies of one connection."""

    def __init__(self, connection):
        super().__init__(name="reply reader")
        self.connection = connection

    def run(self):
        while (message := self.connection.wire.replies.get()) is not None:
            self.connection.pending.arrived(Reply.decode(message))


class ConnectionCache:
    """One connection per port, shared by all clients."""

    def __init__(self, server):
        self.lock = threading.Lock()
        self.server = server
        self.connections = {}

    def get(self, port):
        with self.lock:
            connection = self.connections.get(port)
            if connection is None:
                connection = self.connections[port] = Connection(self.server.accept())
            return connection

    def close(self):
        with self.lock:
            for connection in self.connections.values():
                connection.close()


class Interceptor:
    """Counts requests and replies."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent = 0
        self.received = 0

    def request_sent(self):
        with self.lock:
            self.sent += 1

    def reply_received(self):
        with self.lock:
            self.received += 1


class RemoteError(Exception):
    """Raised if the server could not execute a request."""


class Stub:
    """The client's proxy for an object on the server."""

    def __init__(self, broker, port, key):
        self.broker = broker
        self.port = port
        self.key = key

    def call(self, text):
        connection = self.broker.connections.get(self.port)
        pending = connection.send(self.key, text)
        self.broker.interceptor.request_sent()
        reply = pending.wait()
        self.broker.interceptor.reply_received()
        if reply.status != "fine":
            raise RemoteError(reply.text)
        return reply.text


class Broker:
    """The client side of the broker."""

    def __init__(self, server):
        self.connections = ConnectionCache(server)
        self.interceptor = Interceptor()

    def stub(self, port, key):
        return Stub(self, port, key)


class Client(threading.Thread):
    """A thread that sends requests, one after another."""

    def __init__(self, number, broker):
        super().__init__(name=f"client {number}")
        self.number = number
        self.broker = broker
        self.replies = []

    def run(self):
        for count in range(REQUESTS):
            key = KEYS[(self.number + 3 * count) % len(KEYS)]
            stub = self.broker.stub(PORTS[self.number % len(PORTS)], key)
            self.replies.append(stub.call(f"hello {count}"))


# -- server ---------------------------------------------------------------------------------------


class Servant:
    """A servant, which executes the requests for an object."""

    lasting = True  # False if the servant is deactivated after some uses

    def carry_out(self, text):
        return text


class Loud(Servant):
    def carry_out(self, text):
        return text.upper()


class Twice(Servant):
    lasting = False

    def carry_out(self, text):
        return super().carry_out(text) + text


class Clock(Servant):
    """A servant that counts its calls."""

    lasting = False

    def __init__(self):
        self.lock = threading.Lock()
        self.calls = 0

    def carry_out(self, text):
        with self.lock:
            self.calls += 1
        return "now"


class ServantFactory:
    """Creates the servant for an object."""

    kinds = {"echo": Servant, "loud": Loud, "twice": Twice, "clock": Clock}

    def __init__(self):
        self.lock = threading.Lock()
        self.made = 0

    def make(self, key):
        with self.lock:
            self.made += 1
            return self.kinds[key.partition("/")[0]]()


class ActiveObject:
    """A servant and the number of its users."""

    def __init__(self, key, servant):
        self.lock = threading.Lock()
        self.key = key
        self.servant = servant
        self.lasting = servant.lasting
        self.users = 0
        self.uses = 0

    def use(self):
        with self.lock:
            self.users += 1
            self.uses += 1

    def leave(self):
        with self.lock:
            self.users -= 1
            return self.users == 0 and self.uses >= USES and not self.lasting

    def deactivate(self):
        with self.lock:
            self.servant = None


class ActiveObjectMap:
    """The objects that currently have a servant."""

    def __init__(self, factory):
        self.lock = threading.Lock()
        self.factory = factory
        self.objects = {}

    def find(self, key):
        with self.lock:
            found = self.objects.get(key)
            if found is None:
                found = self.objects[key] = ActiveObject(key, self.factory.make(key))
            return found

    def remove(self, key):
        with self.lock:
            self.objects.pop(key, None)


class ObjectAdapter:
    """Dispatches requests to servants."""

    def __init__(self):
        self.lock = threading.RLock()
        self.map = ActiveObjectMap(ServantFactory())

    def enter(self, key):
        # The bug: `with self.lock:` is left out here.
        found = self.map.find(key)
        found.use()
        return found

    def leave(self, found):
        with self.lock:
            if found.leave():
                self.map.remove(found.key)
                found.deactivate()


class Server:
    """The server side of the broker."""

    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=POOL)
        self.adapter = ObjectAdapter()
        self.readers = []

    def accept(self):
        wire = Wire()
        reader = RequestReader(self, wire)
        self.readers.append(reader)
        reader.start()
        return wire

    def serve(self, wire, message):
        request = Request.decode(message)
        try:
            reply = Reply(request.number, "fine", self.carry_out(request))
        except Exception as error:
            reply = Reply(request.number, "exception", error)
        wire.replies.put(reply.encode())

    def carry_out(self, request):
        found = self.adapter.enter(request.key)
        text = found.servant.carry_out(request.text)
        self.adapter.leave(found)
        return text

    def shut_down(self):
        for reader in self.readers:
            reader.join()
        self.pool.shutdown()


class RequestReader(threading.Thread):
    """A thread that reads the requests of one connection and submits them to the pool."""

    def __init__(self, server, wire):
        super().__init__(name="request reader")
        self.server = server
        self.wire = wire

    def run(self):
        tasks = []
        while (message := self.wire.requests.get()) is not None:
            tasks.append(self.server.pool.submit(self.server.serve, self.wire, message))
        for task in tasks:
            task.result()
        self.wire.replies.put(None)


def scenario():
    server = Server()
    broker = Broker(server)
    clients = [Client(number, broker) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    broker.connections.close()
    server.shut_down()
    assert broker.interceptor.received == CLIENTS * REQUESTS

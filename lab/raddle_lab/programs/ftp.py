"""FTP server: starts a thread for each connection, and shuts down while some connections are still in use.

Connections are in memory. The server is stopped while clients are still being served. Closing a connection removes its
writer, disposing of the accounts removes their table, and the server iterates over the table of connections while
entries are removed. None of this is protected by a lock, so a thread that runs at the wrong moment fails with an
exception. No lock is acquired while another one is held.
"""

import queue
import threading

CLIENTS = 8
PATIENT = 5  # number of clients that finish before the server is stopped
SCRIPTS = (
    ("USER anna", "PASS anna", "LIST /", "QUIT"),
    ("USER boris", "PASS boris", "CWD /pub", "RETR readme", "QUIT"),
    ("USER clara", "PASS wrong", "PASS clara", "STOR notes", "QUIT"),
    ("NOOP", "USER anna", "PASS anna", "STOR log", "RETR log", "DELE log", "QUIT"),
)


class Channel:
    """One direction of a connection."""

    def __init__(self):
        self.lines = queue.Queue()

    def send(self, line):
        self.lines.put(line)

    def receive(self):
        return self.lines.get()  # None at the end of the stream

    def close(self):
        self.lines.put(None)


class Socket:
    """Both directions of a connection."""

    def __init__(self):
        self.to_server = Channel()
        self.to_client = Channel()


class Request:
    """A line from a client."""

    def __init__(self, line):
        self.verb, _, self.argument = line.partition(" ")


class Writer:
    """Writes replies."""

    def __init__(self, channel):
        self.channel = channel
        self.replies = 0

    def reply(self, code, text):
        self.replies += 1
        self.channel.send(f"{code} {text}")


class Account:
    """A user who may log in."""

    def __init__(self, name):
        self.name = name
        self.password = name
        self.logins = 0


class Accounts:
    """The accounts of all users."""

    def __init__(self, names):
        self.lock = threading.Lock()
        self.table = {name: Account(name) for name in names}

    def log_in(self, name, password):
        account = self.table.get(name)
        if account is None or account.password != password:
            return None
        with self.lock:
            account.logins += 1
        return account

    def dispose(self):
        self.table = None


class File:
    """A file: its name and its content."""

    def __init__(self, name, content):
        self.name = name
        self.content = content


class Storage:
    """All files."""

    def __init__(self):
        self.lock = threading.Lock()
        self.files = {"readme": File("readme", "hello")}

    def names(self):
        with self.lock:
            return sorted(self.files)

    def read(self, name):
        with self.lock:
            file = self.files.get(name)
            return file.content if file else None

    def write(self, name, content):
        with self.lock:
            self.files[name] = File(name, content)

    def delete(self, name):
        with self.lock:
            return self.files.pop(name, None) is not None


class Statistics:
    """Counts of connections, uploads and downloads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.connections = 0
        self.uploads = 0
        self.downloads = 0

    def connected(self):
        with self.lock:
            self.connections += 1

    def uploaded(self):
        with self.lock:
            self.uploads += 1

    def downloaded(self):
        with self.lock:
            self.downloads += 1


class Session:
    """The state of the client on one connection."""

    def __init__(self, socket):
        self.socket = socket
        self.writer = Writer(socket.to_client)
        self.user = None
        self.account = None
        self.folder = "/"
        self.closed = False

    def close(self):
        self.closed = True
        self.writer = None
        self.socket.to_server.close()
        self.socket.to_client.close()


class Command:
    """Executes one FTP command."""

    def __init__(self, server):
        self.server = server

    def allowed(self, session):
        return session.account is not None

    def execute(self, session, argument):
        session.writer.reply(200, "fine")


class User(Command):
    def allowed(self, session):
        return True

    def execute(self, session, argument):
        session.user = argument
        session.writer.reply(331, "password, please")


class Pass(Command):
    def allowed(self, session):
        return session.user is not None

    def execute(self, session, argument):
        session.account = self.server.accounts.log_in(session.user, argument)
        if session.account is None:
            session.writer.reply(530, "no")
        else:
            session.writer.reply(230, "welcome")


class Cwd(Command):
    def execute(self, session, argument):
        session.folder = argument
        session.writer.reply(250, argument)


class List(Command):
    def execute(self, session, argument):
        for name in self.server.storage.names():
            session.writer.reply(150, name)
        session.writer.reply(226, "that was all")


class Retr(Command):
    def execute(self, session, argument):
        content = self.server.storage.read(argument)
        if content is None:
            session.writer.reply(550, "no such file")
        else:
            session.writer.reply(226, content)
            self.server.statistics.downloaded()


class Stor(Command):
    def execute(self, session, argument):
        self.server.storage.write(argument, session.folder)
        session.writer.reply(226, "stored")
        self.server.statistics.uploaded()


class Dele(Command):
    def execute(self, session, argument):
        done = self.server.storage.delete(argument)
        session.writer.reply(250 if done else 550, argument)


class Worker(threading.Thread):
    """A thread that serves one connection."""

    def __init__(self, server, number, socket):
        super().__init__(name=f"connection {number}")
        self.server = server
        self.number = number
        self.session = Session(socket)

    def run(self):
        if not self.session.closed:
            self.session.writer.reply(220, "ready")
        while (line := self.session.socket.to_server.receive()) is not None:
            if self.session.closed:
                return
            request = Request(line)
            if request.verb == "QUIT":
                self.session.writer.reply(221, "bye")
                self.server.registry.remove(self.number)
                return
            self.carry_out(request)

    def carry_out(self, request):
        command = self.server.commands.get(request.verb)
        if command is None:
            self.session.writer.reply(502, "not known")
        elif command.allowed(self.session):
            command.execute(self.session, request.argument)
        else:
            self.session.writer.reply(530, "log in first")


class Registry:
    """The open connections."""

    def __init__(self):
        self.lock = threading.Lock()
        self.workers = {}

    def add(self, worker):
        with self.lock:
            self.workers[worker.number] = worker

    def remove(self, number):
        with self.lock:
            del self.workers[number]

    def close_all(self):
        for worker in self.workers.values():  # the bug: iterates without the lock
            worker.session.close()


class Listener(threading.Thread):
    """A thread that accepts connections."""

    def __init__(self, server):
        super().__init__(name="listener")
        self.server = server
        self.backlog = queue.Queue()
        self.workers = []

    def run(self):
        while (socket := self.backlog.get()) is not None:
            worker = Worker(self.server, len(self.workers), socket)
            self.workers.append(worker)
            self.server.registry.add(worker)
            self.server.statistics.connected()
            worker.start()


class Server:
    """The complete server."""

    def __init__(self):
        self.accounts = Accounts(["anna", "boris", "clara"])
        self.storage = Storage()
        self.statistics = Statistics()
        self.registry = Registry()
        self.commands = {
            "NOOP": Command(self),
            "USER": User(self),
            "PASS": Pass(self),
            "CWD": Cwd(self),
            "LIST": List(self),
            "RETR": Retr(self),
            "STOR": Stor(self),
            "DELE": Dele(self),
        }
        self.listener = Listener(self)

    def start(self):
        self.listener.start()

    def connect(self):
        socket = Socket()
        self.listener.backlog.put(socket)
        return socket

    def stop(self):
        self.listener.backlog.put(None)
        self.listener.join()
        self.registry.close_all()
        self.accounts.dispose()
        for worker in self.listener.workers:
            worker.join()


class Client(threading.Thread):
    """A thread that sends the lines of a script and reads the replies."""

    def __init__(self, number, server, script):
        super().__init__(name=f"client {number}")
        self.server = server
        self.script = script
        self.codes = []

    def run(self):
        socket = self.server.connect()
        for line in self.script:
            socket.to_server.send(line)
        while (reply := socket.to_client.receive()) is not None:
            self.codes.append(reply[:3])
            if reply.startswith("221"):
                return


def scenario():
    server = Server()
    server.start()
    clients = [Client(number, server, SCRIPTS[number % len(SCRIPTS)]) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients[:PATIENT]:
        client.join()
    server.stop()
    for client in clients:
        client.join()

"""Crawler: workers wait for connections, which a simulated network establishes, and fetch pages over them.

When everything has been fetched, a supervisor shuts the workers down. The bug is in the shutdown: the supervisor checks
whether a worker has a connection, and then sets that connection's stop flag. In between, a worker that is done may drop
its connection. An exception then ends the supervisor, and the workers it did not reach wait forever. This happens only
if a worker is delayed just before its last step until the supervisor reaches that worker.
"""

import threading
from collections import deque

WORKERS = 6
WEB = {  # maps each host to its pages: path, kind, links
    "a.example": [("/", "html", ["/one", "/two"]), ("/one", "html", []), ("/two", "image", [])],
    "b.example": [("/", "moved", ["/new"]), ("/new", "html", ["/gone"])],
    "c.example": [("/", "html", ["/gone"])],
    "d.example": [("/", "image", [])],
    "e.example": [("/", "html", ["/one"]), ("/one", "moved", ["/two"]), ("/two", "html", [])],
    "f.example": [("/", "forbidden", [])],
    "g.example": [("/", "html", ["/one"]), ("/one", "image", [])],
    "h.example": [("/", "moved", ["/new"]), ("/new", "image", [])],
}


class Log:
    """A human-readable log of events."""

    def __init__(self):
        self.lock = threading.Lock()
        self.lines = []

    def write(self, line):
        with self.lock:
            self.lines.append(line)


class Statistics:
    """Counts of pages and errors."""

    def __init__(self, log):
        self.lock = threading.Lock()
        self.log = log
        self.pages = 0
        self.errors = 0

    def page(self):
        with self.lock:
            self.pages += 1

    def error(self, address):
        with self.lock:
            self.errors += 1
            self.log.write(f"cannot fetch {address}")


class Page:
    """A host's response to a request."""

    def __init__(self, address, kind, links):
        self.address = address
        self.kind = kind
        self.links = links


class Host:
    """The pages of one host in the simulated network."""

    def __init__(self, name, pages):
        self.name = name
        self.pages = {path: Page(name + path, kind, links) for path, kind, links in pages}

    def answer(self, path):
        return self.pages.get(path)


class Connection:
    """A connection to one host, usable until its stop flag is set."""

    def __init__(self, host):
        self.host = host
        self.requests = 0
        self.stop_flag = False

    def fetch(self, path):
        if self.stop_flag:
            return None
        self.requests += 1
        return self.host.answer(path)

    def set_stop_flag(self):
        self.stop_flag = True


class Gate:
    """The queue in which workers wait for connections."""

    def __init__(self):
        self.changed = threading.Condition()
        self.connections = deque()
        self.closed = False

    def established(self, connection):
        with self.changed:
            self.connections.append(connection)
            self.changed.notify()

    def wait_for_connection(self):
        with self.changed:
            while not self.connections and not self.closed:
                self.changed.wait()
            return self.connections.popleft() if self.connections else None

    def close(self):
        with self.changed:
            self.closed = True
            self.changed.notify_all()


class Frontier:
    """The pages of one host that are known but not yet fetched."""

    def __init__(self):
        self.seen = {"/"}
        self.ahead = deque(["/"])

    def add(self, links):
        for path in links:
            if path not in self.seen:
                self.seen.add(path)
                self.ahead.append(path)

    def next_path(self):
        return self.ahead.popleft() if self.ahead else None


class Index:
    """Maps each kind of page to the addresses of such pages."""

    def __init__(self):
        self.lock = threading.Lock()
        self.hosts = {}

    def enter(self, page):
        with self.lock:
            self.hosts.setdefault(page.kind, set()).add(page.address)


class Cache:
    """The most recently fetched pages."""

    def __init__(self, size):
        self.lock = threading.Lock()
        self.size = size
        self.pages = deque()

    def keep(self, page):
        with self.lock:
            self.pages.append(page)
            if len(self.pages) > self.size:
                self.pages.popleft()


class Store:
    """The fetched pages."""

    def __init__(self, statistics):
        self.lock = threading.RLock()
        self.statistics = statistics
        self.index = Index()
        self.cache = Cache(3)
        self.pages = {}

    def save(self, page):
        with self.lock:
            self.pages[page.address] = page
            self.cache.keep(page)
            if page.kind == "html":
                self.index.enter(page)
            self.statistics.page()

    def count(self):
        with self.lock:
            return len(self.pages)


class Handler:
    """Processes a page. The base class only stores it."""

    def __init__(self, crawler):
        self.crawler = crawler

    def handle(self, page, frontier):
        self.crawler.store.save(page)


class HtmlHandler(Handler):
    """Stores the page and follows its links."""

    def handle(self, page, frontier):
        super().handle(page, frontier)
        frontier.add(page.links)


class MovedHandler(Handler):
    """Follows a redirect."""

    def handle(self, page, frontier):
        self.crawler.log.write(f"{page.address} moved")
        frontier.add(page.links)


class ForbiddenHandler(Handler):
    """Records an error."""

    def handle(self, page, frontier):
        self.crawler.statistics.error(page.address)


class Progress:
    """Counts the connections served."""

    def __init__(self, expected):
        self.changed = threading.Condition()
        self.expected = expected
        self.served = 0

    def one_more(self):
        with self.changed:
            self.served += 1
            if self.served == self.expected:
                self.changed.notify_all()

    def wait(self):
        with self.changed:
            while self.served < self.expected:
                self.changed.wait()


class Worker(threading.Thread):
    """A thread that serves connections."""

    def __init__(self, crawler):
        super().__init__(name="worker")
        self.crawler = crawler
        self.connection = None
        self.stopping = False

    def run(self):
        while not self.stopping:
            connection = self.crawler.gate.wait_for_connection()
            if connection is None:
                return
            self.connection = connection
            self.serve(connection)
            self.crawler.progress.one_more()
            self.connection = None

    def serve(self, connection):
        frontier = Frontier()
        while (path := frontier.next_path()) is not None:
            page = connection.fetch(path)
            if page is None:
                self.crawler.statistics.error(path)
            else:
                self.crawler.handlers[page.kind].handle(page, frontier)

    def finish(self):
        self.stopping = True
        if self.connection is not None:
            self.connection.set_stop_flag()


class Network(threading.Thread):
    """A thread that simulates the hosts by establishing one connection after another."""

    def __init__(self, gate, hosts):
        super().__init__(name="network")
        self.gate = gate
        self.hosts = hosts

    def run(self):
        for host in self.hosts:
            self.gate.established(Connection(host))


class Supervisor(threading.Thread):
    """A thread that shuts the crawler down when all connections have been served."""

    def __init__(self, crawler):
        super().__init__(name="supervisor")
        self.crawler = crawler

    def run(self):
        self.crawler.progress.wait()
        self.crawler.log.write("everything was fetched")
        self.crawler.shut_down()


class Crawler:
    """The complete crawler."""

    def __init__(self, hosts):
        self.log = Log()
        self.statistics = Statistics(self.log)
        self.store = Store(self.statistics)
        self.gate = Gate()
        self.progress = Progress(len(hosts))
        self.handlers = {
            "html": HtmlHandler(self),
            "image": Handler(self),
            "moved": MovedHandler(self),
            "forbidden": ForbiddenHandler(self),
        }
        self.workers = [Worker(self) for _ in range(WORKERS)]

    def start(self):
        for worker in self.workers:
            worker.start()

    def shut_down(self):
        for worker in self.workers:
            worker.finish()
        self.gate.close()

    def join(self):
        for worker in self.workers:
            worker.join()


def scenario():
    hosts = [Host(name, pages) for name, pages in WEB.items()]
    crawler = Crawler(hosts)
    crawler.start()
    networks = [Network(crawler.gate, hosts[::2]), Network(crawler.gate, hosts[1::2])]
    supervisor = Supervisor(crawler)
    for thread in [*networks, supervisor]:
        thread.start()
    for thread in [*networks, supervisor]:
        thread.join()
    crawler.join()
    assert crawler.store.count() == crawler.statistics.pages == 11
    assert crawler.statistics.errors == 3

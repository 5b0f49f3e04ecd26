"""Airlines: two resellers sell an airline's tickets to four sets of ten customers.

There are fewer tickets than customers. A reseller queries the database for a free ticket for a flight, and then books
it. Each operation is atomic, but the two together are not. If both resellers find the last ticket for a flight, both
sell it, and the check at the end fails. No lock is acquired while another one is held.
"""

import threading
from collections import deque

RESELLERS = 2
CUSTOMER_SETS = 4
CUSTOMERS = 10  # customers in each set
FLIGHTS = ("Brno", "Oslo", "Rome", "Riga", "Bern", "Cork", "Nice", "Bari")
TICKETS = 4  # tickets per flight; each flight has five customers


class Ticket:
    """A seat on a flight."""

    def __init__(self, flight, seat):
        self.flight = flight
        self.seat = seat
        self.holder = None


class Flight:
    """The tickets of one flight."""

    def __init__(self, name, seats):
        self.name = name
        self.tickets = [Ticket(name, seat) for seat in range(seats)]

    def left(self):
        return len(self.tickets)

    def hand_out(self, customer):
        if not self.tickets:
            return None
        ticket = self.tickets.pop()
        ticket.holder = customer
        return ticket


class Database:
    """All flights, and the tickets sold."""

    def __init__(self):
        self.lock = threading.Lock()
        self.flights = {name: Flight(name, TICKETS) for name in FLIGHTS}
        self.sold = 0

    def has_ticket(self, flight):
        with self.lock:
            return self.flights[flight].left() > 0

    def book(self, flight, customer):
        with self.lock:
            ticket = self.flights[flight].hand_out(customer.name)
            if ticket is not None:
                self.sold += 1
            return ticket


class Customer:
    """A customer who wants a ticket for one flight and waits for the answer."""

    def __init__(self, name, flight):
        self.name = name
        self.flight = flight
        self.has_ticket = False
        self.answered = threading.Event()

    def answer(self, has_ticket):
        self.has_ticket = has_ticket
        self.answered.set()


class Member(Customer):
    """A customer who also collects miles."""

    def __init__(self, name, flight, miles):
        super().__init__(name, flight)
        self.miles = miles

    def answer(self, has_ticket):
        if has_ticket:
            self.miles.collect(self.name)
        super().answer(has_ticket)


class Miles:
    """The miles that each member has collected."""

    def __init__(self):
        self.lock = threading.Lock()
        self.flights = {}

    def collect(self, name):
        with self.lock:
            self.flights[name] = self.flights.get(name, 0) + 1


class Office:
    """The queue in which customers wait for a free reseller."""

    def __init__(self):
        self.changed = threading.Condition()
        self.waiting = deque()
        self.closed = False
        self.served = {}

    def enter(self, customer):
        with self.changed:
            self.waiting.append(customer)
            self.changed.notify()

    def next_customer(self, reseller):
        with self.changed:
            while not self.waiting:
                if self.closed:
                    return None
                self.changed.wait()
            self.served[reseller] = self.served.get(reseller, 0) + 1
            return self.waiting.popleft()

    def close(self):
        with self.changed:
            self.closed = True
            self.changed.notify_all()


class Reseller(threading.Thread):
    """A thread that sells tickets until the office closes."""

    def __init__(self, office, database):
        super().__init__(name="reseller")
        self.office = office
        self.database = database

    def run(self):
        while True:
            customer = self.office.next_customer(self)
            if customer is None:
                return
            self.serve(customer)

    def serve(self, customer):
        if self.database.has_ticket(customer.flight):
            self.database.book(customer.flight, customer)
            customer.answer(True)
        else:
            customer.answer(False)


class CustomerSet(threading.Thread):
    """A thread that sends its customers to the office, one after another."""

    def __init__(self, number, office, miles):
        super().__init__(name=f"customers {number}")
        self.number = number
        self.office = office
        self.customers = [self.make_customer(place, miles) for place in range(CUSTOMERS)]

    def make_customer(self, place, miles):
        flight = FLIGHTS[(place + 2 * self.number) % len(FLIGHTS)]
        if (place + self.number) % 3 == 0:
            return Member(f"{self.number}.{place}", flight, miles)
        return Customer(f"{self.number}.{place}", flight)

    def run(self):
        for customer in self.customers:
            self.office.enter(customer)
            customer.answered.wait()

    def with_ticket(self):
        return sum(customer.has_ticket for customer in self.customers)


def scenario():
    database, office, miles = Database(), Office(), Miles()
    resellers = [Reseller(office, database) for _ in range(RESELLERS)]
    sets = [CustomerSet(number, office, miles) for number in range(CUSTOMER_SETS)]
    for thread in [*resellers, *sets]:
        thread.start()
    for customers in sets:
        customers.join()
    office.close()
    for reseller in resellers:
        reseller.join()
    assert sum(customers.with_ticket() for customers in sets) == database.sold

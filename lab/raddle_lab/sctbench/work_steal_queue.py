"""A queue whose owner pops from one end while a thief steals from the other, mostly without the lock.

A thief claims a slot before reading its element. In between, the owner, which considers the slot free, can store
another element there. That element is then used twice, and the previous one is never used. Head and tail are atomics in
the Java version and plain attributes here, since a single read or write of an attribute is atomic.
"""

import threading

INITIAL_SIZE = 2  # initial capacity, a power of 2
MAXIMAL_SIZE = 1024 * 1024
ITEMS = 4
STEAL_ATTEMPTS = 2
NOTHING = object()


class WorkStealQueue:
    def __init__(self, size):
        self.lock = threading.Lock()
        self.mask = size - 1
        self.elements = [None] * size
        self.head = 0  # written by the thief, and by the owner under the lock
        self.tail = 0  # written by the owner

    def steal(self):
        with self.lock:
            head = self.head
            self.head = head + 1
            if head < self.tail:
                return self.elements[head & self.mask]
            self.head = head
            return NOTHING

    def pop(self):
        tail = self.tail - 1
        self.tail = tail
        if self.head <= tail:
            return self.elements[tail & self.mask]
        self.tail = tail + 1
        return self.pop_with_lock()

    def pop_with_lock(self):
        with self.lock:
            tail = self.tail - 1
            self.tail = tail
            if self.head <= tail:
                found = self.elements[tail & self.mask]
            else:
                self.tail = tail + 1
                found = NOTHING
            if self.head > tail:
                self.head = 0
                self.tail = 0
                found = NOTHING
            return found

    def push(self, element):
        tail = self.tail
        if tail < self.head + self.mask + 1 and tail < MAXIMAL_SIZE:
            self.elements[tail & self.mask] = element
            self.tail = tail + 1
        else:
            self.push_with_lock(element)

    def push_with_lock(self, element):
        with self.lock:
            head = self.head
            count = self.tail - head
            head &= self.mask
            self.head = head
            self.tail = head + count
            if count >= self.mask:
                self.grow(head, count)
            assert count < self.mask
            tail = self.tail
            self.elements[tail & self.mask] = element
            self.tail = tail + 1

    def grow(self, head, count):
        size = 2 * (self.mask + 1)
        assert size < MAXIMAL_SIZE
        moved = [self.elements[(head + number) & self.mask] for number in range(count)]
        self.elements = moved + [None] * (size - count)
        self.mask = size - 1
        self.head = 0
        self.tail = count


class Item:
    def __init__(self):
        self.uses = 0

    def use(self):
        self.uses += 1


def use(item):
    if item is not NOTHING:
        item.use()


def scenario():
    queue = WorkStealQueue(INITIAL_SIZE)
    items = [Item() for _ in range(ITEMS)]

    def thief():
        for _ in range(STEAL_ATTEMPTS):
            use(queue.steal())

    stealer = threading.Thread(target=thief)
    stealer.start()
    for number in range(0, ITEMS, 2):
        queue.push(items[number])
        queue.push(items[number + 1])
        use(queue.pop())
    for _ in range(ITEMS // 2):
        use(queue.pop())
    stealer.join()
    assert [item.uses for item in items] == [1] * ITEMS

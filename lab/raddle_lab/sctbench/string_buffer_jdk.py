"""A buffer is appended to another one while a second thread shortens the buffer being appended.

`append` reads the length and then the characters. It holds the other buffer's lock for each read, but releases the lock
in between, so another thread can remove the characters. JDK 1.4 has this bug.
"""

import threading


class StringBuffer:
    def __init__(self, text=""):
        self.lock = threading.RLock()
        self.characters = [""] * (len(text) + 16)
        self.count = 0
        self.append_text(text)

    def length(self):
        with self.lock:
            return self.count

    def get(self, end):
        with self.lock:
            assert end <= self.count
            return self.characters[:end]

    def append(self, other):
        with self.lock:
            length = other.length()
            count = self.count + length
            self.reserve(count)
            self.characters[self.count : count] = other.get(length)
            self.count = count

    def append_text(self, text):
        with self.lock:
            count = self.count + len(text)
            self.reserve(count)
            self.characters[self.count : count] = text
            self.count = count

    def erase(self, start, end):
        with self.lock:
            end = min(end, self.count)
            assert 0 <= start <= end
            del self.characters[start:end]
            self.count -= end - start

    def reserve(self, count):
        missing = count - len(self.characters)
        if missing > 0:
            self.characters.extend([""] * max(missing, len(self.characters) + 2))


def scenario():
    source = StringBuffer("abc")

    def rewrite():
        source.erase(0, 3)
        source.append_text("abc")

    writer = threading.Thread(target=rewrite)
    writer.start()
    StringBuffer().append(source)
    writer.join()

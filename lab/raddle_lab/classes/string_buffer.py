"""A mutable string."""

from __future__ import annotations

import threading


class StringBuffer:
    """A mutable string. Threads may share it.

    Indexes that are out of bounds raise IndexError.
    """

    def __init__(self, text: str = "") -> None:
        self._lock = threading.RLock()
        self._value: list[str] = [*text, *[""] * 16]
        self._count = len(text)

    def length(self) -> int:
        with self._lock:
            return self._count

    def is_empty(self) -> bool:
        with self._lock:
            return self._count == 0

    def capacity(self) -> int:
        with self._lock:
            return len(self._value)

    def ensure_capacity(self, minimum: int) -> None:
        """Increase the capacity to the minimum or more."""
        with self._lock:
            self._grow(minimum)

    def trim_to_size(self) -> None:
        """Reduce the capacity to the length."""
        with self._lock:
            del self._value[self._count :]

    def set_length(self, length: int) -> None:
        """Drop characters from the end, or add NUL characters at the end."""
        with self._lock:
            if length < 0:
                raise IndexError(f"the length is {length}, but must not be negative")
            self._replace(min(length, self._count), self._count, "\0" * (length - self._count))

    def char_at(self, index: int) -> str:
        with self._lock:
            self._check(index)
            return self._value[index]

    def code_point_at(self, index: int) -> int:
        with self._lock:
            self._check(index)
            return ord(self._value[index])

    def code_point_before(self, index: int) -> int:
        with self._lock:
            self._check(index - 1)
            return ord(self._value[index - 1])

    def get_chars(self, start: int, end: int, target: list[str], offset: int) -> None:
        """Copy the characters from `start` up to, but not including, `end` into the list at the offset."""
        with self._lock:
            self._check_range(start, end)
            if not 0 <= offset <= len(target) - (end - start):
                raise IndexError(f"a list of length {len(target)} has no room for {end - start} items at {offset}")
            target[offset : offset + end - start] = self._value[start:end]

    def set_char_at(self, index: int, char: str) -> None:
        with self._lock:
            self._check(index)
            self._value[index] = _checked_char(char)

    def append(self, value: StringBuffer | str | float | None) -> None:
        """Append the text of the value."""
        if isinstance(value, StringBuffer):
            self._append_buffer(value)
        else:
            self._append_text(str(value))

    def append_range(self, source: StringBuffer | str, start: int, end: int) -> None:
        """Append the characters of the source from `start` up to, but not including, `end`."""
        with self._lock:
            self.insert_range(self._count, source, start, end)

    def append_chars(self, chars: list[str]) -> None:
        self._append_text("".join(chars))

    def append_code_point(self, code_point: int) -> None:
        self._append_text(chr(code_point))

    def append_int(self, number: int) -> None:
        self._append_text(str(number))

    def append_float(self, number: float) -> None:
        self._append_text(str(number))

    def append_bool(self, truth: bool) -> None:
        self._append_text(str(truth))

    def delete(self, start: int, end: int) -> None:
        """Delete the characters from `start` up to, but not including, `end` or the end of the text."""
        with self._lock:
            end = min(end, self._count)
            self._check_range(start, end)
            self._replace(start, end, "")

    def delete_char_at(self, index: int) -> None:
        with self._lock:
            self._check(index)
            self._replace(index, index + 1, "")

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace the characters from `start` up to, but not including, `end` or the end of the text."""
        with self._lock:
            end = min(end, self._count)
            self._check_range(start, end)
            self._replace(start, end, text)

    def substring(self, start: int, end: int | None = None) -> str:
        """Return the text from `start` up to, but not including, `end`, by default up to the end of the text."""
        with self._lock:
            if end is None:
                end = self._count
            self._check_range(start, end)
            return self._text()[start:end]

    def sub_sequence(self, start: int, end: int) -> str:
        return self.substring(start, end)

    def insert(self, at: int, value: StringBuffer | str | float | None) -> None:
        """Insert the text of the value before the character at the index."""
        if isinstance(value, StringBuffer):
            length = value.length()
            self.insert_range(at, value, 0, length)
        else:
            self._insert_text(at, str(value))

    def insert_range(self, at: int, source: StringBuffer | str, start: int, end: int) -> None:
        """Insert the characters of the source from `start` up to, but not including, `end`."""
        with self._lock:
            length = len(source)
            if not 0 <= at <= self._count:
                raise IndexError(f"the index is {at}, but must lie between 0 and {self._count}")
            if not 0 <= start <= end <= length:
                raise IndexError(f"start {start}, end {end}, length {length}")
            chars = [source.char_at(i) if isinstance(source, StringBuffer) else source[i] for i in range(start, end)]
            self._replace(at, at, "".join(chars))

    def insert_chars(self, at: int, chars: list[str]) -> None:
        self._insert_text(at, "".join(chars))

    def insert_int(self, at: int, number: int) -> None:
        self._insert_text(at, str(number))

    def insert_float(self, at: int, number: float) -> None:
        self._insert_text(at, str(number))

    def insert_bool(self, at: int, truth: bool) -> None:
        self._insert_text(at, str(truth))

    def index_of(self, text: str, start: int = 0) -> int:
        """Return the first index of the text at or after `start`, or -1 if there is none."""
        return self.to_string().find(text, max(start, 0))

    def last_index_of(self, text: str, start: int | None = None) -> int:
        """Return the last index of the text at or before `start`, or -1 if there is none."""
        content = self.to_string()
        if start is None:
            return content.rfind(text)
        return content.rfind(text, 0, start + len(text)) if start >= 0 else -1

    def reverse(self) -> None:
        with self._lock:
            self._value[: self._count] = self._value[: self._count][::-1]

    def content_equals(self, text: str) -> bool:
        with self._lock:
            return self._text() == text

    def to_string(self) -> str:
        with self._lock:
            return self._text()

    def __len__(self) -> int:
        return self.length()

    def __str__(self) -> str:
        return self.to_string()

    def _append_buffer(self, other: StringBuffer) -> None:
        with self._lock:
            self._append_text(other.to_string())

    def _append_text(self, text: str) -> None:
        with self._lock:
            self._replace(self._count, self._count, text)

    def _insert_text(self, at: int, text: str) -> None:
        with self._lock:
            if not 0 <= at <= self._count:
                raise IndexError(f"the index is {at}, but must lie between 0 and {self._count}")
            self._replace(at, at, text)

    def _text(self) -> str:
        return "".join(self._value[: self._count])

    def _check(self, index: int) -> None:
        if not 0 <= index < self._count:
            raise IndexError(f"the index is {index}, but the length is {self._count}")

    def _check_range(self, start: int, end: int) -> None:
        if not 0 <= start <= end <= self._count:
            raise IndexError(f"start {start}, end {end}, length {self._count}")

    def _grow(self, minimum: int) -> None:
        capacity = len(self._value)
        if minimum > capacity:
            self._value += [""] * (max(minimum, 2 * capacity + 2) - capacity)

    def _replace(self, start: int, end: int, text: str) -> None:
        """Replace the characters from `start` to `end`, and move those behind them."""
        count = self._count + start - end + len(text)
        self._grow(count)
        self._value[start + len(text) : count] = self._value[end : self._count]
        self._value[start : start + len(text)] = text
        self._count = count


def _checked_char(char: str) -> str:
    if len(char) != 1:
        raise ValueError(f"{char!r} is not a single character")
    return char

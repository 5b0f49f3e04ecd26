"""A result that one thread provides and others wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable


class InvalidStateError(Exception):
    """The promise has a result already, or is cancelled."""


class PromiseCancelledError(Exception):
    """The promise is cancelled, so it will never have a result."""


class Promise:
    """A result that is set once. Threads may share it; each method takes effect in one indivisible step.

    Callbacks run in the thread that sets the result or cancels, after the result is visible to other threads. A
    callback that is added later runs at once. Each callback runs once. Its exceptions reach the caller of the method
    that runs it, and the remaining callbacks are not called.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._done = False
        self._cancelled = False
        self._result: object = None
        self._exception: Exception | None = None
        self._callbacks: list[Callable[[Promise], object]] = []

    def set_result(self, result: object) -> None:
        """Provide the result.

        Raises:
            InvalidStateError: If the promise is done.
        """
        if not self._finish(result=result):
            raise InvalidStateError("the promise is done")

    def set_exception(self, exception: Exception) -> None:
        """Provide an exception, which `result` will raise.

        Raises:
            InvalidStateError: If the promise is done.
        """
        if not self._finish(exception=exception):
            raise InvalidStateError("the promise is done")

    def cancel(self) -> bool:
        """Give up the result. Return False if the promise is done."""
        return self._finish(cancelled=True)

    def result(self, timeout: float | None = None) -> object:
        """Wait for the result and return it, or raise the exception that was set.

        Raises:
            PromiseCancelledError: If the promise is cancelled.
            TimeoutError: If the promise is not done after `timeout` seconds.
        """
        with self._condition:
            if not self._condition.wait_for(lambda: self._done, timeout):
                raise TimeoutError(f"the promise was not done after {timeout} seconds")
            if self._cancelled:
                raise PromiseCancelledError("the promise is cancelled")
            if self._exception is not None:
                raise self._exception
            return self._result

    def add_done_callback(self, callback: Callable[[Promise], object]) -> None:
        """Call a function with this promise as soon as it is done."""
        with self._condition:
            if not self._done:
                self._callbacks.append(callback)
                return
        callback(self)

    def done(self) -> bool:
        """Return whether there is a result or an exception, or the promise is cancelled."""
        with self._condition:
            return self._done

    def _finish(self, *, result: object = None, exception: Exception | None = None, cancelled: bool = False) -> bool:
        with self._condition:
            if self._done:
                return False
            self._done, self._cancelled = True, cancelled
            self._result, self._exception = result, exception
            callbacks, self._callbacks = self._callbacks, []
            self._condition.notify_all()
        for callback in callbacks:
            callback(self)
        return True

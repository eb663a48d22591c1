"""The object that programs use: all methods, and the changes."""
from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from ._door import Door, Dropped, Ended, Feed, OfLog, Params
from ._errors import Error, timed_out
from ._methods import Methods
from ._results import read
from .types import Change


class Store(Methods):
    """A store, by a socket or by the library; any number of threads may use it at once."""

    def __init__(self, door: Door, timeout: float | None = None) -> None:
        def perform(method: str, params: Params, seconds: float | None) -> Any:
            return door.call(method, params, timeout if seconds is None else seconds)

        # A method of this object would keep it alive, and with it a store that nobody closes.
        super().__init__(perform)
        self._door = door
        self._timeout = timeout

    def of_log(self, log: str) -> Store:
        """One of the logs of a server of many, by its id in 32 hex digits.

        It shares the connection, and any number of logs may: closing it closes nothing.
        """
        return Store(OfLog(self._door, log, closes=False), self._timeout)

    def changes(self, after: int | None = None) -> Changes:
        """The changes in the store, in order: by this program and by all others.

        `after` is the position of the last change that was seen, or -1 for all from the first event
        on; without it the changes begin now. None is lost on the way.
        """
        return Changes(self._door, after)

    def close(self) -> None:
        """Closes the store: calls that are waiting raise `Closed`, and changes end."""
        self._door.close()

    def __repr__(self) -> str:
        return f"<daybook.Store by {self._door}>"

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Changes(Iterator[Change]):
    """Changes as they come: an iterator that waits for the next one.

    It is subscribed as soon as it is made. `close`, also by another thread or by the end of a
    `with` block, ends it.
    """

    def __init__(self, door: Door, after: int | None) -> None:
        self._door = door
        self._lock = threading.Lock()
        self._is_closed = False
        self._feed = Feed()
        self._subscription, self._position = door.subscribe(after, self._feed, None)

    @property
    def position(self) -> int:
        """The position of the last change that was taken: the next program's `after`."""
        return self._position

    def __next__(self) -> Change:
        change = self.take()
        if change is None:
            raise StopIteration
        return change

    def take(self, timeout: float | None = None) -> Change | None:
        """Waits for the next change; None if the changes were closed. Raises `Timeout`."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            try:
                item = self._feed.take(None if end is None else max(0, end - time.monotonic()))
            except queue.Empty:
                raise timed_out(timeout or 0) from None
            if isinstance(item, (Ended, Error)):
                # A caller who asks again is told again.
                self._feed.end(item)
                if isinstance(item, Error):
                    raise item
                return None
            if isinstance(item, Dropped):
                self._subscribe_again()
                continue
            change = read(item, Change)
            self._position = change.position
            return change

    def __repr__(self) -> str:
        return f"<daybook.Changes after {self._position} by {self._door}>"

    def close(self) -> None:
        """Ends the changes."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        self._door.unsubscribe(self._subscription)
        self._feed.end(Ended())

    def __enter__(self) -> Changes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _subscribe_again(self) -> None:
        """Continues after the last change that was taken: the log still has what was dropped."""
        with self._lock:
            if self._is_closed:
                return
            self._door.unsubscribe(self._subscription)
            self._feed = Feed()
            self._subscription, _ = self._door.subscribe(self._position, self._feed, None)

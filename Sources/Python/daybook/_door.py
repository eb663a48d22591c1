"""The common parts of the ways to a store: JSON-RPC texts, and feeds of changes."""
from __future__ import annotations

import itertools
import json
import queue
import threading
from collections.abc import Mapping
from typing import Any, Final, Protocol

from ._errors import STORE, Error, closed, error_of_answer
from ._values import in_json

# More waiting changes than this are read again from the log instead of kept.
LONGEST_FEED: Final = 10_000
# The longest answer: a page of 1000 of the log's largest events, written as JSON.
LONGEST_LINE: Final = 256 << 20

Params = Mapping[str, object]


class Door(Protocol):
    """A way to a store, which several threads may use at once."""

    def call(self, method: str, params: Params, timeout: float | None) -> Any:
        """Performs a call, and returns its result."""

    def subscribe(self, after: int | None, feed: Feed, log: str | None) -> tuple[int, int]:
        """Begins to fill a feed; returns the subscription and the position that it is at."""

    def unsubscribe(self, subscription: int) -> None:
        """Ends a subscription, if it has not ended."""

    def close(self) -> None:
        """Closes the way: calls in progress and feeds end."""

    def __str__(self) -> str:
        """The place of the store, such as the path of the socket."""


class OfLog:
    """A way to one of the logs that its server serves."""

    def __init__(self, door: Door, log: str, *, closes: bool) -> None:
        self._door = door
        self._log = log
        self._closes = closes

    def call(self, method: str, params: Params, timeout: float | None) -> Any:
        return self._door.call(method, {"log": self._log, **params}, timeout)

    def subscribe(self, after: int | None, feed: Feed, log: str | None) -> tuple[int, int]:
        return self._door.subscribe(after, feed, log or self._log)

    def unsubscribe(self, subscription: int) -> None:
        self._door.unsubscribe(subscription)

    def close(self) -> None:
        if self._closes:
            self._door.close()

    def __str__(self) -> str:
        return f"{self._door}, log {self._log}"


class Dropped:
    """Stands in a feed where changes are missing: subscribe again after this position."""


class Ended:
    """Stands in a feed that this program has closed."""


class Feed:
    """The changes of a subscription until somebody takes them."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._is_full = False

    def put(self, change: Any) -> None:
        """Adds a change; if nobody has taken any for long, the feed ends with `Dropped`."""
        if self._is_full:
            return
        self._is_full = self._queue.qsize() >= LONGEST_FEED
        self._queue.put(Dropped() if self._is_full else change)

    def end(self, item: Dropped | Ended | Error) -> None:
        """Ends the feed with what its reader is to do."""
        self._queue.put(item)

    def take(self, timeout: float | None) -> Any:
        """Waits for the next item; raises `queue.Empty` if there is none in time."""
        return self._queue.get(timeout=timeout)

    def take_now(self) -> Any:
        """The next item; None if there is none."""
        try:
            return self._queue.get_nowait()
        except queue.Empty:
            return None


class Numbers:
    """Numbers for requests, unique among threads."""

    def __init__(self) -> None:
        self._count = itertools.count(1)
        self._lock = threading.Lock()

    def next(self) -> int:
        """A number that was not used before."""
        with self._lock:
            return next(self._count)


def request_text(number: int, method: str, params: Params) -> bytes:
    """A request's text, without parameters that are None."""
    given = {name: value for name, value in params.items() if value is not None}
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": given}
    try:
        text = json.dumps(
            request, ensure_ascii=False, separators=(",", ":"), default=in_json)
        return text.encode()
    except (TypeError, ValueError) as problem:
        raise Error("usage", f"a parameter can't be sent: {problem}", 2) from None


def message(text: bytes) -> dict[str, Any]:
    """An answer or a notification from its text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise closed("the server sent a line that is no JSON") from None
    if not isinstance(value, dict):
        raise closed("the server sent a line that is no object")
    return value


def result(answer: Mapping[str, Any]) -> Any:
    """The result of an answer; raises its error."""
    if "error" in answer:
        raise error_of_answer(answer["error"])
    if "result" not in answer:
        raise Error("badAnswer", "the answer has neither result nor error", STORE)
    return answer["result"]


class Lines:
    """Cuts what comes from a socket into lines."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def add(self, part: bytes) -> list[bytes]:
        """The lines that a part completes."""
        start = len(self._rest)
        self._rest += part
        end = self._rest.rfind(b"\n", start)
        if end < 0:
            if len(self._rest) > LONGEST_LINE:
                raise closed("the server sent a line without an end")
            return []
        lines = bytes(self._rest[:end]).split(b"\n")
        del self._rest[: end + 1]
        return lines

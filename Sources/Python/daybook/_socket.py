"""The way through the socket of `daybook serve`."""
from __future__ import annotations

import os
import socket
import struct
import threading
from concurrent.futures import Future, TimeoutError as FutureTimeout
from typing import Any, Final

from ._door import Dropped, Ended, Feed, Lines, Numbers, Params, message, request_text, result
from ._errors import STORE, Error, closed, timed_out

# A server that takes nothing for so long is not coming back.
SEND_SECONDS: Final = 30


def usual_path() -> str:
    """The path of the socket where `daybook serve` was not given another."""
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not folder:
        raise Error("usage", "give a path: XDG_RUNTIME_DIR is not set", 2)
    return os.path.join(folder, "daybook", "socket")


def not_connected(path: str, problem: OSError) -> Error:
    """The error of a socket that nobody listens at."""
    reason = problem.strerror or problem
    return Error("notConnected", f"no server answers at {path}: {reason}", STORE)


class SocketDoor:
    """A connection whose lines one thread reads, so that several calls can be in progress."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._numbers = Numbers()
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._calls: dict[int, tuple[Future[Any], Feed | None]] = {}
        self._feeds: dict[int, Feed] = {}
        self._end: Error | None = None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(path)
        except OSError as problem:
            self._socket.close()
            raise not_connected(path, problem) from None
        self._socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))
        self._reader = threading.Thread(target=self._read, name="daybook socket", daemon=True)
        self._reader.start()

    def call(self, method: str, params: Params, timeout: float | None) -> Any:
        return self._call(method, params, timeout, None)

    def subscribe(self, after: int | None, feed: Feed, log: str | None) -> tuple[int, int]:
        begun = self._call("subscribe", {"after": after, "log": log}, None, feed)
        return begun["subscription"], begun["position"]

    def unsubscribe(self, subscription: int) -> None:
        with self._lock:
            feed = self._feeds.pop(subscription, None)
        if feed is None:
            return
        try:
            self.call("unsubscribe", {"subscription": subscription}, SEND_SECONDS)
        except Error as problem:
            # It ended in the meantime, by itself or with the connection; or nobody answers.
            if problem.code not in ("unknownSubscription", "closed", "timeout"):
                raise

    def close(self) -> None:
        self._finish(closed(), Ended())
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def __str__(self) -> str:
        return f"socket {self._path}"

    def _call(
        self, method: str, params: Params, timeout: float | None, feed: Feed | None
    ) -> Any:
        number = self._numbers.next()
        text = request_text(number, method, params) + b"\n"
        answer: Future[Any] = Future()
        with self._lock:
            if self._end is not None:
                raise self._end
            self._calls[number] = (answer, feed)
        try:
            with self._sending:
                self._socket.sendall(text)
        except OSError as problem:
            # Half a line may be sent: nothing can follow it.
            self._finish(closed(f"the server takes no requests: {problem.strerror}"))
        try:
            return answer.result(timeout)
        except FutureTimeout:
            if answer.done():
                raise
            raise timed_out(timeout or 0) from None
        finally:
            with self._lock:
                self._calls.pop(number, None)

    def _read(self) -> None:
        lines = Lines()
        try:
            while part := self._socket.recv(1 << 16):
                for line in lines.add(part):
                    self._take(message(line))
            self._finish(closed("the server has closed the connection"))
        except Error as problem:
            self._finish(problem)
        except OSError as problem:
            self._finish(closed(f"the connection failed: {problem.strerror}"))
        self._socket.close()

    def _take(self, value: dict[str, Any]) -> None:
        """Hands an answer to the call that waits for it, and a notification to its feed."""
        if "method" in value:
            params = value.get("params")
            params = params if isinstance(params, dict) else {}
            with self._lock:
                feed = self._feeds.get(params.get("subscription", 0))
                if feed and value["method"] == "dropped":
                    del self._feeds[params["subscription"]]
            if feed and value["method"] == "changed":
                feed.put(params)
            elif feed and value["method"] == "dropped":
                feed.end(Dropped())
            return
        with self._lock:
            answer, feed = self._calls.pop(value.get("id", 0), (None, None))
        if answer is None:
            return
        try:
            given = result(value)
            if feed is not None:
                # Before the next line is read, which may be the first change.
                with self._lock:
                    self._feeds[given["subscription"]] = feed
            answer.set_result(given)
        except (Error, TypeError, KeyError) as problem:
            answer.set_exception(problem)

    def _finish(self, end: Error, feeds_end: Ended | None = None) -> None:
        """Ends all calls with an error, and all feeds with the same or another end; once."""
        with self._lock:
            if self._end is not None:
                return
            self._end = end
            calls, self._calls = self._calls, {}
            feeds, self._feeds = self._feeds, {}
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        for answer, _ in calls.values():
            answer.set_exception(end)
        for feed in feeds.values():
            feed.end(feeds_end or end)

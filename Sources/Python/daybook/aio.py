"""The same calls for asyncio.

    import daybook.aio

    async with await daybook.aio.connect() as wallets:
        async for change in wallets.changes():
            print(change.position, change.changes)

A call that is cancelled is still performed by the store; only its answer is dropped.
"""
from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, Protocol, TypeVar

from ._async_methods import AsyncMethods
from ._door import Dropped, Ended, Feed, Lines, Numbers, Params, message, request_text, result
from ._errors import Error, closed, timed_out
from ._library import LibraryDoor
from ._socket import not_connected, usual_path
from ._results import read
from ._values import Path
from .types import Change

__all__ = ["AsyncChanges", "AsyncStore", "connect", "open"]

_Result = TypeVar("_Result")


async def connect(
    path: Path | None = None, *, log: str | None = None, timeout: float | None = None
) -> AsyncStore:
    """Connects to the socket of `daybook serve`; see `daybook.connect`."""
    door: _AsyncDoor = await _StreamDoor.connected(os.fspath(path) if path else usual_path())
    if log is not None:
        door = _OfLog(door, log, closes=True)
    return AsyncStore(door, timeout)


async def open(  # pylint: disable=redefined-builtin
    home: Path, *, front_end: str = "python", timeout: float | None = None
) -> AsyncStore:
    """Opens a store through the C library, whose calls wait in threads; see `daybook.open`."""
    door = await asyncio.to_thread(LibraryDoor, os.fspath(home), front_end)
    return AsyncStore(_ThreadDoor(door), timeout)


class _LoopFeed(Feed):
    """A feed that a task takes from; any thread may put into it."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._arrived = asyncio.Event()

    def put(self, change: Any) -> None:
        super().put(change)
        self._wake()

    def end(self, item: Dropped | Ended | Error) -> None:
        super().end(item)
        self._wake()

    async def next(self) -> Any:
        """Waits for the next item."""
        while True:
            item = self.take_now()
            if item is not None:
                return item
            self._arrived.clear()
            await self._arrived.wait()

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._arrived.set)
        except RuntimeError:
            # The loop is closed, and nobody waits.
            pass


class _AsyncDoor(Protocol):
    async def call(self, method: str, params: Params) -> Any: ...

    async def subscribe(
        self, after: int | None, feed: _LoopFeed, log: str | None
    ) -> tuple[int, int]: ...

    async def unsubscribe(self, subscription: int) -> None: ...

    async def close(self) -> None: ...

    def __str__(self) -> str: ...


class _OfLog:
    """A way to one of the logs that its server serves."""

    def __init__(self, door: _AsyncDoor, log: str, *, closes: bool) -> None:
        self._door = door
        self._log = log
        self._closes = closes

    async def call(self, method: str, params: Params) -> Any:
        return await self._door.call(method, {"log": self._log, **params})

    async def subscribe(
        self, after: int | None, feed: _LoopFeed, log: str | None
    ) -> tuple[int, int]:
        return await self._door.subscribe(after, feed, log or self._log)

    async def unsubscribe(self, subscription: int) -> None:
        await self._door.unsubscribe(subscription)

    async def close(self) -> None:
        if self._closes:
            await self._door.close()

    def __str__(self) -> str:
        return f"{self._door}, log {self._log}"


class _StreamDoor:
    """A connection whose lines a task reads."""

    def __init__(
        self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._path = path
        self._reader = reader
        self._writer = writer
        self._numbers = Numbers()
        self._calls: dict[int, tuple[asyncio.Future[Any], _LoopFeed | None]] = {}
        self._feeds: dict[int, _LoopFeed] = {}
        self._end: Error | None = None
        self._task = asyncio.get_running_loop().create_task(self._read())

    @classmethod
    async def connected(cls, path: str) -> _StreamDoor:
        """A connection to the socket at a path."""
        try:
            reader, writer = await asyncio.open_unix_connection(path)
        except OSError as problem:
            raise not_connected(path, problem) from None
        return cls(path, reader, writer)

    def __str__(self) -> str:
        return f"socket {self._path}"

    async def call(self, method: str, params: Params) -> Any:
        return await self._call(method, params, None)

    async def subscribe(
        self, after: int | None, feed: _LoopFeed, log: str | None
    ) -> tuple[int, int]:
        begun = await self._call("subscribe", {"after": after, "log": log}, feed)
        return begun["subscription"], begun["position"]

    async def unsubscribe(self, subscription: int) -> None:
        if self._feeds.pop(subscription, None) is None:
            return
        try:
            await self.call("unsubscribe", {"subscription": subscription})
        except Error as problem:
            # It ended in the meantime, by itself or with the connection.
            if problem.code not in ("unknownSubscription", "closed"):
                raise

    async def close(self) -> None:
        self._finish(closed(), Ended())
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _call(self, method: str, params: Params, feed: _LoopFeed | None) -> Any:
        if self._end is not None:
            raise self._end
        number = self._numbers.next()
        text = request_text(number, method, params) + b"\n"
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls[number] = (answer, feed)
        try:
            self._writer.write(text)
            await self._writer.drain()
            return await answer
        except OSError as problem:
            end = closed(f"the server takes no requests: {problem.strerror}")
            self._finish(end)
            raise end from None
        finally:
            self._calls.pop(number, None)

    async def _read(self) -> None:
        lines = Lines()
        try:
            while part := await self._reader.read(1 << 16):
                for line in lines.add(part):
                    self._take(message(line))
            self._finish(closed("the server has closed the connection"))
        except Error as problem:
            self._finish(problem)
        except OSError as problem:
            self._finish(closed(f"the connection failed: {problem.strerror}"))

    def _take(self, value: dict[str, Any]) -> None:
        if "method" in value:
            params = value.get("params")
            params = params if isinstance(params, dict) else {}
            feed = self._feeds.get(params.get("subscription", 0))
            if feed and value["method"] == "changed":
                feed.put(params)
            elif feed and value["method"] == "dropped":
                del self._feeds[params["subscription"]]
                feed.end(Dropped())
            return
        answer, feed = self._calls.pop(value.get("id", 0), (None, None))
        if answer is None or answer.done():
            return
        try:
            given = result(value)
            if feed is not None:
                self._feeds[given["subscription"]] = feed
            answer.set_result(given)
        except (Error, TypeError, KeyError) as problem:
            answer.set_exception(problem)

    def _finish(self, end: Error, feeds_end: Ended | None = None) -> None:
        if self._end is not None:
            return
        self._end = end
        self._writer.close()
        calls, self._calls = self._calls, {}
        feeds, self._feeds = self._feeds, {}
        for answer, _ in calls.values():
            if not answer.done():
                answer.set_exception(end)
        for feed in feeds.values():
            feed.end(feeds_end or end)


class _ThreadDoor:
    """The C library, whose calls wait in threads of the loop's executor."""

    def __init__(self, door: LibraryDoor) -> None:
        self._door = door

    async def call(self, method: str, params: Params) -> Any:
        return await _in_thread(functools.partial(self._door.call, method, params, None))

    async def subscribe(
        self, after: int | None, feed: _LoopFeed, log: str | None
    ) -> tuple[int, int]:
        return await _in_thread(functools.partial(self._door.subscribe, after, feed, log))

    async def unsubscribe(self, subscription: int) -> None:
        await _in_thread(functools.partial(self._door.unsubscribe, subscription))

    async def close(self) -> None:
        await _in_thread(self._door.close)

    def __str__(self) -> str:
        return str(self._door)


async def _in_thread(work: Callable[[], _Result]) -> _Result:
    return await asyncio.to_thread(work)


class AsyncStore(AsyncMethods):
    """A store, whose methods are awaited; any number of tasks of one loop may use it."""

    def __init__(self, door: _AsyncDoor, timeout: float | None = None) -> None:
        super().__init__(self._perform)
        self._door = door
        self._timeout = timeout

    def of_log(self, log: str) -> AsyncStore:
        """One of the logs of a server of many; see `daybook.Store.of_log`."""
        return AsyncStore(_OfLog(self._door, log, closes=False), self._timeout)

    def changes(self, after: int | None = None) -> AsyncChanges:
        """The changes in the store, in order; see `daybook.Store.changes`."""
        return AsyncChanges(self._door, after)

    async def close(self) -> None:
        """Closes the store: calls that are waiting raise `Closed`, and changes end."""
        await self._door.close()

    def __repr__(self) -> str:
        return f"<daybook.aio.AsyncStore by {self._door}>"

    async def __aenter__(self) -> AsyncStore:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _perform(self, method: str, params: Params, timeout: float | None) -> Any:
        seconds = self._timeout if timeout is None else timeout
        try:
            return await asyncio.wait_for(self._door.call(method, params), seconds)
        except Error:
            raise
        except TimeoutError:
            raise timed_out(seconds or 0) from None


class AsyncChanges(AsyncIterator[Change]):
    """Changes as they come; subscribed when first waited for, or by `async with`."""

    def __init__(self, door: _AsyncDoor, after: int | None) -> None:
        self._door = door
        self._position = after
        self._feed: _LoopFeed | None = None
        self._subscription = 0
        self._is_closed = False

    @property
    def position(self) -> int | None:
        """The position of the last change that was taken; None before the subscription."""
        return self._position

    async def __anext__(self) -> Change:
        while not self._is_closed:
            feed = self._feed or await self._subscribe()
            item = await feed.next()
            if isinstance(item, (Ended, Error)):
                feed.end(item)
                if isinstance(item, Error):
                    raise item
                break
            if isinstance(item, Dropped):
                await self._door.unsubscribe(self._subscription)
                self._feed = None
                continue
            change = read(item, Change)
            self._position = change.position
            return change
        raise StopAsyncIteration

    async def close(self) -> None:
        """Ends the changes."""
        self._is_closed = True
        if self._feed is not None:
            await self._door.unsubscribe(self._subscription)
            self._feed.end(Ended())

    async def __aenter__(self) -> AsyncChanges:
        await self._subscribe()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _subscribe(self) -> _LoopFeed:
        feed = _LoopFeed()
        self._subscription, self._position = await self._door.subscribe(
            self._position, feed, None)
        self._feed = feed
        return feed

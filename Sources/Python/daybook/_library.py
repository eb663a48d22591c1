"""The way through the C library, in this process."""
from __future__ import annotations

import atexit
import ctypes
import ctypes.util
import json
import os
import pathlib
import threading
import weakref
from concurrent.futures import Future, TimeoutError as FutureTimeout
from typing import Any

from ._door import Ended, Feed, Numbers, Params, message, request_text, result
from ._errors import STORE, USAGE, Error, closed, error_of_library, timed_out
from ._values import Path

_Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_Text = ctypes.POINTER(ctypes.c_void_p)


def _path() -> str:
    """Finds the library: beside this package, by `$DAYBOOK_LIBRARY`, or where the system looks."""
    beside = pathlib.Path(__file__).with_name("libdaybook.so")
    if beside.exists():
        return str(beside)
    named = os.environ.get("DAYBOOK_LIBRARY") or ctypes.util.find_library("daybook")
    if not named:
        raise Error("libraryMissing", "libdaybook.so is not installed; see DAYBOOK_LIBRARY", STORE)
    return named


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as problem:
        raise Error("libraryMissing", f"the library can't be loaded: {problem}", STORE) from None
    store, text = ctypes.c_void_p, ctypes.c_char_p
    library.daybook_version.argtypes, library.daybook_version.restype = [], text
    library.daybook_create.argtypes = [text, _Text]
    library.daybook_open.argtypes = [text, text, ctypes.POINTER(store), _Text]
    library.daybook_call.argtypes = [store, text, _Text]
    library.daybook_subscribe.argtypes = [
        store, ctypes.c_int64, _Callback, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64)]
    library.daybook_last_error.argtypes, library.daybook_last_error.restype = [], ctypes.c_void_p
    library.daybook_unsubscribe.argtypes = [store, ctypes.c_uint64]
    library.daybook_close.argtypes = [store]
    library.daybook_free.argtypes, library.daybook_free.restype = [ctypes.c_void_p], None
    return library


_loaded: ctypes.CDLL | None = None
_loading = threading.Lock()


def library() -> ctypes.CDLL:
    """The library, which is loaded once."""
    global _loaded
    with _loading:
        if _loaded is None:
            _loaded = _load()
        return _loaded


def _taken(text: ctypes.c_void_p) -> bytes:
    """A text of the library, which is freed."""
    if not text.value:
        raise Error("noMemory", "the library gave no text", STORE)
    copy = ctypes.string_at(text.value)
    library().daybook_free(text)
    return copy


def _argument(text: str, name: str) -> bytes:
    if "\0" in text:
        raise Error("usage", f"{name} has a NUL", USAGE)
    return os.fsencode(text)


def create(home: Path) -> None:
    """Makes a store in a folder that is missing or empty."""
    error = ctypes.c_void_p()
    status = library().daybook_create(_argument(os.fspath(home), "home"), ctypes.byref(error))
    if status:
        raise error_of_library({**json.loads(_taken(error))["error"], "status": status})


# Closed before the interpreter ends, which no callback may outlive.
_open_doors: weakref.WeakSet[LibraryDoor] = weakref.WeakSet()
# Callbacks of doors that were forgotten instead of closed: one may be running.
_forgotten: list[Any] = []


@atexit.register
def _close_all() -> None:
    for door in list(_open_doors):
        door.close()


class LibraryDoor:
    """A store that this process has open."""

    def __init__(self, home: str, front_end: str) -> None:
        # First what `close` reads, which is called even if there is no library.
        self._feeds: dict[int, tuple[Feed, Any]] = {}
        self._is_closed = True
        self._home = home
        self._lock = threading.Lock()
        self._library = library()
        self._numbers = Numbers()
        self._store = ctypes.c_void_p()
        error = ctypes.c_void_p()
        status = self._library.daybook_open(
            _argument(home, "home"), _argument(front_end, "front_end"),
            ctypes.byref(self._store), ctypes.byref(error))
        if status:
            raise error_of_library({**json.loads(_taken(error))["error"], "status": status})
        self._is_closed = False
        _open_doors.add(self)

    def __del__(self) -> None:
        _forgotten.extend(callback for _, callback in self._feeds.values())
        self.close()

    def call(self, method: str, params: Params, timeout: float | None) -> Any:
        text = request_text(self._numbers.next(), method, params)
        if timeout is None:
            return self._call(text)
        # The library has no time limit: another thread waits for it.
        answer: Future[Any] = Future()

        def perform() -> None:
            try:
                answer.set_result(self._call(text))
            except Error as problem:
                answer.set_exception(problem)

        threading.Thread(target=perform, name="daybook call", daemon=True).start()
        try:
            return answer.result(timeout)
        except FutureTimeout:
            if answer.done():
                raise
            raise timed_out(timeout) from None

    def subscribe(self, after: int | None, feed: Feed, log: str | None) -> tuple[int, int]:
        # The library has one log, and refuses another.
        info = self.call("info", {"log": log}, None)
        position: int = info["events"] - 1 if after is None else after
        # ctypes would cut a longer number off, and -1 begins with the first event.
        if not -1 <= position < 1 << 53:
            raise Error("usage", f"after is a position or -1, not {position}", 2)

        def changed(_: int | None, text: bytes) -> None:
            change = message(text)
            if "error" in change:
                feed.end(error_of_library(change["error"]))
            else:
                feed.put(change)

        # The library calls this for as long as the subscription lasts.
        callback = _Callback(changed)
        number = ctypes.c_uint64()
        with self._lock:
            if self._is_closed:
                raise closed()
            status = self._library.daybook_subscribe(
                self._store, position, callback, None, ctypes.byref(number))
            if status:
                reason = ctypes.c_void_p(self._library.daybook_last_error())
                raise error_of_library({**json.loads(_taken(reason))["error"], "status": status})
            self._feeds[number.value] = (feed, callback)
        return number.value, position

    def unsubscribe(self, subscription: int) -> None:
        with self._lock:
            kept = self._feeds.pop(subscription, None)
        if kept is not None:
            # It waits for a callback in progress, so that `callback` may go afterwards.
            self._library.daybook_unsubscribe(self._store, subscription)

    def close(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            feeds, self._feeds = self._feeds, {}
        self._library.daybook_close(self._store)
        for feed, _ in feeds.values():
            feed.end(Ended())

    def __str__(self) -> str:
        return f"library at {self._home}"

    def _call(self, text: bytes) -> Any:
        if self._is_closed:
            raise closed()
        if b"\0" in text:
            raise Error("usage", "a request has no NUL", USAGE)
        answer = ctypes.c_void_p()
        self._library.daybook_call(self._store, text, ctypes.byref(answer))
        try:
            return result(message(_taken(answer)))
        except Error as problem:
            if problem.code == "storeClosed":
                raise closed() from None
            raise

"""The errors of failed calls."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

# The exit statuses of the program `daybook`.
USAGE = 2
STORE = 3


class Error(Exception):
    """A call failed: `code` is stable, `message` is one line for people.

    `status` is the exit status of the same command: 1 for a business no, 2 for wrong usage, 3 for
    the store, 4 for the passphrase, 5 for a node. `position` is the event at fault, if any. Each
    code has a class in `daybook.errors`, such as `WrongPassphrase`; only a code that this version
    does not know has none.
    """

    _by_code: ClassVar[dict[str, type[Error]]] = {}

    def __init_subclass__(cls, code: str | None = None, **others: Any) -> None:
        super().__init_subclass__(**others)
        if code is not None:
            Error._by_code[code] = cls

    def __new__(
        cls, code: str, message: str, status: int, position: int | None = None
    ) -> Self:
        """An error of the class of its code."""
        kind: Any = Error._by_code.get(code, cls) if cls is Error else cls
        make: Any = super().__new__
        made: Self = (make(cls, f"{message} ({code})") if kind is cls
                      else kind.__new__(kind, code, message, status, position))
        return made

    def __init__(
        self, code: str, message: str, status: int, position: int | None = None
    ) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.status = status
        self.position = position

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.message, self.status, self.position)


class Timeout(Error, TimeoutError, code="timeout"):
    """The answer did not come in time; the call itself may still be done."""


class Closed(Error, ConnectionError, code="closed"):
    """The connection is closed: calls that were waiting have no answer."""


class NotConnected(Error, ConnectionError, code="notConnected"):
    """No server answers at the socket."""


def timed_out(seconds: float) -> Error:
    """The error of a call whose answer did not come in time."""
    return Error("timeout", f"no answer within {seconds:g} seconds", STORE)


def closed(message: str = "the store is closed") -> Error:
    """The error of a call through a connection that has ended."""
    return Error("closed", message, STORE)


def error_of_answer(error: object) -> Error:
    """The error that an answer of JSON-RPC has."""
    if not isinstance(error, Mapping):
        return Error("failed", "the answer has an unknown error", STORE)
    data = error.get("data")
    data = data if isinstance(data, Mapping) else {}
    number = error.get("code")
    status = USAGE
    if isinstance(number, int) and -32099 <= number < -32000:
        status = -32000 - number
    position = data.get("position")
    return Error(
        str(data.get("code", "failed")), str(error.get("message", "")), status,
        position if isinstance(position, int) else None)


def error_of_library(error: object) -> Error:
    """The error that a function of the C library hands out as `{"error":{…}}`."""
    error = error if isinstance(error, Mapping) else {}
    position = error.get("position")
    return Error(
        str(error.get("code", "failed")), str(error.get("message", "")),
        int(error.get("status", STORE)), position if isinstance(position, int) else None)

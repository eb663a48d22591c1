"""What a failed call raises."""
from __future__ import annotations

from collections.abc import Mapping

# The exit statuses of the program `daybook`.
USAGE = 2
STORE = 3


class Error(Exception):
    """A call failed: `code` is stable, `message` is one line for people.

    `status` is the exit status of the same command: 1 for a business no, 2 for wrong usage, 3 for
    the store, 4 for the passphrase, 5 for a node. `position` is the event at fault, if any.
    """

    def __init__(
        self, code: str, message: str, status: int, position: int | None = None
    ) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.status = status
        self.position = position


class Timeout(Error, TimeoutError):
    """The answer did not come in time; the call itself may still be done."""

    def __init__(self, seconds: float) -> None:
        super().__init__("timeout", f"no answer within {seconds:g} seconds", STORE)


class Closed(Error, ConnectionError):
    """The connection is closed: calls that were waiting have no answer."""

    def __init__(self, message: str = "the store is closed") -> None:
        super().__init__("closed", message, STORE)


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

"""Calls Daybook, an event-sourced wallet backend, by its socket or its C library.

    import daybook

    with daybook.connect() as wallets:          # a running `daybook serve`
        opened = wallets.request.open("dashwallet://pay=X...&amount=1.5&sender=shop")
        shown = wallets.request.prompt(opened.request).prompt
        wallets.request.approve(opened.request, shown.digest, passphrase="...")

`daybook.open(home)` gives the same object without a server, through the C library. `daybook.aio`
has both for asyncio. A failed call raises a `daybook.Error`, of which `daybook.errors` has a class
for each code, such as `WrongPassphrase`.
"""
from __future__ import annotations

import os

from . import errors, types
from ._door import Door, OfLog
from ._errors import Closed, Error, NotConnected, Timeout
from ._library import LibraryDoor, create
from ._socket import SocketDoor, usual_path
from ._store import Changes, Store
from ._values import Path
from ._version import __version__ as __version__

__all__ = ["Changes", "Closed", "Error", "NotConnected", "Store", "Timeout", "connect",
           "create", "errors", "open", "types"]


def connect(
    path: Path | None = None, *, log: str | None = None, timeout: float | None = None
) -> Store:
    """Connects to the socket of `daybook serve`.

    Without a path it is `$XDG_RUNTIME_DIR/daybook/socket`. `log` is the id of a log, for a server
    of many; `of_log` gives further ones. `timeout` is the number of seconds that a call may take
    unless it says otherwise; None is without end.
    """
    door: Door = SocketDoor(os.fspath(path) if path else usual_path())
    if log is not None:
        door = OfLog(door, log, closes=True)
    return Store(door, timeout)


def open(  # pylint: disable=redefined-builtin
    home: Path, *, front_end: str = "python", timeout: float | None = None
) -> Store:
    """Opens a store through the C library; `front_end` names this program in the log."""
    return Store(LibraryDoor(os.fspath(home), front_end), timeout)

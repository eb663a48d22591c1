"""A server for tests that answers as it is told, also wrongly."""
import json
import os
import socket
import threading


def info(events=5, log="0" * 32):
    """The result of `info`."""
    return {"log": log, "home": "/store", "version": "1", "engine": 1, "events": events}


class FakeServer:
    """Listens at a socket; `handle(request, client)` gets each request of the first connection."""

    def __init__(self, folder, handle):
        self.path = os.path.join(folder, "socket")
        self._handle = handle
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        self._client = None
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        try:
            self._client, _ = self._listener.accept()
            for line in self._client.makefile("rb"):
                self._handle(json.loads(line), self)
        except OSError:
            return

    def send(self, value):
        """Sends an object as a line."""
        self.send_raw(json.dumps(value).encode() + b"\n")

    def send_raw(self, text):
        """Sends bytes as they are."""
        self._client.sendall(text)

    def answer(self, request, result):
        """Answers a request."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def changed(self, position, subscription=1):
        """Tells a change at a position."""
        self.send({"jsonrpc": "2.0", "method": "changed", "params": {
            "subscription": subscription, "position": position, "changes": [{"what": "node"}]}})

    def dropped(self, subscription=1):
        """Tells that a subscription has ended because its reader was slow."""
        self.send({"jsonrpc": "2.0", "method": "dropped", "params": {
            "subscription": subscription, "position": 0}})

    def hang_up(self):
        """Closes the connection."""
        self._client.shutdown(socket.SHUT_RDWR)

    def close(self):
        """Ends the server."""
        if self._client:
            self._client.close()
        self._listener.close()

"""Pretends to be a PostgreSQL server, as far as refusing every statement needs."""
import pathlib, shutil, socketserver, struct, tempfile, threading


class Pretender:
    """A server of any version, on a Unix socket, that answers each statement with an error."""

    def __init__(self, version, state):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="daybook-pretender-"))
        self.url = f"postgres:///postgres?host={self.folder}&user=daybook"
        self.server = socketserver.ThreadingUnixStreamServer(
            str(self.folder / ".s.PGSQL.5432"), Client)
        self.server.daemon_threads = True
        self.server.version, self.server.state = version, state
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def remove(self):
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Client(socketserver.StreamRequestHandler):
    """A connection; "Frontend/Backend Protocol" in PostgreSQL's documentation has the messages."""

    def handle(self):
        length, = struct.unpack("!I", self.rfile.read(4))
        self.rfile.read(length - 4)
        self.say(b"R", struct.pack("!I", 0))
        for name, value in (("server_version", self.server.version), ("client_encoding", "UTF8")):
            self.say(b"S", f"{name}\0{value}\0".encode())
        self.say(b"K", bytes(8))
        self.say(b"Z", b"I")
        while kind := self.rfile.read(1):
            length, = struct.unpack("!I", self.rfile.read(4))
            self.rfile.read(length - 4)
            # A simple query, or the end of one with parameters.
            if kind in b"QS":
                error = f"SERROR\0C{self.server.state}\0Mrefused by a pretender\0\0"
                self.say(b"E", error.encode())
                self.say(b"Z", b"I")

    def say(self, kind, content):
        self.wfile.write(kind + struct.pack("!I", len(content) + 4) + content)

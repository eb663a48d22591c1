"""Measures `daybook serve`: 64 clients at a socket, one client's latency, 1 000 subscribers."""
import json, os, selectors, signal, socket, subprocess, sys, time

from comparison import Row, speed, times
from programs import PROGRAMS, WORK, call as run

PAYEE = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
CLIENTS, REQUESTS = 64, 200
SUBSCRIBERS, CHANGES = 1000, 20
# The waiting requests of a log depend on when it was made, so three are added to a copy.
WAITING = 3
PENDING = {"method": "request.list", "params": {"status": ["pending"], "limit": WAITING}}


def line(request, id=1):
    return json.dumps({"jsonrpc": "2.0", "id": id, **request}).encode() + b"\n"


class Server:
    """A server of a store, or of many, for as long as the `with` block lasts."""

    def __init__(self, home, *options):
        self.home, self.path = home, str(WORK / "serve.socket")
        self.options = [str(option) for option in options]

    def __enter__(self):
        # The events of the log that is measured have times of their own.
        command = [PROGRAMS / "daybook", "serve", "--home", self.home, "--socket", self.path,
                   "--accept-clock", *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        client.connect(self.path)
        return client

    def memory(self):
        """The server's resident memory in bytes."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def lines(client, held):
    """The whole lines that have come; the rest is held back."""
    data = held.pop(client, b"") + client.recv(1 << 20)
    *whole, rest = data.split(b"\n")
    held[client] = rest
    return whole


def call(client, method, **params):
    """The result of a call; nothing else may be in progress at this connection."""
    client.sendall(line({"method": method, "params": params}))
    return json.loads(client.makefile("rb", buffering=0).readline())["result"]


def add_waiting(client):
    """Opens the requests that the lists give; they are the newest."""
    for number in range(WAITING):
        url = f"dashwallet://pay={PAYEE}&amount=0.1{number}&sender=bench"
        opened = call(client, "request.open", url=url)
        if opened["status"] != "pending":
            sys.exit(f"bench: {opened}")


def latency(shown):
    """Seconds that one client waits for the list of pending requests."""
    def pair(context):
        with Server(context.copy() / "store") as server:
            client = server.connect()
            add_waiting(client)
            stream = client.makefile("rb")
            seconds = []
            for _ in range(500):
                before = time.perf_counter()
                client.sendall(line(PENDING))
                answer = stream.readline()
                seconds.append(time.perf_counter() - before)
            count = len(json.loads(answer)["result"]["requests"])
            if count != WAITING:
                sys.exit(f"bench: {count} requests wait, not {WAITING}")
            shown["answer of serve/pending"] = f"{count} requests, {len(answer) / 1000:.1f} KB"
        return sorted(seconds)[len(seconds) // 2], 1e-3
    return pair


def crowd(context):
    """Seconds a request with 64 clients, each of which waits for its answer; and in process."""
    home = context.copy() / "store"
    with Server(home) as server:
        add_waiting(server.connect())
        selector, held, left = selectors.DefaultSelector(), {}, {}
        clients = [server.connect() for _ in range(CLIENTS)]
        for client in clients:
            selector.register(client, selectors.EVENT_READ)
            left[client] = REQUESTS
        before = time.perf_counter()
        for client in clients:
            client.sendall(line(PENDING))
        while left:
            for key, _ in selector.select():
                for _ in lines(key.fileobj, held):
                    left[key.fileobj] -= 1
                    if left[key.fileobj]:
                        key.fileobj.sendall(line(PENDING))
                    else:
                        del left[key.fileobj]
        seconds = (time.perf_counter() - before) / (CLIENTS * REQUESTS)
    text, _, _ = run(PROGRAMS / "daybook-bench", "measure", "calls", home, WORK / "scratch")
    count, nanoseconds = text.split()[:2]
    return seconds, int(nanoseconds) / 1e9 / int(count)


def subscribers(shown):
    """The share of changes that 1 000 subscribers saw, each exactly once."""
    def pair(context):
        home = context.copy() / "store"
        with Server(home) as server:
            caller = server.connect()
            # All that waited in the log expires now, and is no change that the subscribers see.
            add_waiting(caller)
            selector, held, seen = selectors.DefaultSelector(), {}, {}
            for _ in range(SUBSCRIBERS):
                client = server.connect()
                call(client, "subscribe")
                selector.register(client, selectors.EVENT_READ)
                seen[client] = []
            before = server.memory()
            opened = [call(caller, "request.open", url=f"dashwallet://nothing={number}")["request"]
                      for number in range(CHANGES)]
            deadline = time.monotonic() + 60
            while min(map(len, seen.values())) < CHANGES and time.monotonic() < deadline:
                for key, _ in selector.select(1):
                    for text in lines(key.fileobj, held):
                        changes = json.loads(text)["params"]["changes"]
                        seen[key.fileobj] += [change["request"] for change in changes
                                              if change["what"] == "request"]
            grown = server.memory() - before
            shown["memory of 1 000 subscribers' changes"] = f"{grown / 1048576:.1f} MiB"
            right = sum(sorted(numbers) == opened for numbers in seen.values())
            return right / SUBSCRIBERS, 1
    return pair


def checkpoint(context):
    """Seconds of a checkpoint that two witnesses on this machine cosign."""
    home = context.copy() / "store"
    key = json.loads(run(PROGRAMS / "daybook", "checkpoint", "--json", "--accept-clock",
                         "--home", home)[0])["key"]
    witnesses = []
    try:
        for number in range(2):
            witness = subprocess.Popen(
                [PROGRAMS / "daybook", "witness", "serve", "--json", "--log", key, "--key",
                 home.parent / f"witness-{number}"], stdout=subprocess.PIPE)
            witnesses.append(witness)
            place = json.loads(witness.stdout.readline())
            run(PROGRAMS / "daybook", "witness", "add", place["url"], place["key"], "--home", home)
        with Server(home) as server:
            client, seconds = server.connect(), []
            for _ in range(50):
                before = time.perf_counter()
                made = call(client, "log.checkpoint")
                seconds.append(time.perf_counter() - before)
                if "problems" in made or made["note"].count("\n— ") != 3:
                    sys.exit(f"bench: {made}")
        return sorted(seconds)[len(seconds) // 2], 20e-3
    finally:
        for witness in witnesses:
            witness.send_signal(signal.SIGTERM)
            witness.communicate()


def cosignatures(context):
    """Seconds to verify 1 000 cosignatures."""
    text, _, _ = run(PROGRAMS / "daybook-bench", "measure", "cosignatures",
                     context.copy() / "store", WORK / "scratch")
    return int(text.split()[1]) / 1e9, 1


def rows(shown):
    """The benchmarks of the server."""
    return [
        Row("serve/pending", "ms", ("<=", 1), times, latency(shown), 1e3),
        Row("serve/crowd", "µs", (">=", 0.25), speed, crowd),
        Row("serve/checkpoint", "ms", ("<=", 1), times, checkpoint, 1e3),
        Row("cosignatures", "ms", ("<=", 1), times, cosignatures, 1e3),
        Row("serve/subscribers", "", (">=", 1), times, subscribers(shown), 1),
    ]

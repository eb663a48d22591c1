"""Lets clients of `daybook serve` come, ask and vanish, and watches its memory.

usage: tools/dev clients MINUTES

The store has a Dash wallet on the embedded chain. In each round 20 clients connect; some ask, some
subscribe and never read, some send half a line and are gone. A payment is received, approved and
delivered in each round. Every subscriber that reads must see each of them once, no call may take
longer than five seconds, the memory must not grow after the first tenth of the time, and the log
must replay without a divergence.

  MINUTES  how long
"""
import atexit, json, pathlib, random, signal, socket, subprocess, sys, tempfile, time

import project

PASSPHRASE = "correct horse battery staple"
PAYEE = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"


class Client:
    """A connection to the server."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(5)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")

    def call(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = json.loads(self.lines.readline())
            if "id" in answer:
                if "error" in answer:
                    sys.exit(f"clients: {method}: {answer['error']}")
                return answer["result"]

    def close(self):
        self.lines.close()
        self.socket.close()


def memory(process):
    """The resident memory of a process in MiB."""
    pages = int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * 4096 / 1048576


def pay(client, number):
    """Receives, approves and delivers one payment; its request."""
    url = f"dashwallet://pay={PAYEE}&amount=0.0{random.randrange(1, 99):02}&sender=shop{number}"
    opened = client.call("request.open", url=url)
    done = client.call("request.approve", request=opened["request"],
                       shown=opened["prompt"]["digest"], passphrase=PASSPHRASE)
    if done["status"] != "completed":
        sys.exit(f"clients: {done}")
    client.call("callback.delivered", request=opened["request"])
    return opened["request"]


def one_round(path, caller, reader, number):
    """Clients of every kind, and a payment that the reading subscriber must be told of."""
    silent = []
    for _ in range(20):
        client = Client(path)
        kind = random.randrange(3)
        if kind == 0:
            client.call("request.list", status=["pending"])
        elif kind == 1:
            client.call("subscribe", after=-1)
        else:
            client.socket.sendall(b'{"jsonrpc":"2.0","id":1,"meth')
        silent.append(client)
    paid = pay(caller, number)
    seen = set()
    while paid not in seen:
        change = json.loads(reader.lines.readline())
        for one in change["params"]["changes"]:
            if one["what"] == "callback":
                seen.add(one["request"])
    for client in silent:
        client.close()


parser = project.parser(__doc__)
parser.add_argument("minutes", type=project.whole_number)
options = parser.parse_args()
programs = project.build("daybook", "daybook-replay")
with tempfile.TemporaryDirectory() as folder:
    home, path = f"{folder}/store", f"{folder}/socket"
    subprocess.run([programs / "daybook", "init", "--home", home], check=True,
                   stdout=subprocess.DEVNULL)
    server = subprocess.Popen(
        [programs / "daybook", "serve", "--home", home, "--socket", path, "--json"],
        stdout=subprocess.PIPE)
    atexit.register(server.kill)
    server.stdout.readline()
    caller, reader = Client(path), Client(path)
    wallet = caller.call("wallet.add", chain="dash", new=True, passphrase=PASSPHRASE)["wallet"]
    caller.call("sandbox.fund", wallet=wallet, amount="1000")
    caller.call("sandbox.mine")
    reader.call("subscribe")
    started, rounds, settled = time.monotonic(), 0, None
    while time.monotonic() - started < options.minutes * 60:
        one_round(path, caller, reader, rounds)
        rounds += 1
        if rounds % 10 == 0:
            caller.call("sandbox.mine")
        if settled is None and time.monotonic() - started > options.minutes * 6:
            settled = memory(server)
    grown = memory(server) - (settled or 0)
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=30)
    if server.returncode:
        sys.exit(f"clients: the server ended with {server.returncode}")
    subprocess.run([programs / "daybook-replay", "replay", home], check=True)
print(f"{rounds} rounds; {settled:.1f} MiB after a tenth of the time, {grown:+.1f} MiB at the end")
if grown > 8:
    sys.exit("clients: the memory grew by more than 8 MiB")

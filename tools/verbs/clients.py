"""Lets clients of `daybook serve` come, ask and vanish, and watches its memory.

usage: tools/dev clients MINUTES [--plant]
       tools/dev clients --short FOLDER [--plant]

The store has a Dash wallet on the embedded chain. In each round 20 clients connect; some ask, some
subscribe and never read, some send half a line and are gone. A payment is received, approved and
delivered in each round. Every subscriber that reads must see each of them once, no call may take
longer than five seconds, the memory must not grow after the first third of the time, and the log
must replay without a divergence.

The memory that counts is the server's own (`Private_Dirty`). Resident memory grows with the log,
because it includes the pages of mapped files, which the system takes back when it needs them. The
caches of 1 024 rows a table are filled by payments before the time begins.

  MINUTES         how long
  --short FOLDER  ten rounds and a few payments before, with the programs in FOLDER
  --plant         the clients stay, so that what waits for them fills the memory; the end says so
"""
import atexit, json, pathlib, random, re, signal, socket, subprocess, sys, tempfile, time

import project

PASSPHRASE = "correct horse battery staple"
PAYEE = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
# As many as fill the server's caches of rows; in the short form, what is used at first.
FIRST_PAYMENTS, FEW_PAYMENTS = 1100, 20


class Client:
    """A connection to the server."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(5)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")

    def send(self, method, params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def call(self, method, **params):
        self.send(method, params)
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
    """The memory of a process in MiB that it shares with no file and no other process."""
    text = pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    return int(re.search(r"^Private_Dirty: +(\d+) kB", text, re.MULTILINE)[1]) / 1024


def pay(client, number, **passphrase):
    """Receives, approves and delivers one payment; its request."""
    url = f"dashwallet://pay={PAYEE}&amount=0.0{random.randrange(1, 99):02}&sender=shop{number}"
    opened = client.call("request.open", url=url)
    done = client.call("request.approve", request=opened["request"],
                       shown=opened["prompt"]["digest"], **passphrase)
    if done["status"] != "completed":
        sys.exit(f"clients: {done}")
    client.call("callback.delivered", request=opened["request"])
    return opened["request"]


STAYING = []


def one_round(path, caller, reader, number):
    """Clients of every kind, and a payment that the reading subscriber must be told of."""
    silent = [Client(path) for _ in range(20)]
    # One never reads more than its socket takes, so that its subscription is dropped.
    for method, params in 3 * [("log.read", {"from": 0, "limit": 1000})] + [
            ("subscribe", {"after": -1})]:
        silent[0].send(method, params)
    for client in silent[1:]:
        kind = random.randrange(3)
        if kind == 0:
            client.call("request.list", status=["pending"])
        elif kind == 1:
            client.call("subscribe")
        else:
            client.socket.sendall(b'{"jsonrpc":"2.0","id":1,"meth')
    # In the short form the wallet stays unlocked: a passphrase takes longer than all else.
    paid = pay(caller, number, **{} if options.short else {"passphrase": PASSPHRASE})
    seen = set()
    while paid not in seen:
        change = json.loads(reader.lines.readline())
        for one in change["params"]["changes"]:
            if one["what"] == "callback":
                seen.add(one["request"])
    if options.plant:
        return STAYING.append(silent[0])
    for client in silent:
        client.close()


def fill_caches(caller, wallet):
    """Makes payments of an unlocked wallet, which take less time than those with a passphrase."""
    caller.call("unlock", wallet=wallet, passphrase=PASSPHRASE, seconds=86400, limit="900")
    for number in range(first_payments):
        pay(caller, number)
        if number % 10 == 9:
            caller.call("sandbox.mine")
    if not options.short:
        caller.call("lock", wallet=wallet)


parser = project.parser(__doc__)
length = parser.add_mutually_exclusive_group(required=True)
length.add_argument("minutes", type=project.whole_number, nargs="?", default=0)
length.add_argument("--short", type=pathlib.Path)
parser.add_argument("--plant", action="store_true")
options = parser.parse_args()
programs = options.short or project.build("daybook", "daybook-replay")
first_payments = FEW_PAYMENTS if options.short else FIRST_PAYMENTS
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
    fill_caches(caller, wallet)
    reader.call("subscribe")
    started, rounds, samples = time.monotonic(), 0, []
    while len(samples) < 10:
        one_round(path, caller, reader, first_payments + rounds)
        rounds += 1
        if rounds % 10 == 0:
            caller.call("sandbox.mine")
        if time.monotonic() - started > (len(samples) + 1) * options.minutes * 6:
            samples.append(memory(server))
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=30)
    if server.returncode:
        sys.exit(f"clients: the server ended with {server.returncode}")
    subprocess.run([programs / "daybook-replay", "replay", home], check=True)
# In the first round, and in the first third of a long run, threads and caches take their memory.
grown = samples[-1] - samples[1 if options.short else 3]
print(f"{rounds} rounds; memory in MiB:", *(f"{sample:.1f}" for sample in samples))
# In the short form caches are still filled: the memory grows by 1 to 2 MiB, with --plant by 5.
most = 3 if options.short else 8
if grown > most:
    sys.exit(f"clients: the memory grew by {grown:.1f} MiB, which is more than {most}")

"""Measures logs in PostgreSQL against what pgbench does with the same rows."""
import contextlib, json, os, pathlib, shutil, signal, subprocess

from comparison import Row, mean, speed, times
from programs import PROGRAMS, WORK, call

import databases, serving

SECONDS = 4
# The same rows by the same server: a log's row is changed, four events of 250 bytes are inserted.
STATEMENT = r"""
\set log random(0, 999)
WITH moved AS (
    UPDATE daybook.logs SET head = head + 4, root = decode(repeat('07', 32), 'hex')
    WHERE log_id = decode(lpad(to_hex(:log::bigint), 32, '0'), 'hex') AND epoch = 1
    RETURNING log_id, head
)
INSERT INTO daybook.events (log_id, position, bytes)
SELECT moved.log_id, moved.head - 4 + n, decode(repeat('07', 250), 'hex')
FROM moved, generate_series(0, 3) AS n;
"""
LOGS = """
INSERT INTO daybook.logs
SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), 0, decode(repeat('00', 32), 'hex'), 1
FROM generate_series(0, 999) AS n ON CONFLICT DO NOTHING
"""


@contextlib.contextmanager
def server():
    """A server of its own on the disk of the other measurements."""
    running = databases.Server()
    try:
        call(PROGRAMS / "daybook", "store", "create", running.url, "--home", fresh("made"))
        subprocess.run(["psql", "-X", "-q", running.url, "-c", LOGS], check=True)
        yield running
    finally:
        running.remove()


def fresh(name):
    """A folder's path at which nothing is."""
    folder = WORK / "scratch" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    return folder


def pgbench(running, clients):
    """Seconds of a transaction, as one client waits for it."""
    script = WORK / "scratch" / "append.sql"
    script.write_text(STATEMENT)
    output = subprocess.run(
        [databases.program("pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j",
         str(min(clients, 2)), "-T", str(SECONDS), "-f", str(script), running.url],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout
    line = next(line for line in output.splitlines() if line.startswith("latency average"))
    return float(line.split()[3]) / 1e3


def asked(running, question):
    """The number that the server answers."""
    return int(subprocess.run(
        ["psql", "-X", "-A", "-t", running.url, "-c", question], check=True,
        stdout=subprocess.PIPE, text=True).stdout)


def append(clients, shown):
    written = "SELECT (pg_current_wal_lsn() - '0/0')::bigint"

    def pair(context):
        with server() as running:
            before = asked(running, written)
            text, _, _ = call(
                PROGRAMS / "daybook-bench", "database", running.url, clients, SECONDS)
            count, total, p99, longest = map(int, text.split())
            wal = (asked(running, written) - before) // count
            table = asked(running, "SELECT pg_total_relation_size('daybook.events')")
            theirs = pgbench(running, clients)
        shown[f"bytes an append, {clients} at once"] = (
            f"{wal} of WAL, {table // count} in the table of events")
        shown[f"appends a second, {clients} at once"] = (
            f"{count / SECONDS:.0f}, p99 {p99 / 1e6:.2f} ms, longest {longest / 1e6:.1f} ms")
        return mean(text), theirs
    return pair


@contextlib.contextmanager
def limited(running):
    """Gives a server a third of a core, so that two of them and their clients fit on two cores."""
    root = pathlib.Path("/sys/fs/cgroup")
    old = (root / "cpu" / "cgroup.procs").exists()
    group = root / ("cpu" if old else "") / running.folder.name
    group.mkdir()
    try:
        if old:
            (group / "cpu.cfs_quota_us").write_text("33000")
        else:
            (group / "cpu.max").write_text("33000 100000")
        server = running.child.pid
        children = pathlib.Path(f"/proc/{server}/task/{server}/children").read_text()
        for process in [str(server), *children.split()]:
            (group / "cgroup.procs").write_text(process)
        yield running
    finally:
        running.stop(signal.SIGQUIT)
        group.rmdir()


def two_servers(context):
    """Appends on two servers of a third of a core each, against appends on one of them."""
    def appended(servers):
        words = [PROGRAMS / "daybook-bench", "database"]
        children = [
            subprocess.Popen([*words, each.url, "16", str(SECONDS)], stdout=subprocess.PIPE,
                             text=True) for each in servers]
        counts = [int(child.communicate()[0].split()[0]) for child in children]
        return SECONDS / sum(counts)

    with server() as one, server() as other, limited(one), limited(other):
        return appended([one, other]), appended([one])


def payment(shown):
    """Twenty payments on a log in a database, against as many on a log in a folder."""
    figures = {
        "events": "SELECT count(*) FROM daybook.events",
        "bytes of events": "SELECT coalesce(sum(length(bytes)), 0) FROM daybook.events",
        "bytes of the tables": "SELECT pg_total_relation_size('daybook.events')",
        "bytes of WAL": "SELECT (pg_current_wal_lsn() - '0/0')::bigint",
    }

    def paid(home, *limit):
        (place := fresh("payments")).mkdir()
        return mean(call(PROGRAMS / "daybook-bench", "measure", "payments", home, place, *limit)[0])

    def pair(context):
        with server() as running:
            def sizes():
                return [asked(running, question) for question in figures.values()]

            home = fresh("database")
            call(PROGRAMS / "daybook", "store", "create", running.url, "--home", home)
            before = sizes()
            paid(home, "--limit", 1)
            one = sizes()
            ours = paid(home)
            twenty = sizes()
        each = [(c - b - (b - a)) / 19 for a, b, c in zip(before, one, twenty)]
        shown["a payment"] = ", ".join(
            f"{figure:.0f} {name}" for name, figure in zip(figures, each))
        call(PROGRAMS / "daybook", "init", "--home", home := fresh("folder"))
        return ours, paid(home)
    return pair


def cold(context):
    """The first command of a machine on a log that it does not know, against a rebuild here."""
    place = fresh("cold")
    place.mkdir()
    home, export = context.data / "store", place / "log.daybook"
    call(PROGRAMS / "daybook", "export", export, "--home", home)
    lines, _, _ = call(PROGRAMS / "daybook", "export", "-", "--format", "jsonl", "--to", 0,
                       "--home", home)
    log = json.loads(lines.splitlines()[0])["log"]["$hex"]
    with server() as running:
        address = running.url.replace("?", f"/{log}?")
        call(PROGRAMS / "daybook", "store", "create", address, "--home", place / "first")
        call(PROGRAMS / "daybook", "import", export, "--home", place / "first")
        first = call(PROGRAMS / "daybook", "balance", "--store", address, "--home",
                     place / "second")[1]
    return first, call(PROGRAMS / "daybook", "doctor", "--rebuild", "--home", home)[1]


IDLE_LOGS, OPEN_LOGS = 10_000, 1000


def idle(shown):
    """The memory of a server that has opened ten thousand logs, of which it keeps 256 open.

    A thousand of them have their writer's folder; the server reads the others without one.
    """
    def named(served, logs):
        """The memory after each log was asked for its pending requests, by 32 calls at once."""
        client = served.connect()
        stream = client.makefile("rb")
        for start in range(0, len(logs), 32):
            some = logs[start:start + 32]
            for log in some:
                asked = {"method": "request.list", "params": {"status": ["pending"], "log": log}}
                client.sendall(serving.line(asked))
            for answer in (json.loads(stream.readline()) for _ in some):
                if "result" not in answer:
                    raise RuntimeError(answer)
        return served.memory()

    def files(served):
        return len(os.listdir(f"/proc/{served.process.pid}/fd"))

    def pair(context):
        home, like = fresh("logs"), fresh("like")
        call(PROGRAMS / "daybook-bench", "log", like, 100)
        with server() as running:
            text, _, _ = call(PROGRAMS / "daybook-bench", "logs", like, running.url, home,
                              IDLE_LOGS, OPEN_LOGS)
            logs = text.split()
            options = ["--store", running.url, "--logs"]
            many_open = [*options, "--open-logs", OPEN_LOGS]
            with serving.Server(home, *many_open) as served:
                # Tables of a small log are stored when it is opened for the first time.
                named(served, logs[:OPEN_LOGS])
            with serving.Server(home, *many_open) as served:
                few, before = named(served, logs[:32]), files(served)
                many, after = named(served, logs[:OPEN_LOGS]), files(served)
            opened = OPEN_LOGS - 32
            shown["an open idle log of 100 events"] = (
                f"{(many - few) / opened / 1024:.0f} KiB, {(after - before) / opened:.1f} files")
            with serving.Server(home, *options) as served:
                first = named(served, logs[:256])
                all = named(served, logs)
        shown["memory with 256 logs open"] = (
            f"{first / 1048576:.1f} MiB after 256 logs, {all / 1048576:.1f} MiB after {len(logs)}")
        return all / 1048576, 128
    return pair


def rows(shown):
    return [
        Row("database/append", "µs", ("<=", 1.3), times, append(1, shown)),
        Row("database/append-32", "µs", (">=", 0.8), speed, append(32, shown)),
        Row("database/two-servers", "µs", (">=", 1.8), speed, two_servers),
        Row("database/payment", "ms", ("<=", 2), times, payment(shown), 1e3),
        Row("database/cold", "s", ("<=", 2), times, cold, 1),
        Row("database/idle", "MiB", ("<=", 1), times, idle(shown), 1, 1),
    ]

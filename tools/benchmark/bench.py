#!/usr/bin/env python3
"""Runs Daybook's work and its baselines in turn and compares them; see `tools/bench --help`."""
import argparse, json, os, shutil, statistics, sys, time

import database, distance, growth, instructions, report, serving
from comparison import Row, mean, p99, speed, times
from programs import (
    BASELINES, EVENTING, PROGRAMS, ROOT, SOURCES, WORK, build, build_baselines, call, file_system)

SHOWN = {}


def scratch(home=None):
    """A new folder on the same disk as everything else, empty or with a copy of a store."""
    folder = WORK / "scratch"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if home:
        shutil.copytree(home, folder / "store")
        # Otherwise the first commit would wait until the whole copy is on the disk.
        os.sync()
    return folder


def store(events):
    """The folder of a store with so many events, which is made once."""
    folder = WORK / f"log-{events}"
    if not (folder / "made").exists():
        shutil.rmtree(folder, ignore_errors=True)
        print(f"making a log of {events} events", file=sys.stderr)
        folder.mkdir(parents=True)
        call(PROGRAMS / "daybook-bench", "log", folder / "store", events)
        if events <= 200_000:
            call(PROGRAMS / "daybook-bench", "inputs", folder / "store", folder)
        (folder / "made").touch()
    return folder


def memory(usage):
    return usage.ru_maxrss * 1024


def computing(name, data):
    """Seconds of processor time for one thing of a measurement that waits for nothing.

    They do not depend on the load of the machine. The time to start is subtracted.
    """
    def used(*limit):
        text, _, usage = call(PROGRAMS / "daybook-bench", "measure", name, data / "store",
                              scratch(), *limit)
        return int(text.split()[0]), usage.ru_utime + usage.ru_stime

    count, whole = used()
    return (whole - used("--limit", 0)[1]) / count


def ours(name, data, home=None, folder=None, *limit, of=mean):
    """Seconds for one thing of a measurement."""
    return of(call(PROGRAMS / "daybook-bench", "measure", name, home or data / "store",
                   folder or scratch(), *limit)[0])


def baseline(*words, of=mean):
    return of(call(BASELINES, *words)[0])


def append(context, of=mean):
    place = scratch(context.data / "store")
    a = ours("append", context.data, place / "store", place, "--inputs", of=of)
    (place / "raw").mkdir()
    return a, baseline("commit", place / "raw", context.data / "events", place / "append.commits",
                       of=of)


def append_p99(context):
    return append(context, p99)


def batch(context, size=100, name="batch"):
    a = ours(name, context.data)
    (place := scratch() / "raw").mkdir()
    return a, baseline("batch", place, context.data / "events", size, 1)


def large_batch(context):
    return batch(context, 1000, "batch/1000")


def payment(context):
    """Seconds of one front end's payment without the embedded chain, and the chain's share.

    The baselines have no chain. Their input is left in the scratch folder.
    """
    text, _, _ = call(PROGRAMS / "daybook-bench", "measure", "lifecycle", context.data / "store",
                      scratch(), "--inputs", "--json")
    result = json.loads(text)
    share = result["chain"] / result["nanoseconds"]
    context.shares.append(share)
    SHOWN["the embedded chain's share of a payment, subtracted where a peer is compared"] = (
        f"{statistics.median(context.shares):.0%} "
        f"({min(context.shares):.0%} to {max(context.shares):.0%})")
    return mean(f"{result['count']} {result['nanoseconds']}") * (1 - share), share


def crowd_payment(context):
    """Seconds of a payment of eight front ends without the embedded chain.

    Its calls overlap with other payments, so the share is that of one front end's payment.
    """
    _, share = payment(context)
    return ours("crowd", context.data) * (1 - share)


def lifecycle(context):
    a, _ = payment(context)
    place = WORK / "scratch"
    (place / "raw").mkdir()
    return a, baseline("payment", place / "raw", place / "lifecycle.commits",
                       place / "lifecycle.signatures")


# The payers of a crowd, and how many payments each payer makes, here and in ours.
CROWD, PAYMENTS = 8, 100


def sqlite(context):
    a, _ = payment(context)
    return a, baseline("application", scratch(), 1, PAYMENTS)


def eventsourcing(context):
    a, _ = payment(context)
    return a, mean(call(EVENTING, SOURCES / "lifecycles.py", scratch(), 1, PAYMENTS)[0])


def crowd(context):
    return ours("crowd", context.data), ours("lifecycle", context.data)


def crowd_sqlite(context):
    return crowd_payment(context), baseline("application", scratch(), CROWD, PAYMENTS)


def crowd_eventsourcing(context):
    a = crowd_payment(context)
    return a, mean(call(EVENTING, SOURCES / "lifecycles.py", scratch(), CROWD, PAYMENTS)[0])


def recording(context):
    """A link is recorded before nodes are asked: some that never answer may cost 2 ms."""
    return (ours("recording/silent", context.data), ours("recording", context.data) + 0.002)


def rebuild(context):
    """Rebuilds the derived tables of a million events, against three seconds."""
    place = scratch(context.million() / "store")
    return call(PROGRAMS / "daybook", "doctor", "--rebuild", "--home", place / "store")[1], 3


def records(path):
    """The number of records in a file."""
    bytes, offset, count = path.read_bytes(), 0, 0
    while offset < len(bytes):
        offset += 4 + int.from_bytes(bytes[offset:offset + 4], sys.byteorder)
        count += 1
    return count


def plain(name, *words):
    def pair(context):
        return computing(name, context.data), baseline(
            *[context.data / word if word in ("events", "links", "signatures") else word
              for word in words])
    return pair


def fold(context):
    a = computing("fold", context.data)
    return a, baseline("scan", scratch(), context.data / "events", 10000)


def fold_rate(context):
    return computing("fold", context.data), 1 / 500_000


def link_rate(context):
    return computing("links", context.data), 1 / 500_000


def replay(context):
    signatures = records(context.data / "signatures") / context.events
    # A replay uses all cores: both times are the clock's.
    a = ours("replay", context.data) - ours("fold", context.data)
    return a, baseline("ecdsa", context.data / "signatures") * signatures


def opening(context):
    empty = scratch() / "empty"
    call(PROGRAMS / "daybook", "init", "--home", empty)
    # The bar is twice the time of an empty store and two milliseconds.
    return (ours("open", context.data, context.large() / "store", WORK / "scratch"),
            ours("open", context.data, empty, WORK / "scratch") + 0.001)


def opening_memory(context):
    empty = scratch() / "empty"
    call(PROGRAMS / "daybook", "init", "--home", empty)
    large, small = (memory(call(PROGRAMS / "daybook-bench", "measure", "open", home,
                                WORK / "scratch")[2])
                    for home in (context.large() / "store", empty))
    return max(large - small, 1) / 1e6, 64 * 1048576 / 1e6


def command(*words):
    """Runs a command on a large log as a process of its own, against 50 milliseconds."""
    def pair(context):
        home = context.million() / "store"
        return call(PROGRAMS / "daybook", *words, "--home", home)[1], 0.05
    return pair


def search(*words):
    """Looks through all of a large log for what is nowhere in it, which takes longest."""
    pair = command(*words)
    def measured(context):
        found, _, _ = call(PROGRAMS / "daybook", *words, "--json", "--home",
                           context.million() / "store")
        if found: sys.exit(f"{words} finds something")
        return pair(context)
    return measured


def show(context):
    home = context.million() / "store"
    # Only decided requests: all others have expired since the log was made.
    callbacks, _, _ = call(PROGRAMS / "daybook", "callbacks", "--json", "--home", home)
    request = json.loads(callbacks.splitlines()[0])["request"]
    return call(PROGRAMS / "daybook", "show", request, "--home", home)[1], 0.05


def state(context):
    home = context.million() / "store"
    return call(PROGRAMS / "daybook-replay", "state", home, "--at", context.many // 2)[1], 0.3


def continued(command):
    """Audits the last hundredth of a large log and writes the next result, against 2 % of the time
    for all of it, and a second."""
    def pair(context):
        place, keys = scratch(), [WORK / "auditor.key", WORK / "auditor.pub"]
        if not keys[1].exists():
            call("openssl", "genpkey", "-algorithm", "ed25519", "-out", keys[0])
            call("openssl", "pkey", "-in", keys[0], "-pubout", "-out", keys[1])
        program, signed = PROGRAMS / "daybook-replay", ("--sign-with", keys[0])
        # The same seed makes the same events, so that this log is the other one's beginning.
        call(program, command, context.beginning() / "store", "--out", place / "result", *signed)
        home = context.million() / "store"
        whole = call(program, command, home)[1]
        SHOWN[f"the state file of `{command}`"] = (
            f"{sum(file.stat().st_size for file in place.glob('result.*')) / 1e6:.0f} MB")
        return call(program, command, home, "--since", place / "result", "--auditor", keys[1],
                    "--out", place / "next", *signed)[1], 0.02 * whole + 1
    return pair


def export(context):
    target = scratch() / "log.daybook"
    _, seconds, _ = call(PROGRAMS / "daybook", "export", target, "--home", context.data / "store")
    before = time.perf_counter()
    shutil.copyfile(target, target.with_suffix(".copy"))
    SHOWN["copying the export"] = f"{(time.perf_counter() - before) * 1e6 / context.events:.3f} µs"
    return seconds / context.events, 3e-6


def import_(context):
    place = scratch()
    call(PROGRAMS / "daybook", "export", place / "log.daybook", "--home", context.data / "store")
    call(PROGRAMS / "daybook", "init", "--home", place / "store")
    _, seconds, usage = call(PROGRAMS / "daybook", "import", place / "log.daybook", "--home",
                              place / "store")
    SHOWN["memory of an import, with the log's pages"] = f"{memory(usage) / 1048576:.0f} MiB"
    return seconds / context.events, 9e-6


def size(context):
    home = context.data / "store"
    stored = sum((home / name / "data.mdb").stat().st_size for name in ("log", "derived"))
    bytes = (context.data / "events").stat().st_size - 4 * context.events
    return stored / 1e6, bytes / 1e6


def start(context):
    return call(PROGRAMS / "daybook", "--version")[1], 0.015


ROWS = [
    Row("append", "µs", ("<=", 1.25), times, append),
    Row("append/p99", "µs", ("<=", 2), times, append_p99),
    Row("batch", "µs", (">=", 0.6), speed, batch),
    Row("batch/1000", "µs", (">=", 0.3), speed, large_batch),
    Row("lifecycle", "µs", ("<=", 1.6), times, lifecycle),
    Row("crowd", "µs", (">=", 3.5), speed, crowd),
    Row("lifecycle/eventsourcing", "µs", (">=", 1.5), speed, eventsourcing),
    Row("lifecycle/sqlite", "µs", (">=", 0.5), speed, sqlite),
    Row("crowd/eventsourcing", "µs", (">=", 4), speed, crowd_eventsourcing),
    Row("crowd/sqlite", "µs", (">=", 1.2), speed, crowd_sqlite),
    Row("recording/silent", "µs", ("<=", 1), times, recording),
    Row("links", "µs", (">=", 1), speed, link_rate),
    Row("links/split", "µs", (">=", 0), speed, plain("links", "split", "links")),
    Row("decode", "µs", (">=", 1), speed, plain("decode", "decode", "events")),
    Row("encode", "µs", (">=", 1), speed, plain("encode", "encode", "events")),
    Row("verify", "µs", (">=", 0.7), speed, plain("verify", "sha256", "events")),
    Row("fold", "µs", ("<=", 3), times, fold),
    Row("fold/rate", "µs", (">=", 1), speed, fold_rate),
    Row("replay", "µs", ("<=", 1.3), times, replay),
    Row("open", "µs", ("<=", 2), times, opening),
    Row("open/memory", "MB", ("<=", 1), times, opening_memory, 1),
    Row("rebuild", "s", ("<=", 1), times, rebuild, 1),
    Row("balance", "ms", ("<=", 1), times, command("balance"), 1e3),
    Row("pending", "ms", ("<=", 1), times, command("pending"), 1e3),
    Row("search/text", "ms", ("<=", 1), times, search("requests", "--text", "no such words"), 1e3),
    Row("search/amount", "ms", ("<=", 1), times, search("requests", "--amount", "123.456"), 1e3),
    Row("search/history", "ms", ("<=", 1), times,
        search("history", "1", "--text", "no such words"), 1e3),
    Row("show", "ms", ("<=", 1), times, show, 1e3),
    Row("state", "ms", ("<=", 1), times, state, 1e3),
    Row("continued/verify", "s", ("<=", 1), times, continued("verify"), 1),
    Row("continued/replay", "s", ("<=", 1), times, continued("replay"), 1),
    Row("export", "µs", (">=", 1), speed, export),
    Row("import", "µs", (">=", 1), speed, import_),
    Row("size", "MB", ("<=", 1.5), times, size, 1),
    Row("start", "ms", ("<=", 1), times, start, 1e3),
    *serving.rows(SHOWN),
    *report.rows(store, SHOWN),
    *database.rows(SHOWN),
    *distance.rows(lambda: call(PROGRAMS / "daybook-bench", "distance", "--json")[0], SHOWN),
]


class Context:
    def __init__(self, arguments):
        self.runs = 3 if arguments.quick else 5
        self.events = 20_000 if arguments.quick else 100_000
        self.many = 100_000 if arguments.quick else 1_000_000
        self.most = 100_000 if arguments.quick else 10_000_000
        # The embedded chain's share of each payment that was measured.
        self.shares = []

    def prepare(self):
        """Makes the log of most measurements."""
        self.data = store(self.events)
        self.events = records(self.data / "events")

    def copy(self):
        """A new folder with a copy of the store, which can be written to."""
        return scratch(self.data / "store")

    def million(self):
        return store(self.many)

    def beginning(self):
        """The first 99 % of the large log."""
        return store(self.many * 99 // 100)

    def large(self):
        return store(self.most)


def grow(context, most):
    """Measures at every power of ten how cost grows with the log, and draws it."""
    sizes = [10 ** power for power in range(3, len(str(most)))]
    series = {}
    os.environ["XDG_CACHE_HOME"] = str(WORK / "scratch/cache")
    for size in sizes:
        # A copy, because some measurements write to it.
        place = scratch(store(size) / "store")
        home = place / "store"

        def note(name, run, runs=context.runs):
            series.setdefault(name, []).append(statistics.median(run() for _ in range(runs)))

        def whole(*command):
            # The first call makes the history, or reads the log's pages into memory.
            call(*command)
            return lambda: call(*command)[1]

        note("open", lambda: ours("open", None, home, place))
        note("balance", whole(PROGRAMS / "daybook", "balance", "--home", home))
        note("state --at", whole(PROGRAMS / "daybook-replay", "state", home, "--at", size // 2))
        note("proof", lambda: ours("proof", None, home, place))
        # One run is enough: it measures up to 200 callbacks, each once.
        note("append", lambda: ours("append", None, home, place), 1)
        note("request", lambda: ours("payments", None, home, place, "--limit", 3), 1)
        print(growth.table(sizes[:len(series["request"])], series), flush=True)
    scratch()
    (ROOT / "docs/growth.svg").write_text(growth.drawing(sizes, series))


def main():
    parser = argparse.ArgumentParser(prog="tools/bench", description=(
        "Runs each benchmark and its baseline alternately and compares them."), epilog=(
        "lifecycle compares a payment with one in C on LMDB, lifecycle/sqlite with an application "
        "on SQLite, lifecycle/eventsourcing with one in Python on the event store eventsourcing; "
        "crowd/sqlite and crowd/eventsourcing do so with eight payers. Each peer commits at the "
        "same four points, checks the key, signs, and verifies the signature twice. The embedded "
        "chain's share of our payment is printed at the end and subtracted in these five."))
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=", ".join(row.name for row in ROWS) + "; with --instructions "
                        + ", ".join(counted.name for counted in instructions.COUNTED))
    parser.add_argument("--json", action="store_true", help="a JSON object a line")
    parser.add_argument("--growth", type=int, nargs="?", const=10_000_000, metavar="EVENTS",
                        help="draw docs/growth.svg: how cost grows from a thousand events to so "
                        "many (ten million)")
    parser.add_argument("--quick", action="store_true", help="smaller logs, three runs each")
    parser.add_argument("--instructions", action="store_true", help="count instructions and "
                        "allocations instead, which repeat on any machine")
    arguments = parser.parse_args()
    rows = [row for row in (instructions.COUNTED if arguments.instructions else ROWS)
            if not arguments.names or row.name in arguments.names]
    unknown = set(arguments.names) - {row.name for row in rows}
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    build()
    if arguments.instructions:
        sys.exit(1 if instructions.show(rows, store, arguments.json) else 0)
    build_baselines()
    system = file_system()
    context = Context(arguments)
    if arguments.growth:
        return grow(context, arguments.growth)
    if not arguments.names or any("distance/" not in name for name in arguments.names):
        context.prepare()
    if not arguments.json:
        print(f"{os.cpu_count()} cores, {system}, {context.runs} runs each, "
              f"load {os.getloadavg()[0]:.1f}")
        print(f"{'benchmark':24}{'ours':>12}{'baseline':>12}    {'ratio':>7} {'spread':>15}  bar")
    missed = 0
    for row in rows:
        if row.name.endswith("/eventsourcing") and not EVENTING.exists():
            continue
        result = row.run(context)
        missed += not result["ok"]
        if arguments.json:
            del result["low"], result["high"]
            print(json.dumps(result, ensure_ascii=False), flush=True)
        else:
            spread = f"{result['low']:.2f}–{result['high']:.2f}"
            print(f"{row.name:24}{result['ours']:12.2f}{result['baseline']:12.2f} {row.unit} "
                  f"{result['ratio']:8.2f} {spread:>15}  {result['bar']}"
                  f"  {'met' if result['ok'] else 'missed'}", flush=True)
    shutil.rmtree(WORK / "scratch", ignore_errors=True)
    if not arguments.json:
        for what, figure in SHOWN.items():
            print(f"{what}: {figure}")
        print(f"{missed} bars missed" if missed else "all bars met")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

"""Counts instructions: of two runs of different lengths the difference, divided by what it did."""
import json, pathlib, shutil, tempfile, threading

import counting
from programs import PROGRAMS, WORK, call

BENCH, DAYBOOK = PROGRAMS / "daybook-bench", PROGRAMS / "daybook"
REPORTS = WORK / "instructions"
# Two stores: some work is counted in the difference between a whole one and another.
SMALL, LARGE, LARGEST = 5_000, 20_000, 100_000


class Stores:
    """The stores that are measured, and the counter; each run gets a copy of a store."""

    def __init__(self, make):
        """`make` returns the folder of a store with so many events."""
        self.make, self.counter, self.lock = make, counting.Counter(), threading.Lock()

    def store(self, events):
        """A store with so many events, which only one thread makes."""
        with self.lock:
            return self.make(events) / "store"

    def copy(self, events, folder):
        """A store in a new folder, empty if it has no events."""
        store = folder / "store"
        if events:
            shutil.copytree(self.store(events), store)
        else:
            call(DAYBOOK, "init", "--home", store)
        return store


def measured(name, events=SMALL):
    """The runs of a measurement, by its limit."""
    def run(count, stores, folder, limit):
        text, counted = count(BENCH, "measure", name, stores.copy(events, folder), folder,
                              "--limit", limit)
        return int(text.split()[0]), counted
    return run


def whole(name):
    """The runs of a measurement of a whole log, by the number of its events."""
    def run(count, stores, folder, events):
        text, counted = count(BENCH, "measure", name, stores.copy(events, folder), folder)
        return int(text.split()[0]), counted
    return run


def importing(count, stores, folder, events):
    file = folder / "log.daybook"
    call(DAYBOOK, "export", file, "--home", stores.store(events))
    text, counted = count(DAYBOOK, "import", file, "--json", "--home", stores.copy(0, folder))
    return json.loads(text)["added"], counted


class Counted:
    """A kind of work, the arguments of its shorter and its longer run, and its bars."""

    def __init__(self, name, run, short, long, bar=None, allocations=None):
        self.name, self.run, self.lengths = name, run, (short, long)
        self.bars = {"instructions": bar, "allocations": allocations}

    def figures(self, stores):
        """Instructions and allocations for one thing."""
        def run(count, length, **options):
            with tempfile.TemporaryDirectory(dir=WORK) as folder:
                return self.run(lambda *words: count(*words, **options), stores,
                                pathlib.Path(folder), length)

        report = REPORTS / f"{self.name.replace('/', '-')}.callgrind"
        counter, (short, long) = stores.counter, self.lengths
        less, more, few, many = counting.at_once([
            lambda: run(counter.instructions, short),
            lambda: run(counter.instructions, long, report=report),
            lambda: run(counter.writes, short), lambda: run(counter.writes, long)])
        few, many = ((things, counts["allocations"]) for things, counts in (few, many))
        return {"instructions": difference(less, more), "allocations": difference(few, many)}

    def results(self, stores):
        """The rows of this work: each figure with its bar, and whether it is met."""
        for unit, figure in self.figures(stores).items():
            bar = self.bars[unit]
            yield {"name": self.name, "unit": unit, "figure": round(figure, 1), "bar": bar,
                   "ok": bar is None or figure <= bar}


def difference(short, long):
    """The cost of one thing, from the numbers of things and the counts of two runs."""
    return (long[1] - short[1]) / (long[0] - short[0])


def show(chosen, make, as_json):
    """Counts the chosen kinds of work and prints the figures; how many bars are missed."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    stores, missed = Stores(make), 0
    if not as_json:
        print(f"{'work':16}{'':16}{'for one':>16}{'bar':>12}")
    for counted in chosen:
        for row in counted.results(stores):
            missed += not row["ok"]
            if as_json:
                print(json.dumps(row), flush=True)
                continue
            bar = "" if row["bar"] is None else f"{row['bar']:12,}"
            verdict = "" if row["bar"] is None else "met" if row["ok"] else "missed"
            print(f"{row['name']:16}{row['unit']:16}{row['figure']:16,.1f}{bar:12}  {verdict}",
                  flush=True)
    if not as_json:
        print(f"callgrind_annotate {REPORTS}/NAME.callgrind shows where the instructions are")
    return missed


COUNTED = [
    Counted("fold", whole("fold"), SMALL, LARGE, 11_000),
    Counted("replay", whole("replay"), SMALL, LARGE, 100_000),
    Counted("payment", measured("lifecycle"), 40, 100, 4_800_000, 1_500),
    Counted("payment/large", measured("payments", LARGEST), 4, 14, 4_800_000, 1_500),
    Counted("payment/20th", measured("payments", 0), 18, 20, 4_800_000, 1_500),
    Counted("link", measured("links"), 100, 500, 20_000),
    Counted("import", importing, SMALL, LARGE),
    Counted("rebuild", whole("rebuild"), SMALL, LARGE),
    Counted("decode", measured("decode"), 500, 2_500),
    Counted("encode", measured("encode"), 500, 2_500),
]

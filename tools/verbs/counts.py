"""Counts what the work allocates, writes and executes, and fails where that grew.

usage: tools/dev counts [--record]

Unlike times, these counts are the same on every machine. They come from the debug build, which the
tests use too; `tools/bench --instructions` counts the instructions of a release. A count may exceed
its figure in Tests/Support/Counts/figures by a tenth.

  --record  write the figures again, where a change is meant
"""
import dataclasses, pathlib, re, shutil, sys, tempfile

import counting, project

FIGURES = project.TESTS / "Support/Counts/figures"
PROGRAM = project.BUILD / "debug/daybook-bench"
EVENTS = 2_000
ALLOWED = 1.1
HEAD = """\
# Counts for one thing of each kind, by a debug build with Swift {}: allocations, and for some of
# them instructions by callgrind, commits, and pages of 4096 bytes in the files of log/ and
# sandbox/. `tools/dev counts` compares them; `tools/dev counts --record` wrote them.
"""


@dataclasses.dataclass
class Work:
    """A kind of work: a measurement of `daybook-bench measure`, and what one thing of it is."""

    name: str
    measurement: str
    thing: str
    # The counters beside allocations.
    written: tuple = ()
    # The limits of two runs, the difference of whose instructions counts.
    limits: tuple = ()


WORK = [
    Work("append", "append", "event appended", written=("log.pages",)),
    Work("fold", "fold", "event folded", limits=(200, 600)),
    Work("lifecycle", "payments", "payment, from its link to the delivered callback",
         written=("log.commits", "log.pages", "sandbox.commits", "sandbox.pages"), limits=(2, 4)),
    Work("parse", "links", "link parsed", limits=(10, 40)),
]


class Scene:
    """A folder with a store, of which each run gets a copy, because it may write to it."""

    def __init__(self, folder):
        self.folder, self.home = folder, folder / "made"
        self.counter = counting.Counter()
        counting.run([PROGRAM, "log", self.home, EVENTS])

    def run(self, count, work, *limit):
        """Counts what a measurement does; how many things it did, and the counts."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.home, place / "store")
        text, counted = count(PROGRAM, "measure", work.measurement, place / "store", place, *limit)
        shutil.rmtree(place)
        return int(text.split()[0]), counted

    def writes(self, work):
        """Figures of what one thing of a kind of work allocates and writes."""
        things, whole = self.run(self.counter.writes, work)
        _, none = self.run(self.counter.writes, work, "--limit", 0)
        return {name: (whole[name] - none[name]) / things
                for name in ("allocations", *work.written)}

    def instructions(self, work, limit):
        return self.run(self.counter.instructions, work, "--limit", limit)

    def figures(self):
        """The counts of each kind of work, for one thing, by the names in the file."""
        runs = {work.name: self.writes(work) for work in WORK}
        limited = [(work, limit) for work in WORK for limit in work.limits]
        # The longest first, so that all cores end at about the same time.
        counts = counting.at_once([lambda work=work, limit=limit: self.instructions(work, limit)
                                   for work, limit in reversed(limited)])
        done = dict(zip(((work.name, limit) for work, limit in reversed(limited)), counts))
        for work in WORK:
            if not work.limits:
                continue
            (few, less), (many, more) = (done[work.name, limit] for limit in work.limits)
            runs[work.name]["instructions"] = (more - less) / (many - few)
        return {name if kind == "allocations" else f"{name}.{kind}": figure
                for name, counts in runs.items() for kind, figure in counts.items()}


def measured():
    """The counts of each kind of work, for one thing."""
    project.build_products("counts-build.log", "debug", ["daybook-bench"])
    with tempfile.TemporaryDirectory() as folder:
        return Scene(pathlib.Path(folder)).figures()


def compiler():
    """The version of Swift, on which the counts depend a little."""
    found = re.search(r"Swift version (\S+)", counting.run(["swift", "--version"]))
    return found[1] if found else "?"


def recorded():
    """The figures of the file, and the version of the compiler that they were recorded with."""
    text = FIGURES.read_text()
    found = re.search(r"Swift ([^\s:]+)", text)
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {name: float(figure) for name, figure in lines}, found[1] if found else "?"


def record():
    """Writes the figures to the file and prints them."""
    lines = [f"{name} {figure:.1f}\n" for name, figure in sorted(measured().items())]
    FIGURES.write_text(HEAD.format(compiler()) + "".join(lines))
    print(*lines, sep="", end="")


def compare():
    """Prints each figure that changed much; ends with status 1 where one has grown."""
    expected, version = recorded()
    things = {work.name: work.thing for work in WORK}
    grown = False
    for name, figure in measured().items():
        before = expected.get(name, 0)
        ratio = figure / before if before else float("inf")
        if ratio > ALLOWED:
            grown = True
            work, _, kind = name.partition(".")
            print(f"{name}: {figure:.1f} {kind or 'allocations'} for each {things[work]}, "
                  f"{before:.1f} before: {(ratio - 1) * 100:.0f} % more", file=sys.stderr)
        elif ratio < 1 / ALLOWED:
            print(f"{name}: {figure:.1f}, {before:.1f} before; "
                  "tools/dev counts --record keeps the new figure")
    if grown:
        now = compiler()
        if now != version:
            print(f"the figures are from Swift {version}, and this is {now}", file=sys.stderr)
        sys.exit("if the growth is meant: tools/dev counts --record")


parser = project.parser(__doc__)
parser.add_argument("--record", action="store_true")
options = parser.parse_args()
project.set_up("valgrind")
if options.record:
    record()
else:
    compare()

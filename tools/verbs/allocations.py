"""Counts what the work allocates and writes, and fails where that grew.

usage: tools/dev allocations [--record]

Unlike times, these counts are the same on every machine. They come from the debug build, which the
tests use too. A count may exceed its figure in Tests/Support/Allocations/figures by a tenth.

  --record  write the figures again, where a change is meant
"""
import os, pathlib, re, shutil, subprocess, sys, tempfile

import project

FIGURES = project.TESTS / "Support/Allocations/figures"
COUNTER = project.BUILD / "allocations.so"
PROGRAM = project.BUILD / "debug/daybook-bench"
# For each kind of work: the measurement of `daybook-bench measure`, and what one thing of it is.
WORK = {
    "append": ("append", "event appended"),
    "fold": ("fold", "event folded"),
    "lifecycle": ("payments", "payment, from its link to the delivered callback"),
    "parse": ("links", "link parsed"),
}
# What is counted beside allocations: commits and pages of 4096 bytes in LMDB's files.
WRITTEN = {
    "append": ["log.pages"],
    "lifecycle": ["log.commits", "log.pages", "sandbox.commits", "sandbox.pages"],
}
EVENTS = 2_000
ALLOWED = 1.1
HEAD = """\
# Allocations for one thing of each kind, by a debug build with Swift {}, and for some of them
# the commits and pages of 4096 bytes in the files of log/ and sandbox/.
# `tools/dev allocations` compares them; `tools/dev allocations --record` wrote them.
"""


def run(*words, **variables):
    """Runs a program; its output."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          env=os.environ | variables)
    if done.returncode:
        sys.exit(f"allocations: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def compiler():
    """The version of Swift, on which the counts depend a little."""
    found = re.search(r"Swift version (\S+)", run("swift", "--version"))
    return found[1] if found else "?"


def count(measurement, home, scene, *limit):
    """Runs a measurement; how many things it did, and its counts by name."""
    # A measurement may write to the store: each run begins with a new copy.
    store, folder, counted = scene / "store", scene / "folder", scene / "counted"
    for path in (store, folder):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(home, store)
    folder.mkdir()
    text = run(PROGRAM, "measure", measurement, store, folder, *limit,
               LD_PRELOAD=str(COUNTER), COUNTED=str(counted),
               SWIFT_DETERMINISTIC_HASHING="1")
    lines = [line.split() for line in counted.read_text().splitlines()]
    return int(text.split()[0]), {name: int(number) for name, number in lines}


def measured():
    """The counts of each kind of work, for one thing."""
    project.build_products("allocations-build.log", "debug", ["daybook-bench"])
    source = project.TESTS / "Support/Allocations/count.c"
    run("clang", "-O2", "-shared", "-fPIC", "-o", COUNTER, source)
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder)
        home = scene / "made"
        run(PROGRAM, "log", home, EVENTS)
        for name, (measurement, _) in WORK.items():
            things, whole = count(measurement, home, scene)
            _, none = count(measurement, home, scene, "--limit", 0)
            for kind in ["allocations", *WRITTEN.get(name, [])]:
                full = name if kind == "allocations" else f"{name}.{kind}"
                figures[full] = (whole[kind] - none[kind]) / things
    return figures


def recorded():
    """The figures of the file, and the version of the compiler that they were recorded with."""
    text = FIGURES.read_text()
    found = re.search(r"Swift (\S+),", text)
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
    grown = False
    for name, figure in measured().items():
        before = expected.get(name, 0)
        ratio = figure / before if before else float("inf")
        if ratio > ALLOWED:
            grown = True
            work, _, kind = name.partition(".")
            print(f"{name}: {figure:.1f} {kind or 'allocations'} for each {WORK[work][1]}, "
                  f"{before:.1f} before: {(ratio - 1) * 100:.0f} % more", file=sys.stderr)
        elif ratio < 1 / ALLOWED:
            print(f"{name}: {figure:.1f}, {before:.1f} before; "
                  "tools/dev allocations --record keeps the new figure")
    if grown:
        now = compiler()
        if now != version:
            print(f"the figures are from Swift {version}, and this is {now}", file=sys.stderr)
        sys.exit("if the growth is meant: tools/dev allocations --record")


parser = project.parser(__doc__)
parser.add_argument("--record", action="store_true")
options = parser.parse_args()
project.set_up()
if options.record:
    record()
else:
    compare()

"""Migrates a large log to a layout that moves all events, and measures it.

usage: tools/dev migration [EVENTS]

The log is made by daybook-bench, migrated in steps of 4096 events, killed on the way, and migrated
to the end. The layout is the one of the tests (`NextLayout`): no release has it.

  EVENTS  how many; 1000000 where nothing is given
"""
import pathlib, signal, subprocess, sys, tempfile, time

import project

parser = project.parser(__doc__)
parser.add_argument("events", type=project.whole_number, nargs="?", default=1_000_000)
events = parser.parse_args().events
folder = project.build("daybook-bench", "LogDriver", configuration="release")


def migrate(log, until=0):
    """Runs the migration, or kills it once so many events are left; returns those and seconds."""
    start, left = time.monotonic(), None
    driver = subprocess.Popen(
        [folder / "LogDriver", "migrate", log, "4096"], stdout=subprocess.PIPE, text=True)
    for line in driver.stdout:
        left = int(line)
        if left < until:
            driver.send_signal(signal.SIGKILL)
            break
    driver.wait()
    return left, time.monotonic() - start


with tempfile.TemporaryDirectory() as scratch:
    store = pathlib.Path(scratch, "store")
    subprocess.run([folder / "daybook-bench", "log", store, str(events)], check=True)
    size = (store / "log/data.mdb").stat().st_size
    left, before = migrate(store / "log", until=events // 2)
    print(f"killed after {before:.1f} s with {left} events left")
    left, after = migrate(store / "log")
    grown = (store / "log/data.mdb").stat().st_size - size
    print(f"{events} events, {size >> 20} MiB: {before + after:.1f} s, {grown >> 20} MiB more")
    sys.exit(0 if left == 0 else "the migration did not end")

"""Opens each state in which a power cut can leave a store's disk, for `tools/dev crash-states`.

Each round records every workload again and opens some of its states; rounds go on until the time is
over. With --ignore the simulated disk ignores syncs, so that its states are worse than those of a
power cut: a control, which must find broken promises.
"""

import argparse
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import disk
import strace

# Of so many unsynced steps, all subsets are tried.
EXHAUSTIVE = 6
# Of more steps, so many subsets and torn writes are drawn.
DRAWN = 24


def choices(steps, draw):
    """Yields which of the unsynced steps have reached the disk: none, all, and subsets."""
    numbers = range(len(steps))
    if len(steps) <= EXHAUSTIVE:
        for mask in range(1 << len(steps)):
            yield {n: None for n in numbers if mask >> n & 1}
    else:
        yield from ({n: None for n in numbers[:end]} for end in range(len(steps) + 1))
        yield from ({n: None for n in numbers if n != missing} for missing in numbers)
        yield from ({only: None} for only in numbers)
        for _ in range(DRAWN):
            yield {n: None for n in numbers if draw.random() < 0.5}
    torn = [n for n in numbers if steps[n].sectors > 1]
    for n in draw.sample(torn, min(len(torn), DRAWN)):
        sectors = range(steps[n].sectors)
        cut = draw.randrange(len(sectors))
        some = [s for s in sectors if draw.random() < 0.5]
        for kept in (sectors[:cut], sectors[cut:], some):
            others = draw.choice((0, 0.5, 1))
            yield {m: None for m in numbers if draw.random() < others} | {n: kept}


def moments(recording, ignored):
    """Yields the disk before each sync and at the end, with the number of steps until then."""
    state = disk.Disk(recording)
    for number, step in enumerate(recording.steps):
        if isinstance(step, disk.Sync):
            is_folder = isinstance(step.node, disk.Folder)
            if ignored == ("folder-syncs" if is_folder else "file-syncs"):
                continue
            yield number, state
            state.sync(step.node, step.only)
        elif not isinstance(step, str):
            state.add(step)
    yield len(recording.steps), state


def states(make, ignored, limit, seed):
    """Yields different states of a recording, about `limit` of them, with the promises of each."""
    def drawn():
        return random.Random(seed)

    draw = drawn()
    count = sum(
        sum(1 for _ in choices(state.open, draw)) for _, state in moments(make(), ignored))
    draw, pick = drawn(), random.Random(f"{seed} pick")
    seen = set()
    recording = make()
    for number, state in moments(recording, ignored):
        given = [step for step in recording.steps[:number] if isinstance(step, str)]
        later = [step for step in recording.steps[number:] if isinstance(step, str)]
        for choice in choices(state.open, draw):
            if pick.random() * count > limit:
                continue
            files = state.state(choice)
            key = (disk.digest(files), len(given))
            if key not in seen:
                seen.add(key)
                # A copy, because the next sync changes the files.
                files = {p: (m, None if c is None else bytes(c)) for p, (m, c) in files.items()}
                yield files, given, later, f"before step {number} with {sorted(choice)} arrived"


class Checker:
    """A process that opens states one by one; a new one is started if a state crashes it."""

    def __init__(self, program, workload, end):
        self.words = [program, "check", workload, end]
        self.process = None

    def check(self, path, given, later):
        if self.process is None:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env=os.environ | {"SWIFT_BACKTRACE": "enable=no"})
        self.process.stdin.write("\t".join([path, *given, "|", *later]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n")
        if answer:
            return answer
        status, self.process = self.process.wait(), None
        return f"the process ended with status {status}"

    def end(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


class Run:
    def __init__(self, options):
        self.options = options
        self.program = os.path.join(os.path.abspath(options.programs), "CrashDriver")
        self.workloads = subprocess.run(
            [self.program, "workloads"], check=True, stdout=subprocess.PIPE, text=True
        ).stdout.split()
        if unknown := set(options.workload or []) - set(self.workloads):
            sys.exit(f"no workload is called {', '.join(sorted(unknown))}; "
                     f"there are: {', '.join(self.workloads)}")
        self.deadline = time.monotonic() + options.minutes * 60
        self.checked = 0
        self.findings = []
        self.lock = threading.Lock()

    def workload(self, name, seed, place):
        """Records a workload and opens its states."""
        before, live = f"{place}/before", f"{place}/live"
        written = f"{place}/strace"
        subprocess.run([self.program, "prepare", name, before], check=True)
        shutil.copytree(before, live)
        subprocess.run(
            [*strace.command(written), self.program, "run", name, live], check=True,
            stdout=subprocess.DEVNULL)

        def make():
            recording = disk.Recording(before, live)
            recording.follow(written)
            return recording

        waiting = queue.Queue(maxsize=4)
        workers = [
            threading.Thread(
                target=self.work, args=(name, live, f"{place}/{n}", waiting), daemon=True)
            for n in range(2)]
        for worker in workers:
            worker.start()
        for state in states(make, self.options.ignore, self.options.states, seed):
            if self.options.minutes and time.monotonic() > self.deadline:
                break
            waiting.put(state)
        for _ in workers:
            waiting.put(None)
        for worker in workers:
            worker.join()

    def work(self, name, end, place, waiting):
        checker = Checker(self.program, name, end)
        while (state := waiting.get()) is not None:
            files, given, later, description = state
            disk.lay_out(files, place)
            answer = checker.check(place, given, later)
            shutil.rmtree(place)
            with self.lock:
                self.checked += 1
                if answer != "ok":
                    self.found(name, files, given, later, description, answer)
        checker.end()

    def found(self, name, files, given, later, description, answer):
        number = len(self.findings)
        self.findings.append((name, answer))
        if number >= 20 or self.options.ignore:
            return
        print(f"{name}, {description}, promised {given[-1:]}: {answer}", flush=True)
        if self.options.keep:
            place = os.path.abspath(f"{self.options.keep}/{name}-{number}")
            shutil.rmtree(place, ignore_errors=True)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            disk.lay_out(files, place)
            print(f"    kept in {place}; to look again, copy it and write to {self.program}")
            print("    " + repr("\t".join(["COPY", *given, "|", *later])))

    def rounds(self):
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        number = 0
        while True:
            for name in self.options.workload or self.workloads:
                if number > 0 and time.monotonic() >= self.deadline:
                    return
                with tempfile.TemporaryDirectory(prefix="daybook-", dir=shared) as place:
                    begun, checked = time.monotonic(), self.checked
                    self.workload(name, f"{self.options.seed} {number} {name}", place)
                    print(f"{name}: {self.checked - checked} states, "
                          f"{time.monotonic() - begun:.1f} s", flush=True)
            number += 1
            if time.monotonic() >= self.deadline:
                return


def main():
    parser = argparse.ArgumentParser(prog="tools/dev crash-states")
    parser.add_argument("programs", help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--states", type=int, default=1500)
    parser.add_argument("--workload", action="append")
    parser.add_argument("--ignore", choices=["file-syncs", "folder-syncs"])
    parser.add_argument("--keep", help=argparse.SUPPRESS)
    run = Run(parser.parse_args())
    run.rounds()
    kinds = {name for name, _ in run.findings}
    print(f"{run.checked} states, {len(run.findings)} of them bad"
          + (f" ({', '.join(sorted(kinds))})" if kinds else "") + f"; seed {run.options.seed}")
    return 1 if run.findings else 0


if __name__ == "__main__":
    sys.exit(main())

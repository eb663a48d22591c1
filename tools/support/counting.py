"""Counts what programs allocate, write and execute: unlike times, these repeat on any machine."""
import concurrent.futures, os, pathlib, re, subprocess, sys, tempfile

import project, valgrind


class Counter:
    """Runs programs and counts what they do; its libraries and valgrind's reports are in .build."""

    def __init__(self):
        self.library = project.BUILD / "counts.so"
        run(["clang", "-O2", "-shared", "-fPIC", "-o", self.library,
             project.TESTS / "Support/Counts/count.c"])
        self.valgrind = valgrind.command("callgrind")

    def writes(self, *words):
        """A program's output, and its allocations, commits and pages by name."""
        with tempfile.NamedTemporaryFile() as counted:
            text = run(words, LD_PRELOAD=str(self.library), COUNTED=counted.name)
            lines = [line.split() for line in pathlib.Path(counted.name).read_text().splitlines()]
        return text, {name: int(number) for name, number in lines}

    def instructions(self, *words, report=os.devnull):
        """A program's output, and how many instructions it executed.

        `callgrind_annotate` shows in the report which functions executed them.
        """
        with tempfile.NamedTemporaryFile() as log:
            text = run([*self.valgrind, f"--log-file={log.name}",
                        f"--callgrind-out-file={report}", *words])
            found = re.search(r"Collected : (\d+)", pathlib.Path(log.name).read_text())
        return text, int(found[1])


def run(words, **variables):
    """Runs a program; its output."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"} | variables)
    if done.returncode:
        sys.exit(f"{project.TOOL}: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def at_once(calls):
    """The results of functions, as many of which run at once as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda call: call(), calls))

"""Lets each system call of daybook's commands fail; `tools/dev faults --help` has the arguments.

Each case copies a scene and runs one command, of which one call fails, is cut short or is the last.
Then it checks: did the command do its work or end with a named error? Is everything that was there
before still there, and whole? Does the same command work now, and is nothing left over?
"""

import argparse, collections, concurrent.futures, os, random, re, shutil, subprocess, sys, time

from limits import Disk, limits
from scene import Finding, Programs, scratch
from suite import Suite

# The faults of a call. `+` is a fault that stays, like that of a disk that died or is full.
FAULTS = ["kill", "EIO", "EIO+", "ENOSPC", "ENOSPC+", "EINTR", "short", "short+", "EMFILE",
          "EMFILE+", "ENOMEM"]


# MARK: Cases

def control(suite):
    """The positive control: writes fail in silence; the commands where nobody notices."""
    unseen = []
    for name in ("export", "reject"):
        workload = next(w for w in suite.workloads if w.name == name)
        writes = [call for call, line in enumerate(workload.calls, 1)
                  if re.match(r"\d+ p?write(64)? (?![12] )", line)]
        # The number of a call varies with the order of threads: calls nearby are tried, repeatedly.
        near = sorted({write + offset for write in writes for offset in range(-3, 5)})
        if not any(is_noticed(suite, workload, call) for call in near * 12):
            unseen.append(f"no ignored error of a write was noticed in {name}")
    return unseen


def is_noticed(suite, workload, call):
    try:
        suite.check(workload, "ignored", call, f"control-{workload.name}-{call}")
    except (Finding, subprocess.TimeoutExpired):
        return True
    return False


def cases(suite, only, source):
    """Every call of every workload with every fault, in an order that depends on the seed."""
    chosen = [w for w in suite.workloads if not only or w.name in only]
    for workload in chosen:
        suite.measure(workload)
    everything = [(workload, fault, call) for workload in chosen
                  for call, line in enumerate(workload.calls, 1) for fault in FAULTS
                  if fault.rstrip("+") in line.rpartition(" can ")[2].split()]
    source.shuffle(everything)
    return everything


def main():
    parser = argparse.ArgumentParser(prog="tools/dev faults", description=__doc__.splitlines()[0])
    parser.add_argument("minutes", type=float, nargs="?", default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--programs", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", action="append")
    parser.add_argument("--case")
    parser.add_argument("--calls-only", action="store_true")
    parser.add_argument("--limits-only", action="store_true")
    arguments = parser.parse_args()
    programs = Programs(arguments.programs)
    source = random.Random(arguments.seed)
    start, span = time.monotonic(), arguments.minutes * 60
    whole = not arguments.case and not arguments.calls_only
    # A program that hides its memory shows the paths in its calls to root alone.
    has_disk = Disk.alone() if whole or os.geteuid() != 0 else False
    folder = scratch("daybook-faults-")
    try:
        suite = Suite(programs, folder)
        only = [arguments.case.split(":")[0]] if arguments.case else arguments.only
        if not only and arguments.calls_only:
            # There are only seconds: a few workloads, others each time.
            only = ["export", "reject"] + [w.name for w in source.sample(suite.workloads, 2)]
        todo = cases(suite, only, source)
        if arguments.case:
            todo = [case for case in todo if f"{case[0].name}:{case[1]}:{case[2]}"
                    == arguments.case]
        print(f"seed {arguments.seed}", flush=True)
        if arguments.limits_only:
            todo = []
        found, said = run(suite, todo, start + span * (0.5 if whole else 1))
        if whole:
            chosen = [w for w in suite.workloads if not only or w.name in only]
            source.shuffle(chosen)
            tried, more = limits(
                suite, chosen, folder, arguments.seed, has_disk, start + span)
            found += more
            said += "".join(f", {number} {kind}" for kind, number in tried.items())
            said += "" if has_disk else " (no full disk: no mounts here)"
        if not arguments.case and not (only and not {"export", "reject"} <= set(only)):
            more = control(suite)
            print(*more, sep="\n", end="\n" if more else "")
            found += more
        print(f"{said}, seed {arguments.seed}: {len(found)} findings")
        if found:
            print("to try one again: tools/dev faults --case WORKLOAD:FAULT:CALL")
        return 1 if found else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(suite, todo, deadline):
    """Tries cases until the time is over; the findings, and a line that sums up."""
    found, ran = [], collections.Counter()

    def one(index):
        if time.monotonic() > deadline:
            return None, None
        workload, fault, call = todo[index]
        try:
            met = suite.check(workload, fault, call, f"case-{index}")
            return (workload.name, fault) if met else None, None
        except (Finding, subprocess.TimeoutExpired) as finding:
            return (workload.name, fault), f"{workload.name}:{fault}:{call}: {finding}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for met, finding in pool.map(one, range(len(todo))):
            if met:
                ran[met] += 1
            if finding:
                found.append(finding)
                print(finding, flush=True)
    workloads = {name for name, _ in ran}
    return found, f"{sum(ran.values())} faults met calls of {len(workloads)} commands"


if __name__ == "__main__":
    sys.exit(main())

"""Runs tests, and ends them when they have printed nothing for too long."""
import json, os, signal, subprocess, sys, time

ENDED = 124


def run(command, log, events, seconds):
    """Runs `swift test` into a log; its exit status, or ENDED where it fell silent.

    `events` is the file of its event stream. Where the tests fell silent, the log ends with those
    that had begun and not ended, and with what each thread waits for.
    """
    with open(log, "w") as output:
        child = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    for interruption in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interruption, lambda number, _: (end(child.pid), sys.exit(128 + number)))
    size, since = 0, time.monotonic()
    while time.monotonic() - since <= seconds:
        try:
            return child.wait(timeout=1)
        except subprocess.TimeoutExpired:
            pass
        if os.path.getsize(log) != size:
            size, since = os.path.getsize(log), time.monotonic()
    lines = [f"error: nothing was printed for {seconds} seconds"]
    lines += [f"error: not ended: {name}" for name in unended(events)]
    for process in session(child.pid):
        try:
            lines += waits(process)
        except OSError:
            continue
    end(child.pid)
    with open(log, "a") as output:
        print(*lines, sep="\n", file=output)
    return ENDED


def session(leader):
    """The processes of a session; a test runner gives its child a process group of its own."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader:
            yield int(name)


def end(leader):
    """Ends all processes of a session."""
    for process in session(leader):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue


def waits(process):
    """The place in the kernel where each thread of a process waits."""
    for thread in sorted(os.listdir(f"/proc/{process}/task"), key=int):
        folder = f"/proc/{process}/task/{thread}"
        with open(f"{folder}/comm") as name, open(f"{folder}/wchan") as call:
            yield f"process {process}, thread {thread} ({name.read().strip()}): {call.read()}"


def unended(events):
    """The ids of the tests that have begun and not ended, the first ones first.

    Tests that may run at once begin together; those with arguments say when each case begins.
    """
    begun, cases = {}, {}
    for line in open(events, encoding="utf-8") if os.path.exists(events) else ():
        try:
            payload = json.loads(line)["payload"]
        except ValueError:
            continue
        name, kind = payload.get("testID", ""), payload.get("kind")
        if kind == "testStarted" and "/" in name:
            begun[name] = True
        elif kind == "testEnded":
            begun.pop(name, None)
        elif kind in ("testCaseStarted", "testCaseEnded"):
            cases[name] = cases.get(name, 0) + (1 if kind == "testCaseStarted" else -1)
    return [name for name in begun if cases.get(name, 1)][:20]

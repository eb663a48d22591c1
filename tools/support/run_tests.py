"""Builds everything, compares counts of what the work does, runs tests, sums up what failed."""
import os, re, subprocess, sys, xml.etree.ElementTree as ElementTree

import project, until_silent

LOG = project.BUILD / "test.log"
RESULTS = project.BUILD / "test-results.xml"
# Swift Testing adds to the name that it is given.
REPORT = project.BUILD / "test-results-swift-testing.xml"
EVENTS = project.BUILD / "test-events.jsonl"
SILENT_SECONDS = 600
# The tests that `--quick` leaves out, by a pattern of their names, with their subjects.
SLOW = {
    r"DaybookPostgresTests|DaybookTests\.(Database|Failover|Fencing|CutConnection)"
    r"|CommandLineTests\.(Database|DroppedEvents)": "logs in PostgreSQL",
    r"DaybookPageTests|BrowserTests": "the page and the report in a browser",
    r"DaybookCTests": "the C library and the Python package, under valgrind",
    r"NodeSuiteTests": "the clients of nodes, on simulated nodes",
    r"SimulatorTests|AttacksTests|(Crash|Stress|Fault|Soak)[A-Za-z]*Tests": "the harnesses",
}
ISSUE = re.compile(r"^✘ Test (.+?) recorded an issue.*? at (\S+:\d+):\d+: (.*)")


def test(arguments):
    """Runs `swift test` with arguments; its exit status."""
    for path in (RESULTS, REPORT):
        path.unlink(missing_ok=True)
    # All tests at once would starve each other until time limits under test run out.
    os.environ["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = str(2 * os.cpu_count())
    return until_silent.run(
        ["swift", "test", "--skip-build", "--xunit-output", RESULTS, "--event-stream-output-path",
         EVENTS, *arguments], LOG, EVENTS, SILENT_SECONDS)


def issues(lines):
    """Where and why tests failed, in the words of the log."""
    shown, name = [], None
    for line in lines:
        if found := ISSUE.match(line):
            if found[1] != name:
                shown.append(f"{found[2]}: {found[1]}")
            name = found[1]
            if found[3] != "Issue recorded":
                shown.append(f"    {found[3][:200]}")
        elif name and line.startswith(("↳ ", "  ")):
            shown.append(f"    {line[2:][:300]}")
        else:
            name = None
    return shown


def sum_up():
    """Prints how the tests ended; whether there were some and none failed."""
    lines = LOG.read_text(errors="replace").splitlines()
    try:
        cases = list(ElementTree.parse(REPORT).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        causes = [line for line in lines if re.search(r"Fatal error|signal code|^error:", line)]
        print(*(causes or lines)[-10:], "the tests did not end; their output is in .build/test.log",
              sep="\n", file=sys.stderr)
        return False
    shown = issues(lines)
    if len(shown) > 60:
        shown[60:] = [f"{len(shown) - 60} more lines, in .build/test.log"]
    if shown:
        print(*shown, sep="\n", file=sys.stderr)
    failed = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    if skipped:
        print(f"{skipped} skipped")
    print(f"{len(cases) - failed - skipped} passed, {failed} failed")
    return bool(cases) and not failed


def main(arguments):
    os.chdir(project.ROOT)
    quick = arguments[:1] == ["--quick"]
    if quick:
        arguments = [*arguments[1:], *(word for name in SLOW for word in ("--skip", name))]
    print("building", flush=True)
    project.swift_build("test.log", "--build-tests")
    ok = True
    if not arguments:
        print("counting", flush=True)
        ok = subprocess.run([project.ROOT / "tools/dev", "counts"]).returncode == 0
    print("testing", flush=True)
    status = test(arguments)
    # The report has how each test ended, the log where and why it failed.
    ok = sum_up() and ok and status == 0
    if quick:
        print("left out:", "; ".join([*SLOW.values(), "what the work allocates"]))
    sys.exit(0 if ok else 1)


main(sys.argv[1:])

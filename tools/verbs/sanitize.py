"""Runs tests under the thread sanitizer or under valgrind.

usage: tools/dev sanitize thread|valgrind [FILTER]

It fails on a data race, or on a wrong read or write.

  thread    suites with concurrency, under the thread sanitizer; it needs a build of everything of
            its own, in .build/thread
  valgrind  what calls into C, under valgrind's memcheck: the workloads of tools/dev crash-states
            and the tests of HTTP
  FILTER    other suites, as swift test takes them
"""
import os, pathlib, re, shutil, subprocess, sys, tempfile

import project, valgrind

BUILD = project.BUILD
# Swift's Mutex waits in the kernel, where the sanitizer does not see who gets the lock: it would
# report what the tests and the clients of HTTP keep behind one. `Monitor` has a lock that it sees.
THREAD_SUPPRESSIONS = "race_top:/Tests/\nrace_top:HTTPClient\n"
# One searches all of memory, of which the sanitizer adds terabytes; the other links programs of its
# own with a library that is not built for the sanitizer here.
UNWATCHED = "WipingTests|ProgramTests"
# Swift's runtime compares a field's offset with what the memory held and writes it only where it
# differs (assignUnlessEqual): memcheck takes such an offset as never set, also for key paths.
VALGRIND_SUPPRESSIONS = """
{
    fields
    Memcheck:Cond
    fun:swift_initStructMetadata
}
{
    key paths made
    Memcheck:Cond
    ...
    fun:$ss25_instantiateKeyPathBuffer*
}
{
    key paths followed, in a condition
    Memcheck:Cond
    ...
    fun:swift_getAtKeyPath
}
{
    key paths followed, in an address
    Memcheck:Value8
    ...
    fun:swift_getAtKeyPath
}
{
    fields of the test runner
    Memcheck:Value8
    obj:*/libTesting.so
}
"""


def reports(pattern):
    """The text of the reports that a tool has written to .build."""
    return "".join(path.read_text(errors="replace") for path in sorted(BUILD.glob(pattern)))


def forget(pattern):
    for path in BUILD.glob(pattern):
        path.unlink()


def thread(tests):
    """Runs suites under the thread sanitizer; the exit status."""
    forget("thread-race.*")
    suppressions = BUILD / "thread-suppressions"
    suppressions.write_text(THREAD_SUPPRESSIONS)
    # Programs that the tests start are watched as well, and a race ends them with this status.
    options = (f"halt_on_error=1 exitcode=66 log_path={BUILD}/thread-race "
               f"suppressions={suppressions}")
    status = project.logged(
        "thread.log", "swift", "test", "--sanitize=thread", "--scratch-path", ".build/thread",
        "--filter", tests or "DaybookLogTests|DaybookSystemTests|DaybookNodesTests|DaybookTests",
        "--skip", UNWATCHED, TSAN_OPTIONS=options,
        SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=str(os.cpu_count()))
    lines = (BUILD / "thread.log").read_text(errors="replace").splitlines()
    told = [line[:200] for line in lines
            if re.search(r"Test run with|recorded an issue|error:", line)]
    races = reports("thread-race.*").splitlines()
    print(*told[-20:], *[line for line in races if line.startswith("SUMMARY")], sep="\n")
    print(sum(line.startswith("WARNING: ThreadSanitizer") for line in races), "races")
    if not any("Test run with" in line for line in lines):
        print("the tests did not end; their whole output is in .build/thread.log")
    return status


def memcheck():
    """The command under which a program runs in valgrind."""
    suppressions = BUILD / "valgrind-suppressions"
    suppressions.write_text(VALGRIND_SUPPRESSIONS.lstrip())
    # Swift's tagged pointers hide what is still in use, so that leaks can't be told.
    return valgrind.command(
        "memcheck", "--quiet", "--error-exitcode=9", "--errors-for-leak-kinds=none",
        "--leak-check=no", f"--suppressions={suppressions}", f"--log-file={BUILD}/valgrind-%p.log")


def workload(driver, name, folder):
    """Runs a workload, and a check of a copy of what it wrote; whether both were without error."""
    home, copy = folder / name, folder / f"{name}-copy"
    ok = subprocess.run([*driver, "prepare", name, home]).returncode == 0
    ok &= subprocess.run([*driver, "run", name, home],
                         stdout=subprocess.DEVNULL).returncode == 0
    shutil.copytree(home, copy)
    check = subprocess.run([*driver, "check", name, home], input=f"{copy}\t|\n", text=True,
                           stdout=subprocess.PIPE)
    return ok and check.returncode == 0 and "ok" in check.stdout.splitlines()


def memory(tests):
    """Runs workloads and tests under valgrind; the exit status."""
    project.swift_build("valgrind.log", "--build-tests")
    folder, command = project.programs(), memcheck()
    forget("valgrind-*.log")
    failed = []
    with tempfile.TemporaryDirectory() as scene:
        names = subprocess.run([folder / "CrashDriver", "workloads"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.split()
        for name in names:
            if not workload([*command, folder / "CrashDriver"], name, pathlib.Path(scene)):
                failed.append(name)
            print(f"{name}: {'failed' if name in failed else 'ok'}", flush=True)
    # Not the tests of HTTPS: openssl fails on descriptors that valgrind has open.
    if project.logged(
            "valgrind.log", *command, folder / "DaybookPackageTests.xctest", "--testing-library",
            "swift-testing", "--filter", tests or "DaybookNodesTests", "--skip", "HTTPSTests"):
        failed.append("tests")
    print(f"tests: {'failed' if 'tests' in failed else 'ok'}")
    wrong = re.compile(r"^==\d+== (Invalid|Conditional|Use of|Syscall param)", re.MULTILINE)
    print(len(wrong.findall(reports("valgrind-*.log"))), "errors")
    return int(bool(failed))


def main():
    parser = project.parser(__doc__)
    parser.add_argument("tool", choices=["thread", "valgrind"])
    parser.add_argument("filter", nargs="?")
    options = parser.parse_args()
    project.set_up("valgrind" if options.tool == "valgrind" else "test")
    BUILD.mkdir(exist_ok=True)
    sys.exit(thread(options.filter) if options.tool == "thread" else memory(options.filter))


main()

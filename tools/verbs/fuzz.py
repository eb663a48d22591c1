"""Feeds every reader of untrusted bytes with inputs of libFuzzer.

usage: tools/dev fuzz [HARNESS] [MINUTES | --runs N]
       tools/dev fuzz --controls
       tools/dev fuzz [HARNESS] --keep

The address sanitizer watches. Tests/Fuzz has the harnesses and the laws that each input must
keep. An input that breaks one is kept in .build/fuzz-work; then the status is 1.

  HARNESS     one harness alone
  MINUTES     how long, shared among the harnesses; 5 where nothing is given
  --runs N    so many inputs for each harness
  --controls  the planted bugs, each of which must be found
  --keep      writes the corpora in Tests/Fixtures/fuzz again: each input that reaches new code
"""
import hashlib, os, re, shutil, subprocess, sys, tempfile

import project

SCRATCH, WORK = project.BUILD / "fuzz", project.BUILD / "fuzz-work"
PROGRAM = SCRATCH / "release/fuzz"
CORPORA = project.TESTS / "Fixtures/fuzz"
# One frame of each allocation: whole stacks take up to a third of the time, and a failing input can
# be run once more with them.
os.environ.setdefault("ASAN_OPTIONS", "malloc_context_size=1:quarantine_size_mb=16")


class Harness:
    """A reader with its laws, or a planted bug, as the fuzzing program lists it."""

    def __init__(self, line):
        self.kind, self.name, self.longest, *self.words = line.split()
        self.corpus, self.inputs = CORPORA / f"{self.name}.hex", WORK / self.name
        self.log = WORK / f"{self.name}.log"

    def unpack(self):
        """Writes the inputs of the corpus as files; a line is hexadecimal, with a remark or not."""
        self.inputs.mkdir(exist_ok=True)
        for line in self.lines():
            data = bytes.fromhex(line.split("#")[0])
            (self.inputs / hashlib.sha1(data).hexdigest()).write_bytes(data)

    def pack(self, folder):
        """Writes the corpus from files; a line with a remark was a finding once and stays."""
        kept = {bytes.fromhex(line.split("#")[0]): line for line in self.lines() if "#" in line}
        for path in folder.iterdir():
            data = path.read_bytes()
            kept.setdefault(data, data.hex())
        lines = [kept[data] for data in sorted(kept, key=lambda data: (len(data), data))]
        self.corpus.write_text("".join(f"{line}\n" for line in lines))
        return len(lines)

    def lines(self):
        return self.corpus.read_text().splitlines() if self.corpus.exists() else []

    def call(self, *words):
        """Runs the fuzzing program for this harness; its exit status and processor time."""
        with open(self.log, "w") as output:
            process = subprocess.Popen(
                ["nice", "-n", "15", PROGRAM, *map(str, words)], stdout=output,
                stderr=subprocess.STDOUT, env=os.environ | {"DAYBOOK_FUZZ": self.name})
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_utime + usage.ru_stime

    def feed(self, *options):
        """Fuzzes from the corpus: the exit status, executions, and executions a second.

        The seconds are the processor's, because those of the clock say little on a busy machine.
        """
        self.unpack()
        words = WORK / f"{self.name}.dict"
        words.write_text("".join(f"{word}\n" for word in self.words))
        # libFuzzer ends at once where it is given an empty dictionary.
        dictionary = [f"-dict={words}"] if self.words else []
        status, seconds = self.call(
            self.inputs, f"-max_len={self.longest}", *dictionary, "-rss_limit_mb=2048",
            "-malloc_limit_mb=256", "-timeout=60", "-detect_leaks=0", "-print_final_stats=1",
            f"-artifact_prefix={WORK}/{self.name}-", *options)
        done = re.search(r"^stat::number_of_executed_units: *(\d+)", self.text(), re.MULTILINE)
        executions = int(done[1]) if done else 0
        return status, executions, int(executions / (seconds + 0.001))

    def text(self):
        return self.log.read_text(errors="replace")

    def finding(self, pattern):
        """The first line of the log in which a finding is named."""
        found = re.search(pattern, self.text(), re.MULTILINE)
        return found[0] if found else "nothing that has a name"


def fuzz(harnesses, limit):
    """Fuzzes each harness; whether one found something."""
    total, found = 0, 0
    for harness in harnesses:
        status, executions, speed = harness.feed(limit)
        total += executions
        told = f"{harness.name:18} {executions:12} executions"
        if status == 0:
            print(f"{told}, {speed:6} a second", flush=True)
            continue
        found += 1
        print(f"{told}, found:", harness.finding(".*(broken law|ERROR: |Fatal error|SUMMARY).*"))
        print(harness.finding("Test unit written to .*"), flush=True)
    print(f"{len(harnesses)} harnesses, {total} executions, {found} found")
    return found > 0


def check_controls(controls):
    """Fuzzes each planted bug; whether one was not found."""
    found = 0
    for control in controls:
        shutil.rmtree(control.inputs, ignore_errors=True)
        status, executions, _ = control.feed("-runs=5000000", "-use_value_profile=1", "-seed=1")
        found += status != 0
        if status == 0:
            print(f"{control.name} was not found in {executions} executions", flush=True)
        else:
            told = control.finding("broken law.*|ERROR: .*")[:60]
            print(f"{control.name:18} found in {executions:9} executions: {told}", flush=True)
    print(f"{len(controls)} bugs were planted, {found} found")
    return found < len(controls)


def keep(harnesses):
    """Writes each corpus again, from it and from what fuzzing has added to it on this machine."""
    merged = WORK / "merged"
    for harness in harnesses:
        shutil.rmtree(merged, ignore_errors=True)
        merged.mkdir()
        harness.unpack()
        status, _ = harness.call("-merge=1", f"-max_len={harness.longest}", "-detect_leaks=0",
                                 "-rss_limit_mb=2048", merged, harness.inputs)
        if status:
            sys.exit(f"{harness.name}: its inputs can't be merged; see {harness.log}")
        shutil.rmtree(harness.inputs)
        shutil.copytree(merged, harness.inputs)
        print(f"{harness.name}: {harness.pack(merged)} inputs", flush=True)


def options():
    parser = project.parser(__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--runs", type=project.whole_number)
    parser.add_argument("--controls", action="store_true")
    parser.add_argument("--keep", action="store_true")
    chosen = parser.parse_args()
    chosen.minutes = next((int(word) for word in chosen.words if word.isdecimal()), 5)
    names = [word for word in chosen.words if not word.isdecimal()]
    if len(names) > 1 or len(chosen.words) - len(names) > 1:
        parser.error("at most one harness and one number of minutes")
    chosen.harness = names[0] if names else None
    return chosen


def main():
    chosen = options()
    project.set_up()
    WORK.mkdir(parents=True, exist_ok=True)
    print("building", file=sys.stderr)
    project.swift_build(
        "fuzz-build.log", "-c", "release", "--scratch-path", SCRATCH, "--product", "fuzz",
        "-Xswiftc", "-sanitize=fuzzer,address", "-Xswiftc", "-use-ld=lld",
        "-Xswiftc", "-enable-testing", DAYBOOK_FUZZ="build")
    lines = subprocess.run([PROGRAM], capture_output=True, text=True, check=True).stdout
    listed = [Harness(line) for line in lines.splitlines()]
    harnesses = [one for one in listed
                 if one.kind == "harness" and chosen.harness in (None, one.name)]
    if not harnesses:
        print(f"there is no harness {chosen.harness}", file=sys.stderr)
        return 2
    # Harnesses make and damage stores thousands of times a second: in memory, where that is there.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="daybook-fuzz-", dir=place) as folder:
        os.environ["TMPDIR"] = folder
        if chosen.controls:
            return check_controls([one for one in listed if one.kind == "control"])
        if chosen.keep:
            return keep(harnesses)
        seconds = chosen.minutes * 60 // len(harnesses) + 1
        return fuzz(harnesses, f"-runs={chosen.runs}" if chosen.runs
                    else f"-max_total_time={seconds}")


sys.exit(main())

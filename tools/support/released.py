"""The folders of releases in Tests/Releases, and how a version's are made."""
import os, pathlib, shutil, subprocess

import interfaces, project, release_checks

# A folder of candidates can take the place of the releases' own.
FOLDER = pathlib.Path(os.environ.get("DAYBOOK_RELEASES", project.TESTS / "Releases"))
# The products that interfaces and checks of a release need, and two modules that are built alone.
PRODUCTS = ("daybook", "daybook-replay", "DaybookC")
MODULES = ("DaybookTesting", "DaybookFoundation")


def number(name):
    """A version's name as numbers, which have an order."""
    return tuple(int(part) for part in name.split("."))


def releases():
    """The folders of all releases, the oldest first."""
    found = [path for path in FOLDER.glob("*") if (path / "digests.txt").exists()]
    return sorted(found, key=lambda path: number(path.name))


def of_major(version):
    """Those whose interfaces a version keeps: the releases with the same first number."""
    return [each for each in releases() if number(each.name)[0] == number(version)[0]]


def build(configuration="debug"):
    """Builds what a release's folder is made with, and returns the folder with the programs."""
    log = f"{project.TOOL}-build.log"
    for module in MODULES:
        project.swift_build(log, *project.CONFIGURATIONS[configuration], "--target", module)
    return project.build_products(log, configuration, PRODUCTS)


def revision():
    """The commit of the work tree."""
    return subprocess.run(["git", "-C", project.ROOT, "rev-parse", "HEAD"], check=True,
                          capture_output=True, text=True).stdout.strip()


def make(folder, programs):
    """Makes a version's folder by its programs; nothing is left where that fails."""
    fresh = folder.with_name(folder.name + ".making")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        release_checks.make(programs, fresh)
        interfaces.record(fresh / "interfaces", programs)
        (fresh / "revision").write_text(revision() + "\n")
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)

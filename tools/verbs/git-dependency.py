"""Builds and runs a package that depends on a clone of this one.

usage: tools/dev git-dependency

The package is that of docs/FRONTS.md, with the example that is shown there; it pays once. It names
the last commit here by URL, as an app's package names a repository. Packages that are used so may
have no unsafe flags. It is in .build/git-dependency.
"""
import shutil, subprocess, sys, tempfile

import project

FOLDER = project.BUILD / "git-dependency"
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "app",
    dependencies: [.package(url: "file://{url}", revision: "{revision}")],
    targets: [
        .executableTarget(
            name: "app", dependencies: [.product(name: "Daybook", package: "daybook")])
    ])
"""
EXAMPLE = project.ROOT / "docs/examples/approve.swift"
LINK = "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=1.5&sender=shop"


def main():
    project.parser(__doc__).parse_args()
    project.set_up()
    (FOLDER / "Sources/app").mkdir(parents=True, exist_ok=True)
    # The name of the package is the last part of the URL.
    clone = FOLDER / "daybook"
    if not clone.exists():
        git("clone", "--quiet", "--bare", project.ROOT, clone)
    git("-C", clone, "fetch", "--quiet", project.ROOT, "HEAD")
    revision = git("-C", clone, "rev-parse", "FETCH_HEAD")
    git("-C", clone, "update-ref", "refs/heads/tried", revision)
    (FOLDER / "Package.swift").write_text(MANIFEST.format(url=clone, revision=revision))
    shutil.copy(EXAMPLE, FOLDER / "Sources/app/App.swift")
    with tempfile.TemporaryDirectory() as home:
        words = ["swift", "run", "--package-path", FOLDER, "app", f"{home}/store",
                 "correct horse battery", LINK]
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True,
                              input="y\n")
    opened = [line for line in done.stdout.splitlines() if line.startswith("open shop://")]
    if done.returncode or not opened:
        sys.exit(f"{done.stdout}the example ended with {done.returncode} and no callback")
    print(opened[0])


def git(*words):
    return subprocess.run(["git", *(str(word) for word in words)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


main()

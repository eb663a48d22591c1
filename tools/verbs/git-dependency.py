"""Builds and runs a package that depends on a clone of this one.

usage: tools/dev git-dependency

The package names the last commit here by URL, as an app's package names a repository. Packages that
are used so may have no unsafe flags. It is in .build/git-dependency.
"""
import subprocess, sys, tempfile

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
APP = """import Daybook

@main
enum App {
    static func main() async throws {
        try Store.create(at: CommandLine.arguments[1])
        let store = try Store(opening: CommandLine.arguments[1], frontEnd: "app")
        print("a store with", try await store.wallets().count, "wallets")
    }
}
"""


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
    (FOLDER / "Sources/app/App.swift").write_text(APP)
    with tempfile.TemporaryDirectory() as home:
        words = ["swift", "run", "--package-path", FOLDER, "app", f"{home}/store"]
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True)
    print(done.stdout.splitlines()[-1] if done.stdout else "it printed nothing")
    sys.exit(done.returncode)


def git(*words):
    return subprocess.run(["git", *(str(word) for word in words)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


main()

"""Makes a release: checks the tree, and writes its fixtures, packages and checksums.

usage: tools/dev release VERSION [--minutes N]
       tools/dev release VERSION --check
       tools/dev release VERSION --dry-run [STEP …]

The tree must be committed, its version be VERSION and the changelog's head say so. The release's
own programs write Tests/Releases/VERSION, which later versions are tested with: once. Then come all
tests, the long harnesses, the benchmark and the documents, and at last the Debian package, the
wheel, the programs and the sources as archives, in .build/release-VERSION with SHA256SUMS. If a
step fails, or the tool is ended, another call goes on with that step, if the sources are the same.

  --minutes N  the time of the long harnesses together (tools/dev soak) and of the attacks; 120
  --check      only say what forbids this release
  --dry-run    write to .build/release-dry-run and only say what is wrong with the tree; without
               steps: fixtures, deb, wheel, programs, sources. What was not run is listed: the
               result is no release
"""
import gzip, hashlib, io, pathlib, platform, shutil, subprocess, sys, tarfile, time

import installing, project, released

# The commands that run between making the fixtures and packing the archives.
COMMANDS = {
    "tests": "test", "soak": "dev soak {minutes}", "attacks": "dev attacks {minutes}",
    "recipes": "dev recipes", "races": "dev races", "failover": "dev failover",
    "thread-sanitizer": "dev sanitize thread", "valgrind": "dev sanitize valgrind",
    "books": "dev books", "derive-links": "dev derive-links", "peers": "dev test-peers",
    "git-dependency": "dev git-dependency", "mutants": "dev mutants", "releases": "dev releases",
    "bench": "bench", "docs": "dev docs", "deb": "dev build-deb {folder} --try",
    "wheel": "dev build-wheel {folder}",
}
PACKAGING = ["fixtures", "deb", "wheel", "programs", "sources"]


class Release:
    """A release that is being made, and the folder of what it consists of."""

    def __init__(self, version, minutes, is_dry):
        self.version, self.is_dry = version, is_dry
        self.folder = project.BUILD / ("release-dry-run" if is_dry else f"release-{version}")
        self.fixtures = (self.folder if is_dry else project.TESTS / "Releases") / version
        self.steps = {"fixtures": self.make_fixtures}
        for name, command in COMMANDS.items():
            words = command.format(minutes=minutes, folder=self.folder).split()
            self.steps[name] = lambda words=words: self.run(*words)
        self.steps |= {"programs": self.pack_programs, "sources": self.pack_sources}

    # The tree

    def faults(self, goes_on):
        """The faults of the tree that forbid a release; one that was begun may go on."""
        changed = installing.output("git", "-C", project.ROOT, "status", "--porcelain").decode()
        own = f"?? Tests/Releases/{self.version}/"
        if [line for line in changed.splitlines() if not own.startswith(line)]:
            yield "the work tree has changes that are not committed"
        if project.version() != self.version:
            yield f"the programs' version is {project.version()}: see Program.swift"
        changes = (project.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        if not changes.startswith(f"# Changelog\n\n## {self.version}\n"):
            yield f"the head of CHANGELOG.md is not `## {self.version}`"
        if self.fixtures.exists() and not (goes_on and "fixtures" in self.begun()[1]):
            yield (f"{self.fixtures.relative_to(project.ROOT)} is there: the fixtures of a release "
                   "are made once (remove them if that version was never given to anybody)")

    # The steps

    def begun(self):
        """The commit at which an earlier call began, and the steps that were done since; this
        commit and none if it has other sources."""
        path = self.folder / "steps"
        commit, *steps = path.read_text().split() if path.exists() else [released.revision()]
        same = subprocess.run(
            ["git", "-C", project.ROOT, "diff", "--quiet", commit, "HEAD", "--", ".",
             f":(exclude)Tests/Releases/{self.version}"], stderr=subprocess.DEVNULL)
        return (commit, steps) if same.returncode == 0 else (released.revision(), [])

    def run(self, tool, *words):
        if subprocess.run([project.ROOT / "tools" / tool, *words]).returncode:
            sys.exit(f"release: tools/{' '.join([tool, *words])} failed; "
                     "another call goes on with it")

    def make_fixtures(self):
        if self.is_dry:
            shutil.rmtree(self.fixtures, ignore_errors=True)
        self.fixtures.parent.mkdir(parents=True, exist_ok=True)
        released.make(self.fixtures, released.build("release"))

    def pack_programs(self):
        """The programs with Swift's libraries inside, and what belongs to them."""
        files = installing.contents(pathlib.Path("/usr/local"), installing.build())
        self.pack(f"daybook-{self.version}-linux-{platform.machine()}", files, installing.mode)

    def pack_sources(self):
        """All files of the commit, and the fixtures that are committed after it."""
        files = project.sources()
        for path in self.fixtures.rglob("*"):
            if path.is_file():
                name = path.relative_to(self.fixtures)
                files[f"Tests/Releases/{self.version}/{name}"] = path.read_bytes()
        self.pack(f"daybook-{self.version}", files, lambda name: (
            0o755 if (project.ROOT / name).exists()
            and (project.ROOT / name).stat().st_mode & 0o100 else 0o644))

    def pack(self, name, files, mode):
        """Writes an archive; the same files give the same bytes."""
        moment = int(installing.output("git", "-C", project.ROOT, "log", "-1", "--format=%ct"))
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path, content in sorted(files.items()):
                entry = tarfile.TarInfo(f"{name}/{path}")
                entry.size, entry.mtime, entry.mode = len(content), moment, mode(path)
                archive.addfile(entry, io.BytesIO(content))
        (self.folder / f"{name}.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))

    def write_sums(self):
        """The checksums of what is given away."""
        given = [path for ending in ("*.deb", "*.whl", "*.tar.gz")
                 for path in sorted(self.folder.glob(ending))]
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
                 for path in given]
        (self.folder / "SHA256SUMS").write_text("".join(lines))
        print("".join(lines), end="")

    def make(self, names):
        """Runs steps in their order, those of an earlier call excepted."""
        commit, passed = (released.revision(), []) if self.is_dry else self.begun()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "steps").write_text("\n".join([commit, *passed]) + "\n")
        for name, step in self.steps.items():
            if name in passed or name not in names:
                continue
            print(f"== {name}", flush=True)
            start = time.monotonic()
            step()
            with open(self.folder / "steps", "a") as steps:
                steps.write(name + "\n")
            print(f"{name} took {time.monotonic() - start:.0f} s", flush=True)
        self.write_sums()


def main():
    parser = project.parser(__doc__)
    parser.add_argument("version")
    parser.add_argument("--minutes", type=project.whole_number, default=120)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("steps", nargs="*")
    options = parser.parse_intermixed_args()
    release = Release(options.version, options.minutes, options.dry_run)
    names = (options.steps or PACKAGING) if options.dry_run else list(release.steps)
    unknown = [name for name in names if name not in release.steps]
    if unknown or options.steps and not options.dry_run:
        parser.error(f"the steps of a dry run are: {', '.join(release.steps)}")
    faults = list(release.faults(goes_on=not options.check))
    print(*[f"release: {fault}" for fault in faults], sep="\n", file=sys.stderr)
    if options.check or faults and not options.dry_run:
        sys.exit(1 if faults else 0)
    release.make(names)
    if options.dry_run:
        left = [name for name in release.steps if name not in names]
        words = f"this is no release: {', '.join(left)} were not run"
        (release.folder / "NOT-A-RELEASE").write_text(words + "\n")
        print(words)
    else:
        print(f"commit {release.fixtures.relative_to(project.ROOT)}, and tag that commit "
              f"{release.version}; what is given away is in {release.folder}")


main()

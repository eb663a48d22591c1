"""Builds the releases and a second version, and crosses their stores and programs.

usage: tools/dev releases [--next-only | --check]

The versions are those of Tests/Releases, each at its commit, this tree, and the second version:
this tree with the edits of Tests/Releases/next.toml, which change what a later version may change.
Each program does with the files of each earlier version what that version did, at every door. With
the files of a later version it works, or refuses them by a number's name; then it has written
nothing, and accused nobody. A table has each answer; the status is 1 if one is wrong.

  --next-only  cross this tree and the second version alone
  --check      only look whether each edit still finds its place in the sources
"""
import hashlib, json, pathlib, re, shutil, subprocess, sys, tempfile, tomllib

import project, python_package, release_checks, release_fixture, released
from release_programs import Failed

WORK = project.BUILD / "crossing"
EDITS = project.TESTS / "Releases/next.toml"
# How a refusal names what is too new: "… 11 is newer than 10 …", "… this program knows …".
NAMED = re.compile(r"\bnewer\b|\bknows?\b|\bknown\b")
ACCUSED = re.compile(r"violation|divergence|differs from the log|altered|damaged")


# Versions

def build_at(folder):
    """Builds the programs in a work tree other than this one, and returns their folder."""
    targets = [["--target", name] for name in released.MODULES]
    for words in [*targets, *[["--product", name] for name in released.PRODUCTS]]:
        done = subprocess.run(["swift", "build", *words], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            errors = [line for line in done.stdout.splitlines() if "error:" in line]
            sys.exit("\n".join([f"{folder} does not build", *list(dict.fromkeys(errors))[:20]]))
    return folder / ".build/debug"


def released_programs(release):
    """The programs of a release, built at its commit."""
    folder, commit = WORK / "trees" / release.name, (release / "revision").read_text().strip()
    git = ["git", "-C", project.ROOT, "worktree"]
    subprocess.run([*git, "prune"], check=True)
    if not folder.exists():
        subprocess.run([*git, "add", "--quiet", "--detach", folder, commit], check=True)
    subprocess.run(["git", "-C", folder, "checkout", "--quiet", "--detach", commit], check=True)
    return build_at(folder)


def edited():
    """The files of this tree with the edits that make the second version."""
    contents = project.sources()
    for edit in tomllib.loads(EDITS.read_text(encoding="utf-8"))["edit"]:
        text = contents.get(edit["file"], b"").decode()
        if "from" in edit and text.count(edit["from"]) != 1:
            sys.exit(f"{edit['name']}: its text occurs {text.count(edit['from'])} times in "
                     f"{edit['file']}")
        contents[edit["file"]] = (text.replace(edit["from"], edit["to"]) if "from" in edit
                                  else edit["to"]).encode()
    return contents


def next_programs():
    """The programs of the second version, built from a copy of this tree."""
    project.update_copy(WORK / "next", edited())
    return build_at(WORK / "next")


class Version:
    """A version: its programs, and files that they wrote."""

    def __init__(self, name, programs, fixture=None):
        self.name, self.programs = name, programs
        self.fixture = fixture or WORK / "files" / name
        if not fixture:
            print(f"making the files of {name}", flush=True)
            shutil.rmtree(self.fixture, ignore_errors=True)
            self.fixture.parent.mkdir(parents=True, exist_ok=True)
            release_checks.make(programs, self.fixture)


def versions(next_only):
    """All versions, the oldest first."""
    earlier = [] if next_only else released.releases()
    for release in earlier:
        print(f"building {release.name}", flush=True)
        yield Version(release.name, released_programs(release), release)
    print("building this tree and the second version", flush=True)
    yield Version("this tree", released.build())
    yield Version("the second version", next_programs())


# Files of a later version

def trials(scene):
    """The calls of an older program with a later version's files, by the names of doors."""
    at, daybook, replay = scene.at, "daybook", "daybook-replay"
    link = release_fixture.pay("dash", "0.3")
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "request.open",
                       "params": {"url": link}})
    secret = ["--yes", "--passphrase-file", "passphrase"]
    return {
        "command that reads": lambda: at.run(daybook, "balance"),
        "command that writes": lambda: at.run(daybook, "open", link),
        "JSON-RPC": lambda: at.run(daybook, "serve", "--stdio", given=call + "\n"),
        "C and Python": lambda: from_python(scene, link),
        "audit of a store": lambda: at.run(replay, "verify", "store"),
        "replay of a store": lambda: at.run(replay, "replay", "store"),
        "audit of an export": lambda: at.run(replay, "verify", "exports/whole.daybook"),
        "replay of lines": lambda: at.run(replay, "replay", "exports/whole.jsonl"),
        "import": lambda: at.run(daybook, "import", "exports/whole.daybook", store="own"),
        "segments": lambda: at.run(replay, "verify", "segments"),
        "report": lambda: at.run(replay, "report", "store", "--out", "../report.html"),
        "signing file": lambda: at.run(daybook, "sign", "signing/send.json", *secret, "--out",
                                       "../signed", store="signer"),
        "statement": lambda: at.run(replay, "verify", "exports/whole.daybook", "--statement",
                                    "statements/statement.json"),
        "audit's result": lambda: at.run(replay, "verify", "exports/whole.daybook", "--since",
                                         "audit/verify", "--auditor", "audit/auditor.pem"),
        "database": lambda: in_database(scene, link),
    }


def from_python(scene, link):
    """A call of the C library by the Python package."""
    with tempfile.TemporaryDirectory() as place:
        python_package.write(scene.programs / "daybook", pathlib.Path(place))
        script = ("import daybook, sys\nwith daybook.open('store') as wallets:\n"
                  "    wallets.request.open(sys.argv[1])\n")
        return subprocess.run(
            [sys.executable, "-B", "-c", script, link], cwd=scene.folder, capture_output=True,
            text=True, env=scene.at.environment(None) | {
                "PYTHONPATH": place,
                "DAYBOOK_LIBRARY": str(scene.programs / "libDaybookC.so")})


def in_database(scene, link):
    """A log in PostgreSQL, taken over and written to; reading it comes first."""
    with release_checks.database(scene) as log:
        for words in (["daybook-replay", "verify", log],
                      ["daybook", "store", "take-over", log],
                      ["daybook", "open", link, "--store", log]):
            done = scene.at.run(*words, store=None)
            if done.returncode:
                break
        return done


def contents(folder):
    """A digest of each file that is no lock and no cache."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).digest()
            for path in folder.rglob("*")
            if path.is_file() and not release_fixture.LEFT_OUT.search(
                str(path.relative_to(folder)))}


def answer_to_later(door, old, new):
    """The answer of an older version at a door to a later one's files; whether it is right."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, "files")
        folder.mkdir()
        scene = release_checks.Scene(new.fixture, old.programs, folder, migrates=False)
        for store in ("own", "signer"):
            scene.at.call("daybook", "init", store=store)
        scene.at.call("daybook", "wallet", "add", "--chain", "icon", "--key-file", "key",
                      "--passphrase-file", "passphrase", store="signer")
        before = contents(folder)
        done = trials(scene)[door]()
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or [""]
        if done.returncode == 0 and '"error"' not in done.stdout:
            try:
                release_checks.Scene.is_clean(
                    release_checks.Scene(new.fixture, new.programs, folder, is_there=True),
                    "store")
            except Failed as failure:
                return f"works, and then: {failure}", False
            return "works", True
        said = said[0] if done.returncode else done.stdout.strip()
        if contents(folder) != before:
            return f"refuses, and has written: {said}", False
        return said, bool(NAMED.search(said)) and not ACCUSED.search(said)


def rows(everything):
    """The table's rows: files, program, door, answer, whether it is right."""
    for place, writer in enumerate(everything):
        for later in everything[place:]:
            for name in release_checks.CHECKS:
                found = release_checks.run(writer.fixture, later.programs, name)
                yield writer.name, later.name, name, found or "as before", not found
        for earlier in everything[:place]:
            with tempfile.TemporaryDirectory() as folder:
                scene = release_checks.Scene(
                    writer.fixture, earlier.programs, pathlib.Path(folder), migrates=False)
                doors = list(trials(scene))
            for door in doors:
                yield writer.name, earlier.name, door, *answer_to_later(door, earlier, writer)


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--next-only", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        edited()
        return
    project.set_up("test")
    WORK.mkdir(parents=True, exist_ok=True)
    everything = list(versions(options.next_only))
    print("| files of | program of | door | answer |\n|---|---|---|---|")
    wrong = 0
    for *words, answer, is_right in rows(everything):
        wrong += not is_right
        mark = "" if is_right else "**wrong**: "
        print(f"| {' | '.join(words)} | {mark}{answer.replace('|', '/')} |", flush=True)
    if wrong:
        sys.exit(f"{wrong} answers are wrong")


main()

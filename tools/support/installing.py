"""The files of an installed Daybook; installs it below a prefix, and removes it again."""
import hashlib, json, os, pathlib, subprocess, sys

import project

PROGRAMS = ("daybook", "daybook-replay")
# The paths of what an installation wrote, with the digests, and the folders that it made.
RECORD = "share/daybook/installed.json"


def build():
    """Builds the programs with Swift's libraries inside, and returns their folder.

    Symbols are left out; C libraries stay shared, so that the system's updates reach them.
    """
    return project.build_products("install-build.log", "release", PROGRAMS, "-Xlinker", "-s")


def output(*words):
    """The output of a program, as bytes."""
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE).stdout


def completions(program, name):
    """A program's scripts for shells, by the paths where these look for them."""
    places = {"bash": f"share/bash-completion/completions/{name}",
              "zsh": f"share/zsh/site-functions/_{name}",
              "fish": f"share/fish/vendor_completions.d/{name}.fish"}
    return {path: output(program, "completion", shell) for shell, path in places.items()}


def c_library(prefix):
    """The C library's files, where the verb that builds it exists."""
    if not (project.ROOT / "tools/verbs/build-c.py").exists():
        return {}
    folder = project.BUILD / "c"
    subprocess.run([project.ROOT / "tools/dev", "build-c", folder], check=True, stdout=sys.stderr)
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.name.startswith("libdaybook.") and path.is_file():
            files[f"lib/{path.name}"] = path.resolve().read_bytes()
        elif path.name == "daybook.h":
            files["include/daybook.h"] = path.read_bytes()
        elif path.name == "daybook.pc":
            lines = path.read_text().splitlines(keepends=True)
            text = "".join(f"prefix={prefix}\n" if line.startswith("prefix=") else line
                           for line in lines)
            files["lib/pkgconfig/daybook.pc"] = text.encode()
    return files


def contents(prefix, programs):
    """The bytes of each installed file, by its path below the prefix."""
    files = {}
    for name in PROGRAMS:
        files[f"bin/{name}"] = (programs / name).read_bytes()
        files[f"share/man/man1/{name}.1"] = output(programs / name, "man")
        files |= completions(programs / name, name)
    for name in ("LICENSE", "README.md", "CHANGELOG.md"):
        files[f"share/doc/daybook/{name}"] = (project.ROOT / name).read_bytes()
    units = output(programs / "daybook", "service", "units", "--json", "--program",
                   prefix / "bin/daybook")
    for unit in map(json.loads, units.splitlines()):
        files[f"share/systemd/user/{unit['unit']}"] = unit["text"].encode()
    return files | c_library(prefix)


def mode(path):
    """The permissions of an installed file."""
    return 0o755 if path.startswith("bin/") or path.startswith("lib/libdaybook.so") else 0o644


def write(root, files):
    """Writes files below a folder, each at once; returns the folders that it made."""
    made = []
    for path, content in files.items():
        target = root / path
        for folder in reversed(target.parents):
            if not folder.exists():
                folder.mkdir(mode=0o755)
                made.append(str(folder))
        # A program that is running can't be written, but can be replaced.
        fresh = target.with_name(target.name + ".new")
        fresh.write_bytes(content)
        fresh.chmod(mode(path))
        fresh.replace(target)
    return made


def digest(content):
    return hashlib.sha256(content).hexdigest()


def install(prefix):
    """Installs below a prefix, in the place of what an earlier installation wrote there."""
    before = read_record(prefix)
    files = contents(prefix, build())
    foreign = [path for path in files if path not in before["files"] and (prefix / path).exists()]
    if foreign:
        sys.exit(f"install: {prefix / foreign[0]} is there already, and was not installed by this")
    made = write(prefix, files)
    record = {"files": {path: digest(content) for path, content in files.items()},
              "folders": before["folders"] + made}
    made = write(prefix, {RECORD: b""})
    record["folders"] += made
    write(prefix, {RECORD: json.dumps(record, indent=1).encode() + b"\n"})
    # Files of an older version that this one does not have.
    delete(prefix, {path: before["files"][path] for path in before["files"] if path not in files})
    print(f"installed {len(files)} files below {prefix}")
    if str(prefix / "bin") not in os.environ.get("PATH", "").split(":"):
        print(f"note: {prefix}/bin is not in PATH")


def read_record(prefix):
    path = prefix / RECORD
    return json.loads(path.read_text()) if path.exists() else {"files": {}, "folders": []}


def delete(prefix, files):
    """Deletes installed files; one that was changed since stays, and is named."""
    for path, known in files.items():
        target = prefix / path
        if not target.exists():
            continue
        if digest(target.read_bytes()) == known:
            target.unlink()
        else:
            print(f"install: {target} was changed, and stays", file=sys.stderr)


def remove(prefix):
    """Deletes what was installed below a prefix, and the folders that are empty then."""
    if not (prefix / RECORD).exists():
        sys.exit(f"install: nothing is installed below {prefix}")
    record = read_record(prefix)
    delete(prefix, record["files"])
    (prefix / RECORD).unlink()
    for folder in sorted(record["folders"], key=len, reverse=True):
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)
    print(f"removed {len(record['files'])} files below {prefix}")


def main(arguments):
    places = [word for word in arguments if not word.startswith("-")]
    options = [word for word in arguments if word.startswith("-")]
    if len(places) > 1 or any(option != "--remove" for option in options):
        sys.exit("usage: tools/install [PREFIX] [--remove]")
    prefix = pathlib.Path(places[0] if places else "~/.local").expanduser().absolute()
    remove(prefix) if options else install(prefix)


if __name__ == "__main__":
    main(sys.argv[1:])

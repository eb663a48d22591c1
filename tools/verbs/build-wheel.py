"""Builds the Python package as a manylinux wheel that needs nothing else installed.

usage: tools/dev build-wheel [FOLDER]
       tools/dev build-wheel --short PROGRAMS [FOLDER]

The wheel comes to the folder, .build/wheel without one, for this machine's processor and all Linux
systems with a C library that is not older than this machine's. auditwheel, which is installed from
PyPI into .build/wheel-tools, copies the shared libraries into it and names the oldest system. The
licence of each stands in the wheel. It is tried in a new virtual environment, where the library may
load nothing of the system but its C and C++ libraries.

  --short PROGRAMS  with the C library and the program that are built there, in place of a release
"""
import base64, hashlib, os, pathlib, platform, re, shutil, subprocess, sys, tempfile
import tomllib, venv, zipfile

import project, python_package

SOURCES = project.ROOT / "Sources/Python"
TOOLS = project.BUILD / "wheel-tools/bin"
# Two builds of the same sources give the same bytes; a zip file knows no earlier time.
TIME = (1980, 1, 1, 0, 0, 0)
TRIAL = """
import ctypes, json, pathlib, re, sys, tempfile
def mapped():
    return set(re.findall(r"/\\S+\\.so[.0-9]*", pathlib.Path("/proc/self/maps").read_text()))
known = mapped()
import daybook
with tempfile.TemporaryDirectory() as folder:
    daybook.create(folder + "/store")
    with daybook.open(folder + "/store") as wallets:
        made = wallets.wallet.add("dash", new=True, passphrase="correct horse battery")
        wallets.sandbox.fund(made.wallet, "1.5")
        assert str(wallets.history.list(made.wallet)[0].amount) == "1.5"
        print("tried", daybook.__version__, "with the library", wallets.info().version)
print(json.dumps(sorted(mapped() - known)))
"""
# Libraries of every Linux with the wheel's tag.
OF_THE_SYSTEM = re.compile(
    r"/(ld-linux[-\w]*|lib(c|m|dl|rt|pthread|util|resolv|nss_\w+|stdc\+\+|gcc_s|z|anl))[-.]")


def metadata(project_table):
    """The wheel's METADATA."""
    lines = ["Metadata-Version: 2.1", f"Name: {project_table['name']}",
             f"Version: {project.version()}", f"Summary: {project_table['description']}",
             f"Requires-Python: {project_table['requires-python']}",
             "Description-Content-Type: text/markdown", "",
             (SOURCES / "README.md").read_text(encoding="utf-8")]
    return "\n".join(lines).encode()


def record_line(name, content):
    """A file's line in the wheel's RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def package_of(path):
    """The Debian package that a library belongs to; Swift's own have none."""
    for name in (path, os.path.realpath(path), path.removeprefix("/usr")):
        owner = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if owner.returncode == 0:
            return owner.stdout.split(":")[0]
    return "swift"


def licences(library):
    """The licences of the libraries that go into the wheel, by the names of their packages."""
    listed = subprocess.run(["ldd", library], check=True, capture_output=True, text=True).stdout
    needed = [path for path in re.findall(r"=> (/\S+)", listed) if not OF_THE_SYSTEM.search(path)]
    swift = pathlib.Path(shutil.which("swiftc")).resolve().parents[1] / "share/swift/LICENSE.txt"
    found = {"daybook": project.ROOT / "LICENSE", "swift": swift}
    for package in map(package_of, needed):
        found.setdefault(package, pathlib.Path(f"/usr/share/doc/{package}/copyright"))
    return {package: path.read_bytes() for package, path in found.items()}


def write_wheel(library, package, folder):
    """Writes the wheel (binary distribution format, PEP 427) without other libraries; its path."""
    table = tomllib.loads((SOURCES / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tag = f"py3-none-linux_{platform.machine()}"
    information = f"daybook-{project.version()}.dist-info"
    contents = {f"daybook/{path.name}": path.read_bytes()
                for path in sorted(package.iterdir()) if path.is_file()}
    contents["daybook/libdaybook.so"] = library.read_bytes()
    for name, text in sorted(licences(library).items()):
        contents[f"{information}/licenses/{name}.txt"] = text
    contents[f"{information}/METADATA"] = metadata(table)
    contents[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: tools/dev build-wheel\nRoot-Is-Purelib: false\n"
        f"Tag: {tag}\n").encode()
    lines = [record_line(name, content) for name, content in contents.items()]
    contents[f"{information}/RECORD"] = "\n".join(
        [*lines, f"{information}/RECORD,,", ""]).encode()
    wheel = folder / f"daybook-{project.version()}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def repair(wheel, folder):
    """Copies the libraries that the wheel needs into it, and gives it its tag; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "PATH": f"{TOOLS}:{os.environ['PATH']}", "SOURCE_DATE_EPOCH": "315532800"}
    done = subprocess.run(
        [TOOLS / "python", "-m", "auditwheel", "repair", "--wheel-dir", folder, wheel],
        env=environment, capture_output=True, text=True)
    made = re.search(r"Fixed-up wheel written to (\S+)", done.stdout + done.stderr)
    if done.returncode or not made:
        sys.exit(f"{done.stdout}{done.stderr}auditwheel could not make the wheel")
    with zipfile.ZipFile(made[1]) as archive:
        copied = [name for name in archive.namelist() if name.startswith("daybook.libs/lib")]
    if unlicensed := [name for name in copied if OF_THE_SYSTEM.search(name)]:
        sys.exit(f"no licence is in the wheel for {', '.join(unlicensed)}")
    return pathlib.Path(made[1])


def try_out(wheel):
    """Installs the wheel in a new environment, and pays into a wallet with it."""
    with tempfile.TemporaryDirectory() as scratch:
        venv.create(f"{scratch}/venv", with_pip=True)
        python = f"{scratch}/venv/bin/python"
        # No variable of this shell names a library or a package.
        environment = {"PATH": "/usr/bin:/bin", "TMPDIR": scratch}
        install = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel]
        if subprocess.run(install, env=environment).returncode:
            sys.exit("the wheel could not be installed")
        tried = subprocess.run([python, "-c", TRIAL], cwd=scratch, env=environment, text=True,
                               stdout=subprocess.PIPE)
        if tried.returncode:
            sys.exit("the wheel could not be used")
        said, _, loaded = tried.stdout.rstrip("\n").rpartition("\n")
        # Python's own modules lie in lib-dynload, and may take libraries of their own.
        foreign = [path for path in re.findall(r'"([^"]+)"', loaded)
                   if not re.search("/venv/|/lib-dynload/", path)
                   and not OF_THE_SYSTEM.search(path)]
        if foreign:
            sys.exit(f"the wheel takes from the system: {', '.join(foreign)}")
        print(said)


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--short", type=pathlib.Path)
    parser.add_argument("folder", nargs="?", default=project.BUILD / "wheel", type=pathlib.Path)
    options = parser.parse_args()
    if project.install_wheel_tools():
        sys.exit("build-wheel: auditwheel can't be installed here; see .build/wheel-tools.log")
    if options.short:
        program, library = options.short / "daybook", options.short / "libDaybookC.so"
    else:
        if subprocess.run([project.ROOT / "tools/dev", "build-c"]).returncode:
            sys.exit(1)
        program = project.build("daybook", configuration="release") / "daybook"
        library = project.BUILD / "c/lib/libdaybook.so"
    with tempfile.TemporaryDirectory() as scratch:
        package = python_package.write(program, pathlib.Path(scratch))
        plain = write_wheel(library, package, pathlib.Path(scratch))
        wheel = repair(plain, options.folder.absolute())
    try_out(wheel)
    print(f"the wheel is {wheel}")


main()

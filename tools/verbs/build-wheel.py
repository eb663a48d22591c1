"""Builds the Python package as a wheel with the C library inside.

usage: tools/dev build-wheel [FOLDER]

The wheel comes to the folder, .build/wheel without one, for Linux on this machine's processor. Its
methods are written from the table of methods. It is tried in a new virtual environment. The
system's liblmdb, libsecp256k1, libcrypto, libcurl and libpq, which the library takes, are not
inside.
"""
import base64, hashlib, os, pathlib, platform, subprocess, sys, tempfile
import tomllib, venv, zipfile

import project, python_package

SOURCES = project.ROOT / "Sources/Python"
# Two builds of the same sources give the same bytes; a zip file knows no earlier time.
TIME = (1980, 1, 1, 0, 0, 0)
TRIAL = """
import daybook, sys
daybook.create(sys.argv[1])
with daybook.open(sys.argv[1]) as wallets:
    print("tried", daybook.__version__, "with the library", wallets.info()["version"])
"""


def metadata(project_table):
    """The wheel's METADATA."""
    lines = ["Metadata-Version: 2.1", f"Name: {project_table['name']}",
             f"Version: {project_table['version']}", f"Summary: {project_table['description']}",
             f"Requires-Python: {project_table['requires-python']}",
             "Description-Content-Type: text/markdown", "",
             (SOURCES / "README.md").read_text(encoding="utf-8")]
    return "\n".join(lines).encode()


def record_line(name, content):
    """A file's line in the wheel's RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def write_wheel(library, package, folder):
    """Writes the wheel (binary distribution format, PEP 427); its path."""
    table = tomllib.loads((SOURCES / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tag = f"py3-none-linux_{platform.machine()}"
    information = f"daybook-{table['version']}.dist-info"
    contents = {f"daybook/{path.name}": path.read_bytes()
                for path in sorted(package.iterdir()) if path.is_file()}
    contents["daybook/libdaybook.so"] = library.read_bytes()
    contents[f"{information}/METADATA"] = metadata(table)
    contents[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: tools/dev build-wheel\nRoot-Is-Purelib: false\n"
        f"Tag: {tag}\n").encode()
    lines = [record_line(name, content) for name, content in contents.items()]
    contents[f"{information}/RECORD"] = "\n".join(
        [*lines, f"{information}/RECORD,,", ""]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"daybook-{table['version']}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def try_out(wheel):
    """Installs the wheel in a new environment, and opens a store with it."""
    with tempfile.TemporaryDirectory() as scratch:
        venv.create(f"{scratch}/venv", with_pip=True)
        python = f"{scratch}/venv/bin/python"
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("PYTHONPATH", "DAYBOOK_LIBRARY")}
        for words in ([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel],
                      [python, "-c", TRIAL, f"{scratch}/store"]):
            if subprocess.run(words, cwd=scratch, env=environment).returncode:
                sys.exit("the wheel could not be installed and used")


def main():
    parser = project.parser(__doc__)
    parser.add_argument("folder", nargs="?", default=project.BUILD / "wheel", type=pathlib.Path)
    folder = parser.parse_args().folder.absolute()
    if subprocess.run([project.ROOT / "tools/dev", "build-c"]).returncode:
        sys.exit(1)
    program = project.build("daybook", configuration="release") / "daybook"
    with tempfile.TemporaryDirectory() as scratch:
        package = python_package.write(program, pathlib.Path(scratch))
        wheel = write_wheel(project.BUILD / "c/lib/libdaybook.so", package, folder)
    try_out(wheel)
    print(f"the wheel is {wheel}")


main()

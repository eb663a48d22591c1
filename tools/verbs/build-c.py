"""Builds the C library: shared and static, with header and pkg-config file.

usage: tools/dev build-c [FOLDER]

The folder, .build/c without one, gets include/daybook.h, lib/libdaybook.so, lib/libdaybook.a and
lib/pkgconfig/daybook.pc. Swift's libraries are inside: programs that use the library need no Swift.
Both libraries are tried with the example in docs/examples.
"""
import json, os, pathlib, platform, re, shutil, subprocess, sys, tempfile

import project

SONAME = "libdaybook.so.0"
# The libraries that it takes from the system.
SYSTEM = ["lmdb", "secp256k1", "crypto", "curl", "pq"]
# The parts of Swift that are inside.
SWIFT = ["swiftCore", "swift_Concurrency", "swift_StringProcessing", "swift_RegexParser",
         "swiftSynchronization", "swiftDispatch", "swiftGlibc", "dispatch", "BlocksRuntime"]
PKG_CONFIG = """prefix=${{pcfiledir}}/../..
includedir=${{prefix}}/include
libdir=${{prefix}}/lib

Name: daybook
Description: An event-sourced wallet backend
Version: {version}
Cflags: -I${{includedir}}
Libs: -L${{libdir}} -ldaybook
Libs.private: {private}
"""


def run(*words, **options):
    """Runs a command that must succeed; its output."""
    words = [str(word) for word in words]
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}{pathlib.Path(words[0]).name} failed")
    return done.stdout


def link_shared(objects, folder):
    """Links the shared library, of which only the functions of the header are visible."""
    with tempfile.NamedTemporaryFile("w", suffix=".map") as script:
        script.write("{ global: daybook_*; local: *; };\n")
        script.flush()
        linker = [f"-soname={SONAME}", f"--version-script={script.name}", "-z", "text",
                  "-z", "defs", "--gc-sections", "-s"]
        run("swiftc", "-emit-library", "-static-stdlib", f"@{objects}", "-o", folder / SONAME,
            *[part for word in linker for part in ("-Xlinker", word)],
            *[f"-l{name}" for name in SYSTEM])
    link = folder / "libdaybook.so"
    link.unlink(missing_ok=True)
    link.symlink_to(SONAME)
    exported = re.findall(r" [A-Z] (\w+)$", run("nm", "-D", "--defined-only", link), re.M)
    if not exported or any(not name.startswith("daybook_") for name in exported):
        sys.exit(f"the library exports {', '.join(exported)}")
    if "TEXTREL" in run("readelf", "-d", link):
        sys.exit("the library has text relocations")


def link_static(objects, folder):
    """Makes the static library: one object of ours, of which only the functions of the header are
    visible, and Swift's libraries."""
    target = json.loads(run("swiftc", "-print-target-info"))
    swift = pathlib.Path(target["paths"]["runtimeResourcePath"]).with_name("swift_static") / "linux"
    with tempfile.TemporaryDirectory() as scratch:
        whole, ours = pathlib.Path(scratch, "whole.o"), pathlib.Path(scratch, "daybook.o")
        # Nothing refers to the object that registers the types with Swift's runtime.
        registering = swift / platform.machine() / "swiftrt.o"
        run("ld", "-r", "-o", whole, f"@{objects}", registering)
        run("objcopy", "--wildcard", "--keep-global-symbol=daybook_*", "--strip-debug", whole, ours)
        archive = folder / "libdaybook.a"
        archive.unlink(missing_ok=True)
        commands = [f"create {archive}", f"addmod {ours}",
                    *[f"addlib {swift}/lib{name}.a" for name in SWIFT], "save", "end"]
        run("ar", "-M", input="\n".join(commands) + "\n")


def try_out(folder):
    """Compiles the example with each library, and runs it where there is no store."""
    environment = os.environ | {"PKG_CONFIG_PATH": str(folder / "lib/pkgconfig")}
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("shared", "static"):
            flags = run("pkg-config", "--cflags", "--libs",
                        *["--static"] * (kind == "static"), "daybook", env=environment).split()
            if kind == "static":
                flags[flags.index("-ldaybook")] = "-l:libdaybook.a"
            program = pathlib.Path(scratch, kind)
            run("cc", project.ROOT / "docs/examples/approve.c", "-o", program, *flags,
                f"-Wl,-rpath,{folder}/lib")
            done = subprocess.run([program, f"{scratch}/none", "secret", "link"],
                                  capture_output=True, text=True)
            if "storeMissing" not in done.stderr:
                sys.exit(f"the example with the {kind} library ended with {done.returncode}: "
                         f"{done.stdout}{done.stderr}")


def main():
    parser = project.parser(__doc__)
    parser.add_argument("folder", nargs="?", default=project.BUILD / "c", type=pathlib.Path)
    folder = parser.parse_args().folder.absolute()
    products = project.build("DaybookC", configuration="release")
    objects = products / "DaybookC.product/Objects.LinkFileList"
    for name in ("include", "lib/pkgconfig"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(project.ROOT / "Sources/CDaybook/daybook.h", folder / "include")
    link_shared(objects, folder / "lib")
    link_static(objects, folder / "lib")
    private = [f"-l{name}" for name in [*SYSTEM, "stdc++", "m", "pthread", "dl"]]
    (folder / "lib/pkgconfig/daybook.pc").write_text(
        PKG_CONFIG.format(version=project.version(), private=" ".join(private)), encoding="utf-8")
    try_out(folder)
    print(f"the library is in {folder}")


main()

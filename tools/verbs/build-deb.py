"""Makes a Debian package that needs no Swift where it is installed.

usage: tools/dev build-deb [FOLDER] [--try]

The package comes to FOLDER, else to .build/deb. Its dependencies are read from the programs by
dpkg-shlibdeps. It has the programs with Swift's libraries inside, manual pages, completions, units
for systemd, and the C library if there is one.

  --try  also install it in a fresh Debian (debootstrap, root only), and pay once with it there
"""
import gzip, pathlib, re, shutil, subprocess, sys

import installing, project

MAINTAINER = "The Daybook developers <daybook@localhost>"
# Where Debian wants what is elsewhere below other prefixes.
PLACES = {"share/zsh/site-functions/": "share/zsh/vendor-completions/",
          "share/systemd/user/": "lib/systemd/user/"}
# The first commands of a user, in a system without Swift.
TRIAL = """
set -eu
if command -v swift; then exit 1; fi
apt-get update -q >/dev/null
apt-get install -qy --no-install-recommends /daybook.deb >/dev/null
daybook --version && daybook-replay --version
export DAYBOOK_HOME=/tmp/store
printf 'correct horse battery\\n' >/tmp/secret && chmod 600 /tmp/secret
daybook init
daybook wallet add --chain dash --new --json --label mine --passphrase-file /tmp/secret >/dev/null
daybook sandbox fund mine 10 && daybook sandbox mine 6
daybook open "dash:$(daybook wallet address mine)?amount=1" --json >/tmp/request
id=$(sed 's/.*"request":\\([0-9]*\\).*/\\1/' /tmp/request)
daybook approve "$id" --passphrase-file /tmp/secret
daybook-replay replay "$DAYBOOK_HOME"
apt-get remove -qy daybook >/dev/null
test ! -e /usr/bin/daybook
"""


def architecture():
    return installing.output("dpkg", "--print-architecture").decode().strip()


def stage(root):
    """Writes the package's files below a folder."""
    files = {}
    for path, content in installing.contents(pathlib.Path("/usr"), installing.build()).items():
        for usual, debian in PLACES.items():
            path = path.replace(usual, debian) if path.startswith(usual) else path
        if path.startswith("share/man/"):
            # Without a time, so that the same sources make the same package.
            path, content = path + ".gz", gzip.compress(content, mtime=0)
        if path.endswith("/LICENSE"):
            path = path.replace("LICENSE", "copyright")
        files[path] = content
    installing.write(root / "usr", files)


def dependencies(root, folder):
    """The packages that the programs' shared libraries come from, with the versions they need."""
    # dpkg-shlibdeps wants to be called beside a source package's description.
    (folder / "debian").mkdir(exist_ok=True)
    description = "Source: daybook\n\nPackage: daybook\nArchitecture: any\n"
    (folder / "debian/control").write_text(description)
    programs = [path for path in root.rglob("*") if path.is_file()
                and path.read_bytes()[:4] == b"\x7fELF"]
    found = subprocess.run(["dpkg-shlibdeps", "--warnings=0", "-O", *programs], cwd=folder,
                           check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.search(r"shlibs:Depends=(.*)", found)[1]


def control(root, depends):
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
    return f"""Package: daybook
Version: {project.version()}
Architecture: {architecture()}
Maintainer: {MAINTAINER}
Section: utils
Priority: optional
Installed-Size: {size}
Depends: {depends}
Recommends: libnotify-bin, xdg-utils
Description: wallet backend that records everything it does
 Daybook receives payment requests of other apps as URLs (Dash, Axe, ICON),
 records them, lets a person decide, signs and sends. Every step is an event
 in a log, which daybook-replay decides again without keys or network.
"""


def make(folder):
    """Builds the package, and returns its path."""
    root = folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    stage(root)
    # By this folder dpkg-shlibdeps knows a package's tree.
    (root / "DEBIAN").mkdir()
    depends = dependencies(root, folder)
    (root / "DEBIAN/control").write_text(control(root, depends))
    package = folder / f"daybook_{project.version()}_{architecture()}.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", root, package], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.rmtree(root)
    shutil.rmtree(folder / "debian")
    return package


def origin():
    """The suite of this machine's Debian, and where its packages come from."""
    release = pathlib.Path("/etc/os-release").read_text()
    suite = re.search(r"^VERSION_CODENAME=(\w+)", release, re.MULTILINE)[1]
    lines = installing.output("apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)",
                              "Created-By: Packages").decode().splitlines()
    return suite, dict(line.split(" ", 1) for line in reversed(lines))[suite]


def try_out(package, folder):
    """Installs the package in a fresh system and pays with it; ends where that fails."""
    system = folder / "system"
    shutil.rmtree(system, ignore_errors=True)
    suite, mirror = origin()
    subprocess.run(["debootstrap", "--variant=minbase", suite, system, mirror], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.copy(package, system / "daybook.deb")
    # The programs read /proc, and apt wants a terminal; the mounts end with this process.
    inside = ('mount -t proc proc "$0/proc" && mount -t devpts devpts "$0/dev/pts"'
              ' && exec chroot "$0" /bin/sh -c "$1"')
    done = subprocess.run(["unshare", "--mount", "sh", "-c", inside, system, TRIAL])
    shutil.rmtree(system, ignore_errors=True)
    if done.returncode:
        sys.exit("the package does not work in a fresh system")
    print("installed, used and removed in a fresh system without Swift")


def main():
    parser = project.parser(__doc__)
    parser.add_argument("folder", nargs="?", default=project.BUILD / "deb", type=pathlib.Path)
    parser.add_argument("--try", action="store_true", dest="tries")
    arguments = parser.parse_args()
    project.set_up("deb")
    package = make(arguments.folder.absolute())
    print(package)
    if arguments.tries:
        try_out(package, arguments.folder.absolute())


main()

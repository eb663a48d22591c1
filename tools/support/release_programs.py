"""Calls the programs of a version on the stores of a folder, by a clock that may be behind."""
import contextlib, json, os, pathlib, signal, subprocess, tempfile

# A process sees an earlier time, so that requests of years ago still wait for their user.
CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    const long done = syscall(SYS_clock_gettime, clock, now);
    const char *behind = getenv("CLOCK_BEHIND");
    if (!done && clock == CLOCK_REALTIME && behind) now->tv_sec -= atol(behind);
    return (int)done;
}
"""


class Failed(Exception):
    """A program ended otherwise than it should."""


class Programs:
    """The programs `daybook` and `daybook-replay` of one version.

    They work in a folder whose stores are `store`, `watching` and, of a log in a database,
    `machine`; names of files in their answers are relative to it."""

    def __init__(self, programs, folder, behind=0):
        self.programs, self.folder = pathlib.Path(programs).absolute(), pathlib.Path(folder)
        self.variables = {"XDG_DATA_HOME": str(self.folder.absolute() / "machine"), "LC_ALL": "C"}
        if behind:
            self.scratch = tempfile.TemporaryDirectory()
            library = f"{self.scratch.name}/clock.so"
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", library, "-"], check=True,
                           input=CLOCK.encode())
            self.variables |= {"LD_PRELOAD": library, "CLOCK_BEHIND": str(int(behind))}

    def environment(self, store):
        """The variables of a program that works on a store; on none for a log in a database."""
        variables = os.environ | self.variables
        variables.pop("DAYBOOK_HOME", None)
        return variables | ({"DAYBOOK_HOME": store} if store else {})

    def run(self, *words, store="store", given=None):
        """Runs a program, and waits for its end."""
        words = [str(word) for word in words]
        return subprocess.run(
            [str(self.programs / words[0]), *words[1:]], cwd=self.folder, capture_output=True,
            text=True, env=self.environment(store),
            **({"stdin": subprocess.DEVNULL} if given is None else {"input": given}))

    def call(self, *words, store="store", status=0, given=None):
        """Runs a program that must end with a status; its output."""
        done = self.run(*words, store=store, given=given)
        if done.returncode != status:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise Failed(f"{' '.join(map(str, words))} ended with {done.returncode}: "
                         f"{said[0] if said else 'nothing was said'}")
        return done.stdout

    def json(self, *words, **options):
        """The objects that a program prints, one a line."""
        return [json.loads(line)
                for line in self.call(*words, "--json", **options).splitlines()]

    def daybook(self, *words, **options):
        """The only object that a command of `daybook` prints."""
        lines = self.json("daybook", *words, **options)
        if len(lines) != 1:
            raise Failed(f"{' '.join(map(str, words))} printed {len(lines)} objects")
        return lines[0]

    def open(self, link, **options):
        """Opens a link, and returns the number of its request."""
        return self.daybook("open", link, **options)["request"]

    def approve(self, request, *words, **options):
        """Approves a request with the passphrase."""
        return self.daybook("approve", request, "--yes", "--passphrase-file", "passphrase",
                            *words, **options)

    @contextlib.contextmanager
    def serving(self, *words):
        """A program that serves until the block ends; gives the object of its first line."""
        with subprocess.Popen(
                [str(self.programs / "daybook"), *map(str, words), "--json"], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                env=self.environment("store")) as server:
            try:
                yield json.loads(server.stdout.readline())
            finally:
                server.send_signal(signal.SIGTERM)

"""The commands under test, the store that they work on, and readers of their results."""

import json, os, pathlib, re, subprocess, tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
WORDS = "abandon " * 11 + "about"
KEY = "0" * 63 + "1"
PAYEE = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
PASSPHRASE = "--passphrase-file={}/passphrase"

LIMIT_SECONDS = 60


class Finding(Exception):
    """A case in which something is wrong."""


class Programs:
    """The programs under test, run in a scene's folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.tracer = self.folder / "fault-tracer"

    def run(self, scene, words, prefix=(), program="daybook"):
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(scene), "TMPDIR": str(scene / "tmp"),
            "DAYBOOK_HOME": str(scene / "store"), "SWIFT_BACKTRACE": "enable=no"}
        command = [*map(str, prefix), str(self.folder / program),
                   *(word.format(scene) for word in words)]
        return subprocess.run(command, env=environment, cwd=scene, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace",
                              timeout=LIMIT_SECONDS)

    def done(self, scene, *words, program="daybook"):
        answer = self.run(scene, words, program=program)
        if answer.returncode != 0:
            raise Finding(f"`{' '.join(words)}` failed: {answer.stderr.strip()[-300:]}")
        return answer.stdout


class Workload:
    """A command, the folder that it works on, and how it says that its work was done before."""

    def __init__(self, name, words, home="store", repeated=(), program="daybook", makes=None,
                 says=""):
        self.name, self.home, self.program = name, home, program
        # The output of the same command after everything was done.
        self.says = says
        # A file whose bytes depend on the store alone.
        self.makes = makes
        # The commands whose status 1 is an answer about the store, not a failure.
        self.answers = name in ("verify", "doctor", "replay-verify")
        self.words = ["--home={}/" + home, *words] if program == "daybook" else words
        # The error codes that say that the command was done before.
        self.repeated = set(repeated)

    def command(self):
        # The options of every command come after its name.
        return self.words[1:] + self.words[:1] if self.program == "daybook" else self.words


def workloads():
    def pay(number):
        return ["approve", str(number), "--yes", PASSPHRASE]
    return [
        Workload("init", ["init"], "none", ["storeExists"]),
        Workload("wallet-words", ["wallet", "add", "--chain=axe", "--mnemonic-file={}/words",
                                  "--label=new", PASSPHRASE], repeated=["walletExists"]),
        Workload("wallet-key", ["wallet", "add", "--chain=icon", "--key-file={}/key2",
                                PASSPHRASE], repeated=["walletExists"]),
        Workload("open", ["open", f"dashwallet://pay={PAYEE}&amount=0.3&sender=other", "--json"]),
        Workload("approve-payment", pay("PAYMENT"), repeated=["alreadyDecided"]),
        Workload("approve-address", pay("ADDRESS"), repeated=["alreadyDecided"]),
        Workload("reject", ["reject", "PAYMENT"], repeated=["alreadyDecided"]),
        Workload("sync", ["sync"]),
        Workload("sandbox-fund", ["sandbox", "fund", "dash", "1"]),
        Workload("checkpoint", ["checkpoint"]),
        Workload("export", ["export", "{}/out/log.daybook"], repeated=["fileExists"],
                 makes="out/log.daybook"),
        Workload("export-lines", ["export", "{}/out/log.jsonl", "--force"],
                 makes="out/log.jsonl"),
        Workload("export-table", ["export", "{}/out/log.csv"], repeated=["fileExists"],
                 makes="out/log.csv"),
        Workload("export-journal", ["export", "{}/out/log.journal", "--force"],
                 makes="out/log.journal"),
        Workload("import", ["import", "{}/made.daybook"], "empty"),
        Workload("import-lines", ["import", "{}/made.jsonl"], "empty"),
        Workload("backup", ["backup", "{}/out/copy"], repeated=["backupExists"]),
        Workload("node-set", ["node", "set", "dash", "testnet", "http://127.0.0.1:9",
                              "--user=u", "--password-file={}/passphrase"]),
        # There are so many new events that the derived tables are updated.
        Workload("derive", ["open", f"dashwallet://pay={PAYEE}&amount=0.3&sender=other", "--json"],
                 "old/store"),
        Workload("verify", ["verify"]),
        Workload("doctor", ["doctor"]),
        Workload("log", ["log"]),
        Workload("balance", ["balance"]),
        Workload("replay", ["replay", "{}/store"], program="daybook-replay"),
        Workload("replay-verify", ["verify", "{}/store"], program="daybook-replay"),
        Workload("report", ["report", "{}/store", "--out={}/out/page.html"],
                 program="daybook-replay", makes="out/page.html"),
    ]


def make_scene(programs, scene):
    """Makes what the commands work on: wallets with coins, requests, exports, an empty store."""
    for name in ("tmp", "out"):
        (scene / name).mkdir(parents=True)
    for name, text in {"passphrase": "a passphrase\n", "words": WORDS, "key": KEY,
                       "key2": KEY[:-1] + "2"}.items():
        (scene / name).write_text(text)
        (scene / name).chmod(0o600)
    done = lambda *words: programs.done(scene, *words)
    done("init")
    done("init", "--home={}/empty")
    # Requests must not expire while cases are tried.
    settings = scene / "store/settings.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"expirySeconds": 86400}))
    done("wallet", "add", "--chain=dash", "--mnemonic-file={}/words", "--label=dash", PASSPHRASE)
    done("wallet", "add", "--chain=icon", "--key-file={}/key", "--label=icon", PASSPHRASE)
    done("sandbox", "fund", "dash", "10")
    done("sandbox", "mine", "6")
    numbers = {}
    for name, url in {"PAYMENT": f"dashwallet://pay={PAYEE}&amount=0.5&sender=shop",
                      "ADDRESS": "dashwallet://request=address&sender=shop"}.items():
        numbers[name] = str(json.loads(done("open", url, "--json"))["request"])
    done("checkpoint")
    subprocess.run([programs.folder / "CrashDriver", "prepare", "derive", scene / "old"],
                   check=True)
    for form in ("daybook", "jsonl"):
        done("export", "{}/made." + form)
    return numbers


def events(programs, scene, home):
    """The log's lines; none where there is no store."""
    answer = programs.run(scene, ["log", "--json", "--home={}/" + home])
    if answer.returncode != 0:
        if "(storeMissing)" in answer.stderr or "(storeHalfCreated)" in answer.stderr:
            return None
        raise Finding(f"the log can't be read: {answer.stderr.strip()[-300:]}")
    return answer.stdout.splitlines()


def types(lines):
    return None if lines is None else [json.loads(line)["type"] for line in lines]


# Lock files: the first process makes them, and their content means nothing once none runs.
LOCKS = {"lock.mdb", "sending.lock", "keys.lock"}


def files(scene):
    """The paths in the scene, with random parts of names replaced."""
    found = (str(path.relative_to(scene)) for path in scene.rglob("*") if path.name not in LOCKS)
    return sorted(re.sub(r"[0-9a-f]{16,}", "*", name) for name in found)


def contents(scene):
    """The contents of all files but the locks, by path."""
    return {path.relative_to(scene): path.read_bytes() if path.is_file() else None
            for path in scene.rglob("*") if path.name not in LOCKS}


def is_about(met, what):
    return any(re.search(rf"^\d+ {what} can ", line) for line in met)


def code(answer):
    lines = answer.stderr.strip().splitlines()
    found = lines and re.fullmatch(r"daybook(?:-replay)?: .+: .+ \((\w+)\)", lines[-1])
    return found[1] if found else None


def known_codes():
    """The codes of errors that the sources name."""
    folders = [REPOSITORY / name for name in ("Sources", "tools/daybook", "tools/daybook-replay")]
    texts = [path.read_text() for folder in folders for path in folder.rglob("*.swift")]
    call = r'(?:Self|CommandFailure|DaybookError)\(\s*"(\w+)"'
    return set(re.findall(call, "\n".join(texts)))


def scratch(prefix):
    """A temporary folder, in memory where possible: these tests do not depend on syncs."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir=place))

"""Checks of every later version with the fixture of a release.

usage: release_checks.py FIXTURE PROGRAMS CHECK

Runs a check with the programs in a folder; prints why it fails. Each works on a copy of its own,
by a clock that goes on where the fixture was made."""
import contextlib, json, pathlib, subprocess, sys, tempfile, time

import databases, python_package, release_fixture
from release_programs import Failed, Programs

# Sentences, which a later version may say better, and what belongs to a machine.
SENTENCES = {"advice", "headline", "help", "home", "nodeReason", "problem", "reason", "standing",
             "summary", "text", "unknown", "warnings"}


class Scene:
    """A copy of a fixture with a version's programs."""

    def __init__(self, fixture, programs, folder, is_today=False, is_there=False, migrates=True):
        facts = json.loads((fixture / "facts.json").read_text())
        self.fixture, self.folder, self.requests = fixture, folder, facts["requests"]
        if not is_there:
            release_fixture.unpack(fixture, folder)
        behind = 0 if is_today else time.time() - facts["made"] - 1
        self.programs = pathlib.Path(programs).absolute()
        self.at = Programs(self.programs, folder, behind)
        if migrates:
            for store in ("store", "watching"):
                self.at.call("daybook", "migrate", store=store)

    def expect(self, holds, *words):
        """Ends the check where something does not hold."""
        if not holds:
            raise Failed(" ".join(map(str, words)))

    def statuses(self, **options):
        """The statuses of all requests by their numbers."""
        listed = self.at.json("daybook", "requests", "--limit", "100", **options)
        return {each["request"]: each["status"] for each in listed if "request" in each}

    def is_clean(self, source):
        """Looks whether a log verifies, and replays without a divergence; its root."""
        verified, = self.at.json("daybook-replay", "verify", source)
        self.expect(not verified["violations"], source, "has", verified["violations"])
        replayed, = self.at.json("daybook-replay", "replay", source)
        self.expect(not replayed["divergences"], source, "has", replayed["divergences"])
        return verified["root"]


# Calls that read

def questions(requests):
    """Calls that only read, by names."""
    replay, shown = "daybook-replay", ("completed", "failed", "cancelled", "token", "pending")
    return {
        "wallets": ["daybook", "wallet", "list"], "balances": ["daybook", "balance"],
        "requests": ["daybook", "requests", "--limit", "100"], "pending": ["daybook", "pending"],
        **{f"show {name}": ["daybook", "show", requests[name]] for name in shown},
        **{f"history {wallet}": ["daybook", "history", f"my-{wallet}"]
           for wallet in ("dash", "axe", "icon")},
        "prompt": ["daybook", "prompt", requests["pending"]],
        "coins": ["daybook", "coin", "list", "my-axe"], "labels": ["daybook", "label"],
        "prices": ["daybook", "price", "list"], "bindings": ["daybook", "bindings"],
        "callbacks": ["daybook", "callbacks"], "witnesses": ["daybook", "witness", "list"],
        "settings": ["daybook", "settings"], "log": ["daybook", "log"],
        "replay": [replay, "replay", "store"],
        "verify": [replay, "verify", "store", "--witness", "witness", "--tsa-certificates",
                   "authority.pem", "--checkpoint", "checkpoint"],
        "state": [replay, "state", "store", "--at", requests["bumped"]],
        "what if": [replay, "what-if", "store", "--decide", f"{requests['completed']}=reject"],
        "same": [replay, "diff", "store", "exports/whole.jsonl"],
        "part": [replay, "verify", "exports/part.daybook"],
        "one request": [replay, "verify", "exports/request.jsonl"],
        "segments": [replay, "replay", "segments"],
    }


def orders(requests):
    """Calls that write, or whose answers differ each time: of these only the form counts."""
    secret = ["--yes", "--passphrase-file", "passphrase"]
    return {
        "open": ["daybook", "open", release_fixture.pay("dash", "0.01")],
        "approve": ["daybook", "approve", requests["pending"], *secret],
        "reject": ["daybook", "reject", requests["pending-icon"]],
        "sync": ["daybook", "sync"], "fund": ["daybook", "sandbox", "fund", "my-axe", "1"],
        "mine": ["daybook", "sandbox", "mine"], "checkpoint": ["daybook", "checkpoint"],
        "prove": ["daybook", "prove", requests["completed"]],
        "gains": ["daybook", "gains", "--year", "2026", "--currency", "EUR"],
        "statement": ["daybook", "statement", "--from", "2026-01-01", "--to", "2027-01-01"],
        "verify store": ["daybook", "verify"], "backup": ["daybook", "backup", "copy"],
        "export": ["daybook", "export", "new.jsonl"], "migrate": ["daybook", "migrate"],
        "archive": ["daybook", "archive", "--to", "new-segments"],
        "init": ["daybook", "init", "--home", "new"],
        "import": ["daybook", "import", "new.jsonl", "--home", "new"],
        "sign": ["daybook", "sign", "signing/pay.psbt", *secret, "--out", "signed"],
        "add": ["daybook", "wallet", "add", "--chain", "dash", "--new", "--home", "new",
                "--passphrase-file", "passphrase"],
        "address": ["daybook", "wallet", "address", "my-dash"],
        "refusal": ["daybook", "open", "dashwallet://pay=x&amount=1&sender=shop"],
        "error": ["daybook", "show", "9999"],
        "report": ["daybook-replay", "report", "store", "--out", "report.html"],
    }


def answers(at, requests):
    """The answers of programs to the questions, and then to the orders."""
    given = {}
    for name, words in [*questions(requests).items(), *orders(requests).items()]:
        done = at.run(*words, "--json")
        # The name of a temporary folder says nothing.
        said = done.stdout.replace(str(at.folder.absolute()), "folder")
        given[name] = {"status": done.returncode,
                       "objects": [json.loads(line) for line in said.splitlines()]}
    return given


def differences(recorded, today, place, only_form=False):
    """Where an answer lacks something that the release's had, or says something else."""
    if isinstance(recorded, dict) and isinstance(today, dict):
        for name, value in recorded.items():
            if name not in today:
                yield f"{place}: the member {name} is missing"
            else:
                # A newer engine shows a request that waits in its own words.
                is_said = name in SENTENCES or name == "digest" and place.endswith("prompt")
                yield from differences(value, today[name], f"{place}.{name}",
                                       only_form or is_said)
    elif isinstance(recorded, list) and isinstance(today, list):
        if len(recorded) != len(today) and not only_form:
            yield f"{place}: {len(today)} in place of {len(recorded)}"
        for index, pair in enumerate(zip(recorded, today)):
            yield from differences(*pair, f"{place}[{index}]", only_form)
    elif type(recorded) is not type(today) or not only_form and recorded != today:
        yield f"{place}: {json.dumps(today)[:80]} in place of {json.dumps(recorded)[:80]}"


def reads(scene):
    """Every answer has what the release's own had."""
    recorded = json.loads((scene.fixture / "answers.json").read_text())
    given, formal = answers(scene.at, scene.requests), orders(scene.requests)
    found = [line for name, answer in recorded.items()
             for line in differences(answer["objects"], given[name]["objects"], name,
                                     name in formal)]
    found += [f"{name} ended with {given[name]['status']}" for name, answer in recorded.items()
              if given[name]["status"] != answer["status"]]
    scene.expect(not found, "; ".join(found[:5]), f"({len(found)} in all)")


# Calls that write

def pays(scene):
    """Pending requests and payments go on, and each wallet pays."""
    at, requests = scene.at, scene.requests
    for name in ("pending", "pending-icon"):
        answer = at.approve(requests[name])
        scene.expect(answer["status"] == "completed", name, answer)
    at.call("daybook", "sandbox", "fault", "dash", "none")
    at.call("daybook", "sync")
    at.call("daybook", "sandbox", "mine", "6")
    statuses = scene.statuses()
    late = {name: statuses[requests[name]] for name in ("sent", "signed", "pending")}
    scene.expect(set(late.values()) == {"completed"}, late)
    icx = {"from": release_fixture.ADDRESS, "to": release_fixture.PAYEES["icon"], "value": "0x1"}
    for link in (release_fixture.pay("dash", "0.3"), release_fixture.pay("axe", "0.3"),
                 release_fixture.connect(11, "sendICX", **icx)):
        answer = at.approve(at.open(link))
        scene.expect(answer["status"] == "completed", link, answer)
    at.call("daybook", "checkpoint")
    scene.expect(at.daybook("verify")["ok"], "the store does not verify")
    scene.is_clean("store")
    at.call("daybook", "backup", "copy")
    scene.is_clean("copy")


def opens_today(scene):
    """By today's clock what waited too long has expired, and wallets pay."""
    at = scene.at
    at.call("daybook", "sync", "--accept-clock")
    request = at.open(release_fixture.pay("dash", "0.3"))
    scene.expect(at.approve(request)["status"] == "completed", "request", request)
    scene.is_clean("store")


def imports(scene):
    """Exports and segments become the same log, at once or in steps."""
    at = scene.at
    root = scene.is_clean("store")
    for files in (["exports/whole.daybook"], ["exports/whole.jsonl"], ["segments"],
                  ["exports/first.daybook", "exports/whole.daybook"]):
        name = files[0].replace("/", "-") + "-imported"
        at.call("daybook", "init", store=name)
        for file in files:
            at.call("daybook", "import", file, store=name)
        imported = scene.is_clean(name)
        scene.expect(imported == root or files != ["segments"], "segments have another root")
        at.call("daybook", "open", "dashwallet://request=address&sender=books", store=name)
        scene.is_clean(name)
    at.call("daybook", "archive", "--to", "segments", "--events", "50")
    scene.is_clean("segments")


def signs(scene):
    """Signing files of the release are signed, and its signatures are taken."""
    at = scene.at
    for name in ("pay.psbt", "send.json"):
        secret = ["--yes", "--passphrase-file", "passphrase"]
        at.call("daybook", "sign", f"signing/{name}", *secret, "--out", f"again-{name}")
        at.call("daybook", "bindings", store="watching")
    # One by the signature of the release, the other by today's.
    for name, file in (("pay.psbt", "signing/pay.psbt.signed"), ("send.json", "again-send.json")):
        answer = at.daybook("approve", scene.requests[name], "--yes", "--signed", file,
                            store="watching")
        scene.expect(answer["status"] == "completed", name, answer)
    scene.is_clean("watching")


def audits(scene):
    """An audit goes on from the release's result, or by a newer engine refuses that by name and
    begins anew; the release's statements agree with the log."""
    at, auditor = scene.at, ["--auditor", "audit/auditor.pem"]
    at.call("daybook", "open", "dashwallet://request=address&sender=books")
    engine = [event["data"]["engine"] for event in at.json("daybook", "log")
              if event["type"] == "session.started"][-1]
    for what in ("verify", "replay"):
        words = ["daybook-replay", what, "store", "--since", f"audit/{what}", *auditor]
        if f"\nengine {engine}\n" in (scene.folder / "audit" / what).read_text():
            answer, = at.json(*words)
            scene.expect(answer["since"]["events"] > 100, what, "began anew:", answer["since"])
        else:
            scene.expect("(resultOtherRules)" in at.run(*words).stderr, what, "took the result")
            at.call("daybook-replay", what, "store")
    for form in ("html", "json"):
        at.call("daybook-replay", "verify", "store", "--statement", f"statements/statement.{form}")


def reports(scene):
    """A report and books are written."""
    at = scene.at
    at.call("daybook-replay", "report", "store", "--out", "report.html", "--witness", "witness",
            "--tsa-certificates", "authority.pem")
    page = (scene.folder / "report.html").read_text()
    scene.expect("two coffees" in page, "the report lacks a label")
    for ending in ("csv", "journal", "ledger", "bean"):
        at.call("daybook", "export", f"books.{ending}")
    at.call("daybook", "prove", scene.requests["completed"])
    at.call("daybook", "gains", "--year", time.strftime("%Y"), "--currency", "EUR")


def serves(scene):
    """Front ends are answered by JSON-RPC and by the C library, through Python."""
    at, requests = scene.at, scene.requests
    call = {"jsonrpc": "2.0", "id": 1, "method": "request.show",
            "params": {"request": requests["completed"]}}
    said = json.loads(at.call("daybook", "serve", "--stdio",
                              given=json.dumps(call) + "\n").splitlines()[0])
    scene.expect(said.get("result", {}).get("status") == "completed", "JSON-RPC:", said)
    with tempfile.TemporaryDirectory() as place:
        python_package.write(at.programs / "daybook", pathlib.Path(place))
        script = (
            "import daybook, sys\n"
            "with daybook.open('store') as wallets:\n"
            "    number = int(sys.argv[1])\n"
            "    digest = wallets.request.prompt(number).prompt.digest\n"
            "    print(wallets.request.approve(number, digest, passphrase=sys.argv[2]).status)\n")
        done = subprocess.run(
            [sys.executable, "-B", "-c", script, str(requests["pending"]),
             release_fixture.PASSPHRASE], cwd=scene.folder, capture_output=True, text=True,
            env=at.environment(None) | {
                "PYTHONPATH": place, "DAYBOOK_LIBRARY": str(at.programs / "libDaybookC.so")})
    scene.expect(done.stdout == "completed\n", "the C library:", done.stdout + done.stderr)
    scene.is_clean("store")


@contextlib.contextmanager
def database(scene):
    """The address of the log in the dump, on a server that runs until the block ends."""
    server = databases.Server()
    try:
        loaded = subprocess.run(
            [databases.program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", server.url,
             "-f", scene.folder / "database.sql"], capture_output=True, text=True)
        scene.expect(loaded.returncode == 0, loaded.stderr)
        yield server.url.replace("?", f"/{scene.requests['database']}?")
    finally:
        server.remove()


def keeps_database(scene):
    """The dump of a database is a log again, to which this machine writes."""
    with database(scene) as log:
        take_over = ["daybook", "store", "take-over", log]
        done = scene.at.run(*take_over, store=None)
        if "(databaseUnprepared)" in done.stderr:
            # Its advice: who makes another log there brings the tables up to date.
            server, _, options = log.partition("?")
            other = f"{server.rpartition('/')[0]}?{options}"
            scene.at.call("daybook", "store", "create", other, "--home", "other", store=None)
            done = scene.at.run(*take_over, store=None)
        scene.expect(done.returncode == 0, done.stderr)
        scene.is_clean(log)
        place = ["--store", log]
        opened = scene.at.daybook("open", release_fixture.pay("dash", "0.3"), *place, store=None)
        scene.at.approve(opened["request"], *place, store=None)
        scene.is_clean(log)


# Making

def make(programs, target):
    """Makes the fixture of a version, with the answers of its own programs."""
    release_fixture.make(programs, target)
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(target, programs, pathlib.Path(folder))
        given = answers(scene.at, scene.requests)
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in given.items()]
    (target / "answers.json").write_text("{" + ",\n".join(lines) + "}\n")


CHECKS = {"reads": reads, "pays": pays, "opens-today": opens_today, "imports": imports,
          "signs": signs, "audits": audits, "reports": reports, "serves": serves,
          "database": keeps_database}


def run(fixture, programs, name):
    """Runs a check on a copy; why it fails, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            CHECKS[name](Scene(fixture, programs, pathlib.Path(folder), name == "opens-today"))
        except (Failed, release_fixture.Altered) as failure:
            return str(failure)
    return None


if __name__ == "__main__":
    sys.exit(run(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]))

"""The fixture of a release: what its own programs wrote, kept as text in Tests/Releases.

usage: release_fixture.py pack FOLDER FIXTURE     keeps the files of a folder as a fixture
       release_fixture.py unpack FIXTURE FOLDER   writes a fixture's files

A file that is no text is kept with the ending `.b64`: gzip, in lines of base64."""
import base64, contextlib, gzip, hashlib, json, pathlib, re, shutil, subprocess, sys, tempfile, time

import databases, release_programs, time_stamps

DIGESTS = "digests.txt"
PASSPHRASE = "correct horse battery staple"
# BIP 39's first test vector; the private key 1.
WORDS = "abandon " * 11 + "about"
KEY = "0" * 63 + "1"
ADDRESS = "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
PAYEES = {"dash": "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa",
          "axe": "P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8",
          "icon": "hxab2d8215eab14bc6bdd8bfb2c8151257032ecd8b"}
TOKEN = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"
# Files of a store's folder that are no part of a copy.
LEFT_OUT = re.compile(r"(^|/)(lock\.mdb|[^/]*\.lock|derived)(/|$)")


class Altered(Exception):
    """A fixture's file is not what its release wrote."""


# Files

def digest(content):
    return hashlib.sha256(content).hexdigest()


def is_text(content):
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False


def pack(folder, target):
    """Writes a folder's files as text below another one, with their digests."""
    digests = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        if LEFT_OUT.search(name):
            continue
        content = path.read_bytes()
        digests.append(f"{digest(content)}  {name}\n")
        kept = target / "files" / name
        kept.parent.mkdir(parents=True, exist_ok=True)
        if is_text(content):
            kept.write_bytes(content)
        else:
            packed = base64.encodebytes(gzip.compress(content, mtime=0))
            kept.with_name(kept.name + ".b64").write_bytes(packed)
    (target / DIGESTS).write_text("".join(digests))


def unpack(source, folder):
    """Writes a fixture's files below a folder, as their programs left them.

    The digests name a file that was altered, added or taken away."""
    known = {name: value for value, name in
             (line.split("  ", 1) for line in (source / DIGESTS).read_text().splitlines())}
    kept = source / "files"
    for path in sorted(path for path in kept.rglob("*") if path.is_file()):
        name, content = str(path.relative_to(kept)), path.read_bytes()
        if name.endswith(".b64"):
            name = name.removesuffix(".b64")
            with contextlib.suppress(ValueError, EOFError, OSError):
                content = gzip.decompress(base64.b64decode(content))
        if known.pop(name, None) != digest(content):
            raise Altered(f"{path}: its bytes are not those that the release wrote")
        target = folder / name
        for above in reversed(target.relative_to(folder).parents):
            (folder / above).mkdir(exist_ok=True, mode=0o700)
        target.write_bytes(content)
        # As files of secrets have to be.
        target.chmod(0o600)
    if known:
        raise Altered(f"{kept / min(known)}: the file is missing")


# Making

def connect(number, method, **params):
    """The URL of a request of ICONex Connect."""
    data = json.dumps({"id": number, "method": method, "params": params}).encode()
    return f"iconex://?data={base64.b64encode(data).decode().replace('=', '%3D')}&caller=shop://"


def pay(chain, amount, sender="shop"):
    """The URL of a payment."""
    scheme = {"dash": "dashwallet", "axe": "axewallet"}[chain]
    return f"{scheme}://pay={PAYEES[chain]}&amount={amount}&sender={sender}"


class Maker:
    """Makes everything that a fixture has, in one folder."""

    def __init__(self, programs, folder):
        self.folder, self.at = folder, release_programs.Programs(programs, folder)
        self.seen = {}
        for name, text in (("passphrase", PASSPHRASE), ("wrong", "not the passphrase"),
                           ("words", WORDS), ("key", KEY)):
            (folder / name).write_text(text + "\n")
            (folder / name).chmod(0o600)

    def run(self, *words, **options):
        return self.at.call("daybook", *words, **options)

    def note(self, name, request):
        """Keeps a request's number under a name; returns it."""
        self.seen[name] = request
        return request

    def mine(self, store="store"):
        self.run("sandbox", "mine", "6", store=store)

    def add_wallets(self):
        """Wallets of all chains, with coins, labels and prices."""
        self.run("init")
        self.run("settings", "expirySeconds", "86400")
        for chain, source in (("dash", "words"), ("axe", "words"), ("icon", "key")):
            option = "--mnemonic-file" if source == "words" else "--key-file"
            self.run("wallet", "add", "--chain", chain, option, source, "--label", f"my-{chain}",
                     "--passphrase-file", "passphrase")
            for amount in ("10", "2.5"):
                self.run("sandbox", "fund", f"my-{chain}", amount)
        self.run("sandbox", "fund", "my-icon", "50", "--token")
        self.mine()
        coins = self.at.json("daybook", "coin", "list", "my-axe")
        self.run("coin", "freeze", coins[-1]["coin"])
        self.run("label", f"address:{PAYEES['dash']}", "the coffee shop")
        self.run("label", "sender:shop", "Coffee")
        self.run("price", "set", "DASH", "EUR", "30.5")
        (self.folder / "prices.csv").write_text(
            f"asset,currency,price,at\nICX,EUR,0.25,{time.strftime('%Y-%m-%d', time.gmtime())}\n")
        self.run("price", "import", "prices.csv")

    def make_payments(self):
        """Requests that have ended, in every way."""
        paid = self.note("completed", self.at.open(pay("dash", "1.5")))
        self.at.approve(paid)
        self.run("callbacks", "--delivered", paid)
        self.run("label", f"request:{paid}", "two coffees")
        self.at.approve(self.note("axe", self.at.open(pay("axe", "0.25"))))
        self.mine()
        rejected = self.note("rejected", self.at.open(pay("dash", "3")))
        self.run("reject", rejected)
        self.note("refused", self.at.daybook("open", pay("dash", "1") + "&req-x=1",
                                             status=1)["request"])
        address = self.at.open("dashwallet://request=address&sender=books")
        self.at.approve(self.note("address", address))
        to = PAYEES["icon"]
        for name, link in (
                ("bind", connect(1, "bind")),
                ("icx", connect(2, "sendICX", **{"from": ADDRESS, "to": to, "value": "0xde0b6b3"})),
                ("token", connect(3, "sendToken", **{"from": ADDRESS, "to": to, "value": "0x456",
                                                     "contractAddress": TOKEN}))):
            self.at.approve(self.note(name, self.at.open(link)))
        self.run("settings", "expirySeconds", "1")
        self.note("expired", self.at.open(pay("axe", "0.5", "late")))
        time.sleep(1.2)
        self.run("sync")
        self.run("settings", "expirySeconds", "86400")

    def export_first(self):
        """An export of what there is by now, from which a later one goes on."""
        (self.folder / "exports").mkdir()
        self.run("export", "exports/first.daybook")

    def make_remedies(self):
        """Payments that failed, were bumped and were cancelled, and a wrong passphrase."""
        failed = self.note("failed", self.at.open(pay("dash", "0.11")))
        self.run("sandbox", "fault", "dash", "refuse-next", "-25", "bad-txns-inputs-missingorspent")
        self.run("approve", failed, "--yes", "--passphrase-file", "wrong", status=4)
        self.at.run("daybook", "approve", failed, "--yes", "--passphrase-file", "passphrase")
        self.run("sandbox", "fault", "dash", "withhold-locks")
        bumped = self.note("bumped", self.at.open(pay("dash", "0.12")))
        self.at.approve(bumped)
        self.run("bump", bumped)
        self.at.approve(self.note("bump", self.waiting("bump")))
        self.run("sandbox", "fault", "dash", "none")
        self.mine()
        cancelled = self.note("cancelled", self.stuck("0.13"))
        self.run("sandbox", "fault", "dash", "none")
        self.run("cancel", cancelled)
        self.at.approve(self.note("cancel", self.waiting("cancel")))
        self.mine()

    def waiting(self, method):
        """The number of the request by a method that waits for its user."""
        return next(each["request"] for each in self.at.json("daybook", "pending")
                    if each["status"] == "pending" and each["method"] == method)

    def stuck(self, amount):
        """A payment on Dash that is signed, and that no node took."""
        request = self.at.open(pay("dash", amount))
        self.run("sandbox", "fault", "dash", "refuse-next", "-26", "mempool min fee not met, 1 < 2")
        self.run("approve", request, "--yes", "--passphrase-file", "passphrase", status=5)
        return request

    def leave_under_way(self):
        """Requests that wait for their user, and payments that are in flight."""
        self.run("sandbox", "fault", "dash", "withhold-locks")
        self.at.approve(self.note("sent", self.at.open(pay("dash", "0.14"))))
        self.note("signed", self.stuck("0.15"))
        self.note("pending", self.at.open(pay("axe", "0.16")))
        self.note("pending-icon", self.at.open(connect(
            9, "sendICX", **{"from": ADDRESS, "to": PAYEES["icon"], "value": "0xde0b6b3"})))
        self.note("coalesced", self.at.daybook("open", pay("axe", "0.16"))["request"])

    def witness(self):
        """A checkpoint with the cosignature of a witness, and a stamp of an authority."""
        key = self.at.daybook("checkpoint")["key"]
        with self.at.serving("witness", "serve", "--key", "witness.key", "--log", key) as line:
            self.run("witness", "add", line["url"], line["key"])
            (self.folder / "witness").write_text(line["key"] + "\n")
            note = self.at.daybook("checkpoint")
            if note.get("problems"):
                raise release_programs.Failed(f"the witness: {note['problems']}")
            (self.folder / "checkpoint").write_text(note["note"])
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            time_stamps.make(place)
            with time_stamps.serving(place) as url:
                self.run("timestamp", "--tsa", f"{url}/good", "--certificates",
                         place / "root.pem")
            shutil.copy(place / "root.pem", self.folder / "authority.pem")
        for name in ("witness.key", "witness.key.state"):
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def write_files(self):
        """Exports, segments, an audit's result, statements."""
        for name in ("statements", "audit"):
            (self.folder / name).mkdir()
        for words in (["whole.daybook"], ["whole.jsonl"],
                      ["part.daybook", "--from", "40", "--to", "80"],
                      ["request.jsonl", "--request", self.seen["completed"]]):
            self.run("export", f"exports/{words[0]}", *words[1:])
        day = 86400
        period = ["--from", time.strftime("%Y-%m-%d", time.gmtime(time.time() - day)),
                  "--to", time.strftime("%Y-%m-%d", time.gmtime(time.time() + 2 * day))]
        for form in ("txt", "html", "csv", "json"):
            self.run("statement", *period, "--format", {"txt": "text"}.get(form, form), "--out",
                     f"statements/statement.{form}")
        for words in (["genpkey", "-algorithm", "ed25519", "-out", "auditor.key"],
                      ["pkey", "-in", "auditor.key", "-pubout", "-out", "audit/auditor.pem"]):
            subprocess.run(["openssl", *words], check=True, cwd=self.folder, capture_output=True)
        for what in ("verify", "replay"):
            self.at.call("daybook-replay", what, "store", "--out", f"audit/{what}", "--sign-with",
                         "auditor.key")
        (self.folder / "auditor.key").unlink()

    def write_signing_files(self):
        """Another store that watches two wallets; what it wants signed, and the signatures."""
        self.run("init", store="watching")
        self.run("settings", "expirySeconds", "86400", store="watching")
        (self.folder / "signing").mkdir()
        for wallet in self.at.json("daybook", "wallet", "list"):
            chain = wallet["chain"]
            if chain == "axe":
                continue
            self.run("wallet", "add", "--chain", chain, "--watch", wallet["watch"], "--label",
                     f"far-{chain}", store="watching")
            self.run("sandbox", "fund", f"far-{chain}", "5", store="watching")
        self.mine("watching")
        icx = {"from": ADDRESS, "to": PAYEES["icon"], "value": "0xde0b6b3"}
        for name, link in (("pay.psbt", pay("dash", "0.5")),
                           ("send.json", connect(5, "sendICX", **icx))):
            request = self.note(name, self.at.open(link, store="watching"))
            self.run("approve", request, "--offline", f"signing/{name}", store="watching")
            self.run("sign", f"signing/{name}", "--yes", "--passphrase-file", "passphrase")

    def dump_database(self):
        """A log in PostgreSQL with a payment, as pg_dump writes it, and its machine's folder."""
        server = databases.Server()
        try:
            made = self.at.daybook("store", "create", server.url, store=None)
            place = ["--store", made["store"]]
            self.run("wallet", "add", *place, "--chain", "dash", "--mnemonic-file", "words",
                     "--passphrase-file", "passphrase", "--label", "my-dash", store=None)
            self.run("sandbox", "fund", *place, "1", "10", store=None)
            request = self.at.daybook("open", pay("dash", "1.25"), *place, store=None)["request"]
            self.at.approve(request, *place, store=None)
            dump = subprocess.run(
                [databases.program("pg_dump"), "--inserts", "--no-owner", "--no-privileges",
                 "--schema", "daybook", "--dbname", server.url],
                check=True, capture_output=True, text=True).stdout
        finally:
            server.remove()
        # Settings and commands of psql that belong to one version of PostgreSQL.
        kept = [line for line in dump.splitlines(keepends=True)
                if not re.match(r"SET |\\|--|SELECT pg_catalog\.set_config|\n", line)]
        (self.folder / "database.sql").write_text("".join(kept))
        self.seen["database"] = made["log"]


def make(programs, target):
    """Makes the fixture of a version by its programs, in a folder that is not there yet."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        maker = Maker(programs, folder)
        for step in (maker.add_wallets, maker.make_payments, maker.export_first,
                     maker.make_remedies, maker.write_signing_files, maker.witness,
                     maker.leave_under_way, maker.dump_database, maker.write_files):
            step()
        # Segments end with a checkpoint, which is the log's last event.
        maker.run("archive", "--to", "segments", "--events", "50")
        made = int(time.time())
        target.mkdir(parents=True)
        pack(folder, target)
    (target / "facts.json").write_text(
        json.dumps({"made": made, "requests": maker.seen}, indent=1) + "\n")


def main():
    verb, source, target = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if verb == "pack":
        return pack(source, target)
    try:
        unpack(source, target)
    except Altered as altered:
        sys.exit(str(altered))


if __name__ == "__main__":
    main()

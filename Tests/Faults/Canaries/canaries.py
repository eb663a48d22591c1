"""Plants secrets in every command and searches for them everywhere, for `tools/dev canaries`.

It searches all files of the store (with LMDB's free pages), exports, pages, temporary files,
outputs, the arguments and environment of every process, cores, and the memory of a process that has
just used a key. It searches for each secret in every spelling that software gives to bytes.
"""

import argparse, base64, json, os, pathlib, shutil, subprocess, sys, tempfile, threading, time
from urllib.parse import quote

from spellings import base58_check, keys_of, spellings

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures"
WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"
ENTROPY = bytes([0x7f] * 16)
KEY = bytes.fromhex("8f2c1d7be4a05936c1f8e27a4b6d90f3527c6e1d0b94a83f61e5c2d7480b9a17")
WIF_KEY = bytes.fromhex("3b7a91c5d20e84f6a91b5c37e08d42f617a3c95e6b80d1f24e9c73a5081bd6f3")
PASSPHRASE = 'planted "passphrase" \\ with é, found nowhere'
NODE_PASSWORD = "planted-node/password+of&a=node"
PROXY_PASSWORD = "planted-proxy/password+of&a=proxy"
URL_WORDS = "letter advice cage absurd amount doctor acoustic avoid letter advice cage above"
PAYEE = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"


class Canaries:
    """The secrets, by name, with all their spellings."""

    def __init__(self):
        self.secrets, self.plain = {}, {}

    def plant(self, name, secret):
        secret = secret.encode() if isinstance(secret, str) else secret
        self.secrets[name] = spellings(secret)
        # Memory is megabytes: only the spellings that a program has there.
        self.plain[name] = {secret, secret.hex().encode()}

    def plant_words(self, name, words, entropy=None):
        self.plant(name, words)
        # With one half of the words, the other half can be found by trying.
        self.plant(f"half of {name}", " ".join(words.split()[:6]))
        self.plant(f"the other half of {name}", " ".join(words.split()[6:]))
        if entropy:
            self.plant(f"entropy of {name}", entropy)
        for what, key in keys_of(words).items():
            self.plant(f"{what} of {name}", key)

    def found_in(self, data, without=()):
        return [name for name, all in self.secrets.items()
                if name not in without and any(spelling in data for spelling in all)]

    def found_in_memory(self, data):
        return [name for name, all in self.plain.items()
                if any(spelling in data for spelling in all)]


# MARK: Watching

class Watch(threading.Thread):
    """Reads the arguments and environments of all processes below one, for as long as it runs."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.seen = process, set()

    def run(self):
        while self.process.poll() is None:
            below = {self.process.pid}
            for entry in sorted(os.listdir("/proc"), key=lambda name: (len(name), name)):
                try:
                    if not entry.isdigit():
                        continue
                    status = pathlib.Path(f"/proc/{entry}/stat").read_text()
                    if int(status.rpartition(")")[2].split()[1]) in below:
                        below.add(int(entry))
                    if int(entry) in below:
                        for name in ("cmdline", "environ"):
                            self.seen.add(pathlib.Path(f"/proc/{entry}/{name}").read_bytes())
                except (OSError, IndexError):
                    continue
            time.sleep(0.01)


class Scene:
    """A store, the files from which commands read secrets, and all outputs of the commands."""

    def __init__(self, programs, folder, is_short):
        self.programs, self.folder = pathlib.Path(programs).resolve(), folder
        self.is_short = is_short
        self.inputs, self.home = folder / "inputs", folder / "store"
        for name in ("inputs", "out", "tmp"):
            (folder / name).mkdir()
        self.printed, self.watched, self.commands = [], set(), 0

    def write(self, name, content):
        path = self.inputs / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(0o600)
        return str(path)

    def run(self, *words, program="daybook", input="", prefix=()):
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "DAYBOOK_HOME": str(self.home),
            "TMPDIR": str(self.folder / "tmp"),
            # The backtracer would catch the signal of a crash, and the program would go on.
            "SWIFT_BACKTRACE": "enable=no"}
        process = subprocess.Popen(
            [*map(str, prefix), str(self.programs / program), *words], env=environment,
            cwd=self.folder / "out", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        watch = Watch(process)
        watch.start()
        output, error = process.communicate(input.encode(), timeout=120)
        watch.join()
        self.watched |= watch.seen
        self.commands += 1
        self.printed.append((" ".join(words[:2]), output + error))
        return process.returncode, output.decode(errors="replace")

    def both(self, *words, **others):
        if not self.is_short:
            self.run(*words, **others)
        return self.run(*words, "--json", **others)

    def done(self, *words, **others):
        status, output = self.run(*words, **others)
        if status != 0:
            raise SystemExit(f"canaries: {words[:2]} failed: {self.printed[-1][1].decode()}")
        return output


def drive(scene, canaries):
    """Runs every command, with right and with wrong arguments."""
    files = {
        "passphrase": scene.write("passphrase", PASSPHRASE),
        "words": scene.write("words", WORDS), "key": scene.write("key", KEY.hex()),
        "wif": scene.write("wif", base58_check(bytes([204]) + WIF_KEY + b"\1")),
        "wrong": scene.write("wrong", PASSPHRASE + "!"),
        "password": scene.write("password", NODE_PASSWORD),
        "proxy": scene.write("proxy", "u:" + PROXY_PASSWORD)}
    keystore = json.loads((FIXTURES / "icon/icon.json").read_text())["keystores"][0]
    files["keystore"] = scene.write("keystore", json.dumps(keystore["keystore"])
                                    if isinstance(keystore["keystore"], dict)
                                    else keystore["keystore"])
    files["own"] = scene.write("own", keystore["password"])
    for name, secret in {"passphrase": PASSPHRASE, "node password": NODE_PASSWORD, "key": KEY,
                         "proxy password": PROXY_PASSWORD, "WIF key": WIF_KEY}.items():
        canaries.plant(name, secret)
    if len(keystore["password"]) >= 8:
        canaries.plant("keystore password", keystore["password"])
    if "privateKey" in keystore:
        canaries.plant("keystore key", bytes.fromhex(keystore["privateKey"]))
    canaries.plant_words("words", WORDS, ENTROPY)
    canaries.plant_words("words in a URL", URL_WORDS)
    unlock = ["--passphrase-file", files["passphrase"]]

    scene.done("init")
    # The log's own key lies in the clear, but nowhere else.
    canaries.plant("the log's key", (scene.home / "log.key").read_bytes()[-64:-32])
    scene.done("wallet", "add", "--chain", "dash", "--mnemonic-file", files["words"], "--label",
               "dash", *unlock)
    scene.done("wallet", "add", "--chain", "axe", "--mnemonic-file", files["words"], *unlock)
    scene.done("wallet", "add", "--chain", "dash", "--wif-file", files["wif"], *unlock)
    scene.done("wallet", "add", "--chain", "icon", "--key-file", files["key"], "--label", "icon",
               *unlock)
    scene.done("wallet", "add", "--chain", "icon", "--keystore", files["keystore"],
               "--keystore-passphrase-file", files["own"], *unlock)
    # New words are shown once, by design; that output is not searched.
    _, output = scene.run("wallet", "add", "--chain", "dash", "--new", "--label", "new", "--json",
                          *unlock)
    scene.printed.pop()
    canaries.plant_words("new words", json.loads(output)["mnemonic"])
    # Files of another kind than the option's, and secrets in place of a file's name.
    for option in ("--mnemonic-file", "--wif-file", "--key-file", "--keystore"):
        for file in list(files.values())[:2 if scene.is_short else None]:
            scene.run("wallet", "add", "--chain", "icon" if "key" in option else "dash", option,
                      file, *unlock)
    scene.run("wallet", "add", "--chain", "icon", "--keystore", files["keystore"],
              "--keystore-passphrase-file", files["wrong"], *unlock)
    asked = {"--mnemonic-file": WORDS, "--wif-file": base58_check(b"\xcc" + WIF_KEY + b"\1"),
             "--key-file": KEY.hex(), "--keystore": KEY.hex(), "--passphrase-file": PASSPHRASE}
    before = set(scene.watched)
    for option, secret in asked.items():
        scene.both("wallet", "add", "--chain", "icon", option, secret)
    # Not hexadecimal digits alone: a key then looks like any hash.
    for text in (quote(URL_WORDS), URL_WORDS.replace(" ", "+"),
                 base58_check(b"\xcc" + WIF_KEY + b"\1")):
        for url in (f"dash:{PAYEE}?message={text}", f"dashwallet://pay={text}&amount=1&sender=a",
                    f"iconex://?data={base64.b64encode(text.encode()).decode()}&caller=a", text):
            scene.run("open", url)
            scene.run("open", "-", "--json", input=url + "\n")
    scene.run("approve", "1", "--passphrase-file", PASSPHRASE)
    # Here the user has put the secret into the arguments: they are not searched.
    scene.watched = before
    scene.done("sandbox", "fund", "dash", "5")
    scene.done("sandbox", "fund", "icon", "5")
    scene.both("sandbox", "mine", "6")
    urls = ["dashwallet://request=masterPublicKey&sender=app",
            f"dashwallet://pay={PAYEE}&amount=0.5&sender=app",
            "dashwallet://request=address&sender=app"]
    numbers = [str(json.loads(scene.done("open", url, "--json"))["request"]) for url in urls]
    scene.run("approve", numbers[0], "--passphrase-file", files["wrong"])
    for number in numbers[:2]:
        scene.both("approve", number, *unlock)
    scene.both("reject", numbers[2])
    scene.both("node", "set", "dash", "testnet", "http://127.0.0.1:9", "--user", "u",
               "--password-file", files["password"], "--proxy", "socks5h://127.0.0.1:9",
               "--proxy-password-file", files["proxy"])
    scene.both("node", "set", "icon", "testnet", f"http://u:{'x' * 4}@127.0.0.1:9")
    for words in (["node", "list"], ["node", "check"], ["sync"], ["wallet", "list"],
                  ["wallet", "address", "dash"], ["pending"], ["show", numbers[1]], ["balance"],
                  ["bindings"], ["callbacks"], ["callbacks", "--delivered", numbers[0]], ["log"],
                  ["checkpoint"], ["prove", "1"], ["verify"], ["doctor"], ["migrate"], ["help"],
                  ["backup", str(scene.folder / "out/copy")]):
        scene.both(*words)
    for form in ("daybook", "jsonl", "csv", "hledger"):
        scene.both("export", str(scene.folder / f"out/log.{form}"), "--format", form, "--force")
    for words in (["replay"], ["verify"], ["state", "--at", "20"],
                  ["report", "--out", str(scene.folder / "out/page.html")],
                  ["what-if", "--decide", f"{numbers[1]}=reject"]):
        scene.both(words[0], str(scene.home), *words[1:], program="daybook-replay")
    other = scene.folder / "other"
    scene.run("init", "--home", str(other))
    scene.run("import", str(scene.folder / "out/log.daybook"), "--home", str(other))
    scene.both("diff", str(scene.home), str(other), program="daybook-replay")
    return numbers, unlock


# MARK: Looking

def look(scene, canaries):
    """Searches files, outputs, arguments and environments; the findings."""
    found = []
    for path in sorted(scene.folder.rglob("*")):
        if not path.is_file() or scene.inputs in path.parents:
            continue
        # These two files are the places of these two secrets.
        without = {"credentials.json": ["node password", "proxy password"],
                   "log.key": ["the log's key"]}
        for name in canaries.found_in(path.read_bytes(), without.get(path.name, ())):
            found.append(f"{name} stands in {path.relative_to(scene.folder)}")
    for what, text in scene.printed:
        found += [f"{name} was printed by {what}" for name in canaries.found_in(text)]
    for text in scene.watched:
        found += [f"{name} was in a process's arguments or environment"
                  for name in canaries.found_in(text)]
    return found


def look_into_memory(scene, canaries, unlock):
    """Searches the memory of a process after it used a key, and looks for cores; the findings."""
    found = []
    tracer, report = scene.programs / "fault-tracer", scene.folder / "calls"
    memory = scene.folder / "calls.memory"

    def approve(fault, call, number):
        return scene.run("approve", number, *unlock, prefix=[
            "/bin/bash", "-c", 'ulimit -c unlimited 2>/dev/null; exec "$@"', "bash", tracer,
            report, fault, str(call)])

    def request(amount):
        url = f"dashwallet://pay={PAYEE}&amount={amount}&sender=app"
        return str(json.loads(scene.done("open", url, "--json"))["request"])

    approve("none", 0, request("0.01"))
    calls = report.read_text(errors="replace").splitlines()[:-1]
    opening = next(n for n, line in enumerate(calls, 1) if unlock[1] in line)
    amounts = (f"0.{number:02}" for number in range(2, 99))

    def left_at(call):
        approve("memory", call, request(next(amounts)))
        left = canaries.found_in_memory(memory.read_bytes())
        memory.unlink()
        return left

    # The number of a call differs a little from run to run, with the order of threads.
    if not any("passphrase" in left_at(opening + number) for number in range(3, 15)):
        found.append("the passphrase, just read, was not found in memory")
    found += [f"{name} is left in memory" for name in left_at(len(calls) - 8)]
    for call in [opening + 3, (opening + len(calls)) // 2]:
        approve("crash", call, request(next(amounts)))
        end = report.read_text(errors="replace").splitlines()[-1]
        if not end.startswith("killed"):
            found.append(f"it was to crash, but {end}")
        if "dumped" in end:
            found.append("a crash left a core")
    return found


def control(folder, canaries):
    """The positive control: each secret in each spelling must be found in a text that has it."""
    missed = []
    for name, all in canaries.secrets.items():
        for spelling in all:
            if name not in canaries.found_in(b"\x00\x01" + spelling + b"\x02"):
                missed.append(f"{name} would not be found")
    return missed


def main():
    parser = argparse.ArgumentParser(prog="tools/dev canaries")
    parser.add_argument("--programs", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--short", action="store_true")
    arguments = parser.parse_args()
    # In memory, where syncs cost nothing: no file has to outlive the machine.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="daybook-canaries-", dir=place))
    try:
        scene, canaries = Scene(arguments.programs, folder, arguments.short), Canaries()
        _, unlock = drive(scene, canaries)
        found = look(scene, canaries)
        # The programs hide their memory from all but root.
        if os.geteuid() == 0:
            found += look_into_memory(scene, canaries, unlock)
        found += look(scene, canaries)
        # A control: the search must find a file with a secret.
        leak = scene.folder / "out/leak.log"
        leak.write_bytes(b"debug: unlocked with " + PASSPHRASE.encode())
        if not any("leak.log" in line for line in look(scene, canaries)):
            found.append("a leak that was planted was not found")
        found += control(folder, canaries)
        for line in sorted(set(found)):
            print(line)
        spellings = sum(map(len, canaries.secrets.values()))
        memory = "" if os.geteuid() == 0 else " (not in memory: that takes root)"
        print(f"{scene.commands} commands, {len(canaries.secrets)} secrets in {spellings} "
              f"spellings{memory}: {len(set(found))} findings")
        return 1 if found else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

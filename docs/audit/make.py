#!/usr/bin/env python3
"""Makes this folder's log anew and writes into ../AUDITING.md what its commands print now.

For a change by which the old log no longer replays, or the programs print other words: make.py BIN,
where BIN has `daybook` and `daybook-replay`. The text between the commands names events by their
numbers: read the page once more.
"""
import json, os, pathlib, shutil, signal, subprocess, sys, tempfile, urllib.request

here = pathlib.Path(__file__).resolve().parent
page = here.parent / "AUDITING.md"
path = {"PATH": f"{os.path.abspath(sys.argv[1])}:{os.environ['PATH']}"}
payee = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"


def make(folder):
    """One evening of a wallet, on the embedded chain."""
    def daybook(*words):
        run = subprocess.run(
            ["daybook", *words], input="passphrase of the walk\n", env=path | {
                "DAYBOOK_HOME": folder + "/store"}, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"daybook {' '.join(words)}: {run.stderr}")
        return run.stdout

    def paid(number):
        daybook("approve", number, "--passphrase-file", "-")
        daybook("callbacks", "--delivered", number)

    daybook("init")
    daybook("wallet", "add", "--chain", "dash", "--new", "--label", "spending", "--json",
            "--passphrase-file", "-")
    daybook("sandbox", "fund", "1", "10")
    daybook("sandbox", "mine")
    daybook("open", f"dashwallet://pay={payee}&amount=1.5&sender=coffee-shop")
    paid("6")
    daybook("sandbox", "mine")
    daybook("open", "dashwallet://request=address&sender=coffee-shop")
    paid("20")
    signed = json.loads(daybook("checkpoint", "--json"))
    daybook("open", f"dashwallet://pay={payee}&amount=4&sender=somebody-else")
    daybook("reject", "27")
    daybook("open", "dashwallet://request=masterPublicKey&account=0&sender=accounting")
    (here / "shop.checkpoint").write_text(signed["note"])
    (here / "shop.key").write_text(signed["key"] + "\n")
    cosign(signed, folder)
    (here / "shop.daybook").unlink(missing_ok=True)
    daybook("export", str(here / "shop.daybook"))


def cosign(signed, folder):
    """Has a witness cosign a checkpoint, as somebody else keeps it."""
    witness = subprocess.Popen(
        ["daybook", "witness", "serve", "--json", "--key", folder + "/witness.key", "--log",
         signed["key"]], env=path, stdout=subprocess.PIPE, text=True)
    place = json.loads(witness.stdout.readline())
    request = f"old 0\n\n{signed['note']}".encode()
    with urllib.request.urlopen(place["url"] + "/add-checkpoint", request) as answer:
        (here / "shop.cosigned").write_text(signed["note"] + answer.read().decode())
    (here / "shop.witness").write_text(place["key"] + "\n")
    witness.send_signal(signal.SIGTERM)
    witness.wait()


def rewrite(folder):
    """The page with the output of each command in place of what stood there."""
    shutil.copytree(here, folder + "/audit")
    lines, isOutput = [], False
    for line in page.read_text().split("\n"):
        if line.startswith("    $ "):
            lines.append(line)
            run = subprocess.run(["bash", "-c", line[6:]], cwd=folder + "/audit",
                                 env=os.environ | path, stdout=subprocess.PIPE, text=True)
            lines += ["    " + printed if printed else "" for printed in run.stdout.splitlines()]
            isOutput = True
            blanks = []
        elif isOutput and line == "":
            blanks.append(line)
        elif isOutput and line.startswith("    "):
            blanks = []
        else:
            lines += blanks if isOutput else []
            isOutput = False
            lines.append(line)
    page.write_text("\n".join(lines))


with tempfile.TemporaryDirectory() as folder:
    make(folder)
    rewrite(folder)

"""Adds a chain to a copy of the sources by the recipe, and pays on it.

usage: tools/dev recipes [--check]

The chain `toy` is like Dash. The edits below are all that docs/recipes/adding-a-chain.md asks for
such a chain, with one line for its links. The copy is in .build/recipes.

  --check  only look whether each edit still finds its place in the sources
"""
import json, os, subprocess, sys, tempfile

import project

COPY = project.BUILD / "recipes"
CHAINS, FACADE = "Sources/DaybookChains/", "Sources/Daybook/Views/Wallet.swift"
LINKS = "Sources/DaybookLinks/"
# By file: a text that occurs once, and what the recipe adds behind it.
EDITS = [
    (CHAINS + "Chain.swift", "    case icon\n", "    case toy\n"),
    (CHAINS + "Chain.swift", "            case .icon: 2\n", "            case .toy: 3\n"),
    (CHAINS + "ChainRules.swift", "        case .icon: .icon\n",
     '        case .toy: .likeDash(coin: "TOY")\n'),
    (FACADE, "    case dash, axe, icon", ", toy"),
    (FACADE, """    init(_ name: ChainName) {
        switch name {
""", "        case .toy: self = .toy\n"),
    (FACADE, """    init(_ chain: DaybookChains.Chain) {
        switch chain {
""", "        case .toy: self = .toy\n"),
    (LINKS + "WalletLink/WalletLink.swift",
     '    package static let axe = WalletLink(id: "axewallet", chain: .axe)\n',
     '    package static let toy = WalletLink(id: "toywallet", chain: .toy)\n'),
    (LINKS + "Links.swift", "        WalletLink.axe,\n", "        WalletLink.toy,\n"),
]
PASSPHRASE = "correct horse battery\n"


def edited():
    """The sources with the recipe's edits; ends where an edit finds no place, or several."""
    contents = project.sources()
    for name, place, addition in EDITS:
        count = contents[name].count(place.encode())
        if count != 1:
            sys.exit(f"{name}: {place.strip()!r} occurs {count} times")
        contents[name] = contents[name].replace(place.encode(), (place + addition).encode())
    return contents


def build():
    """Builds the programs of the copy, and returns their folder."""
    for product in ("daybook", "daybook-replay"):
        built = subprocess.run(["swift", "build", "--product", product], cwd=COPY, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if built.returncode:
            errors = [line for line in built.stdout.splitlines() if "error:" in line]
            sys.exit("\n".join(list(dict.fromkeys(errors))[:20] or built.stdout.splitlines()[-20:]))
    return COPY / ".build/debug"


def run(*words, home, takes_passphrase=False):
    """Runs a command with JSON output, which it returns; ends where the command fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          env=os.environ | {"DAYBOOK_HOME": home},
                          input=PASSPHRASE if takes_passphrase else None)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words[1:]))}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout.splitlines()[0]) if done.stdout.startswith("{") else done.stdout


def pay(programs, home):
    """Pays on the toy chain, and returns the callback once a replay has agreed."""
    daybook = programs / "daybook"
    secret = ("--passphrase-file", "-")
    run(daybook, "init", home=home)
    wallet = run(daybook, "wallet", "add", "--chain", "toy", "--new", *secret, "--json", home=home,
                 takes_passphrase=True)["wallet"]
    run(daybook, "sandbox", "fund", wallet, 5, home=home)
    address = run(daybook, "wallet", "address", wallet, "--json", home=home)["address"]
    link = f"toywallet://pay={address}&amount=1&sender=shop"
    request = run(daybook, "open", link, "--json", home=home)["request"]
    answer = run(daybook, "approve", request, "--yes", *secret, "--json", home=home,
                 takes_passphrase=True)
    replay = run(programs / "daybook-replay", "replay", home, "--json", home=home)
    if replay["divergences"]:
        sys.exit(f"the replay diverges: {replay['divergences'][0]}")
    return answer["callback"]


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    contents = edited()
    if options.check:
        print(f"{len(EDITS)} edits, each has its place")
        return
    project.set_up()
    print("building", flush=True)
    project.update_copy(COPY, contents)
    with tempfile.TemporaryDirectory() as folder:
        print(pay(build(), folder + "/store"))


main()

"""Adds a chain and a method to a copy of the sources by recipes, and uses both.

usage: tools/dev recipes [--check]

The chain `toy` is like Dash. The edits below are all that docs/recipes/adding-a-chain.md asks for
such a chain, with one line for its links. The method `log.head` is written once, and listed; it is
then called as a command and through JSON-RPC, Python and C, and looked for in help, completion,
manual page and reference. The copy is in .build/recipes.

  --check  only look whether each edit still finds its place in the sources
"""
import json, os, pathlib, subprocess, sys, tempfile

import project

COPY = project.BUILD / "recipes"
CHAINS, FACADE = "Sources/DaybookChains/", "Sources/Daybook/Views/Wallet.swift"
LINKS, METHODS = "Sources/DaybookLinks/", "Sources/DaybookCalls/Methods/"
# By file: a text that occurs once, and what the recipe adds behind it.
EDITS = [
    (CHAINS + "Chain.swift", "    case icon\n", "    case toy\n"),
    (CHAINS + "Chain.swift", "            case .icon: 2\n", "            case .toy: 3\n"),
    (CHAINS + "ChainRules.swift", "        case .icon: .icon\n",
     '        case .toy: .toy\n'),
    (CHAINS + "ChainRules.swift",
     '    fileprivate static let axe = likeDash(coin: "AXE", masternodes: [1000])\n',
     '    fileprivate static let toy = likeDash(coin: "TOY", masternodes: [])\n'),
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
    (METHODS + "Method.swift", "        .logRead,", " .logHead,"),
    (METHODS + "Method+Reports.swift", """
extension Method {
""", """    static let logHead = Method(
        "log.head",
        [.optional("lead", .text, at: "--lead TEXT", "a text that the answer repeats")],
        command: "head", does: "show how many events the log has",
        gives: ResultType("Head", [.init("events", .number), .init("lead", .text)])
    ) { call in
        let lead = call.arguments.text("lead") ?? ""
        return MethodAnswer(
            .record([
                "events": .int(try await call.store.info().events), "lead": .string(lead),
            ]))
    }

"""),
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
    """Builds the programs and the C library of the copy, and returns their folder."""
    for product in ("daybook", "daybook-replay", "DaybookC"):
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


def expect(name, text, *parts):
    """Ends where a text lacks a part."""
    for part in parts:
        if part not in text:
            sys.exit(f"the method is not in the {name}: no {part!r} in {text[-400:]!r}")


def call(programs, home):
    """Calls the new method at every door, and finds it where all methods are listed."""
    daybook = programs / "daybook"
    expect("help", run(daybook, "head", "--help", home=home), "usage: daybook head", "--lead TEXT")
    expect("command's text", run(daybook, "head", "--lead", "at", home=home), "events", "at")
    if run(daybook, "head", "--lead", "at", "--json", home=home)["lead"] != "at":
        sys.exit("the command has another result")
    for shell in ("bash", "zsh", "fish"):
        script = run(daybook, "completion", shell, home=home)
        expect(f"completion of {shell}", script, "head", "lead")
    expect("manual page", run(daybook, "man", home=home), ".SS head", "\\-\\-lead")
    served = subprocess.run(
        [daybook, "serve", "--stdio", "--home", home], capture_output=True, text=True,
        input='{"jsonrpc":"2.0","id":1,"method":"log.head","params":{"lead":"by RPC"}}\n')
    expect("answer of JSON-RPC", served.stdout, '"lead":"by RPC"')
    dev, package = [sys.executable, COPY / "tools/dev"], pathlib.Path(home).with_name("python")
    for words in (["python-package", "--program", daybook, package],
                  ["methods", "--program", daybook]):
        if subprocess.run([str(word) for word in [*dev, *words]], cwd=COPY).returncode:
            sys.exit(f"tools/dev {words[0]} failed")
    expect("reference", (COPY / "docs/METHODS.md").read_text(encoding="utf-8"),
           "| `log.head` | `lead`? | `{\"events\",\"lead\"}` |")
    # The package calls the C library.
    script = ("import daybook, sys\nwith daybook.open(sys.argv[1]) as wallets:\n"
              "    print(wallets.log.head(lead='by C').lead)\n")
    python = subprocess.run(
        [sys.executable, "-B", "-c", script, home], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(package),
                          "DAYBOOK_LIBRARY": str(programs / "libDaybookC.so")})
    expect("Python package", python.stdout + python.stderr, "by C")


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
        programs, home = build(), folder + "/store"
        print(pay(programs, home))
        call(programs, home)
        print("the method is at every door")


main()

"""Writes the Python package's methods from the table in docs/METHODS.md.

usage: tools/dev python-methods [--check]

The table is held to the library's by a test. With --check nothing is written, and the exit status
says whether the files are those that would be written.
"""
import re, sys, textwrap

import project

PACKAGE = project.ROOT / "Sources/Python/daybook"
# The type of each parameter, by its name, which means the same in all methods.
PARAMETERS = {
    "accounts": "int", "after": "int", "also": "bool", "amount": "str", "at": "int",
    "before": "int", "certificates": "str", "chain": "str", "checkpoint": "str",
    "coinType": "int", "coins": "Sequence[str]", "cookieFile": "str", "count": "int",
    "debugURL": "str", "from": "int",
    "full": "bool", "gap": "int",
    "key": "str", "keystore": "Mapping[str, object] | str", "keystorePassphrase": "str",
    "label": "str", "limit": "int", "mnemonic": "str", "mnemonicPassphrase": "str",
    "network": "str", "new": "bool",
    "newKey": "bool", "nid": "int", "passphrase": "str", "password": "str", "proxy": "str",
    "proxyPassword": "str", "request": "int",
    "seconds": "int", "sender": "str", "shown": "str", "status": "Sequence[str]", "token": "bool",
    "url": "str", "urls": "Sequence[str]", "user": "str", "wallet": "types.WalletName",
    "watch": "str", "weak": "bool", "wif": "str", "words": "bool",
}
EXCEPTIONS = {
    ("wallet.passphrase", "new"): "str", ("unlock", "limit"): "str", ("coin.list", "after"): "str",
}
# The type of each result; a method that is missing here gives a plain dictionary.
RESULTS = {
    "info": "Info", "wallet.list": "Wallets", "wallet.add": "AddedWallet",
    "wallet.rename": "Wallet", "wallet.remove": "WalletID", "wallet.passphrase": "WalletID",
    "wallet.address": "Address", "coin.list": "Coins", "coin.freeze": "ChangedCoins",
    "coin.unfreeze": "ChangedCoins", "request.open": "Request", "request.list": "Requests",
    "request.show": "RequestWithEvents", "request.prompt": "RequestPrompt",
    "request.approve": "Request", "request.reject": "Rejected", "request.bump": "Request",
    "request.cancel": "Request", "payment.list": "Payments", "callback.list": "Callbacks",
    "callback.delivered": "Delivered", "balance.list": "Balances", "binding.list": "Bindings",
    "history.list": "History", "node.list": "Nodes", "node.check": "Nodes", "node.set": "Nodes",
    "node.remove": "RemovedNode", "sync": "Sync", "log.read": "Events",
    "log.checkpoint": "Checkpoint", "log.verify": "Verification", "unlock": "Unlocked",
    "lock": "WalletID", "page.address": "PageAddress", "sandbox.fund": "Funded",
    "sandbox.mine": "Tips",
}
# Changes are an iterator.
LEFT_OUT = {"subscribe", "unsubscribe"}
ROW = re.compile(r"^\| `([a-z.]+)` \|([^|]*)\| (.*) \|$", re.M)


def table():
    """The methods of the document with their parameters (name, whether required) and results."""
    text = (project.ROOT / "docs/METHODS.md").read_text(encoding="utf-8")
    text = text.partition("## The table")[2].partition("## Notifications")[0]
    for name, parameters, result in ROW.findall(text):
        if name not in LEFT_OUT:
            given = re.findall(r"`(\w+)`(\??)", parameters)
            yield name, [(parameter, not mark) for parameter, mark in given], result


def snake(name):
    """A parameter's name as Python spells it: `debugURL` is `debug_url`, `from` is `from_`."""
    words = re.sub(r"(?<=[a-z])([A-Z]+)", lambda found: "_" + found[0].lower(), name)
    return words + "_" if words == "from" else words


def signature(name, parameters, is_async):
    """The lines that declare a method."""
    positional, named = [], ["*"]
    for parameter, is_required in parameters:
        kind = EXCEPTIONS.get((name, parameter)) or PARAMETERS[parameter]
        if is_required:
            positional.append(f"{snake(parameter)}: {kind}")
        elif not any(required for _, required in parameters) and not positional:
            # The one that a call without required parameters is most likely to have.
            positional.append(f"{snake(parameter)}: {kind} | None = None")
        else:
            named.append(f"{snake(parameter)}: {kind} | None = None")
    typed = positional + named + ["timeout: float | None = None"]
    lines = textwrap.wrap(
        "self, " + ", ".join(part.replace(" ", "\0") for part in typed), 90,
        initial_indent=" " * 8, subsequent_indent=" " * 8)
    result = f"types.{RESULTS[name]}" if name in RESULTS else "dict[str, Any]"
    start = "async def" if is_async else "def"
    return [f"    {start} {name.split('.')[-1]}(",
            *[line.replace("\0", " ") for line in lines], f"    ) -> {result}:"], result


def method(name, parameters, result_text, is_async):
    """The lines of a method."""
    lines, result = signature(name, parameters, is_async)
    text = f"Calls `{name}`" + (f", which gives {result_text}." if result_text else ".")
    text = text.replace("\\", "")
    if len(text) > 85:
        wrapped = textwrap.wrap(text, 90, initial_indent=" " * 8, subsequent_indent=" " * 8)
        wrapped[0] = wrapped[0].replace("Calls", '"""Calls', 1)
        lines += [*wrapped, '        """']
    else:
        lines.append(f'        """{text}"""')
    wait = "await " if is_async else ""
    pairs = [f'"{parameter}": {snake(parameter)}' for parameter, _ in parameters]
    call = f'        answer: {result} = {wait}self._call("{name}", {{{", ".join(pairs)}}}, timeout)'
    if len(call) > 100:
        inner = textwrap.wrap(", ".join(pair.replace(" ", "\0") for pair in pairs), 90,
                              initial_indent=" " * 12, subsequent_indent=" " * 12)
        lines += [f'        answer: {result} = {wait}self._call("{name}", {{',
                  *[line.replace("\0", " ") for line in inner], "        }, timeout)"]
    else:
        lines.append(call)
    return lines + ["        return answer", ""]


def module(is_async):
    """The text of a module with all methods, in groups by the first part of their names."""
    prefix = "Async" if is_async else ""
    call = "Awaitable[Any]" if is_async else "Any"
    names = ["Awaitable", "Callable", "Mapping", "Sequence"][0 if is_async else 1:]
    lines = [
        f'"""The methods of docs/METHODS.md{", to be awaited" if is_async else ""}.', "",
        "Written by `tools/dev python-methods`; not to be edited.", '"""',
        "from __future__ import annotations", "",
        f"from collections.abc import {', '.join(names)}", "from typing import Any", "",
        "from . import types", "",
        f"Call = Callable[[str, Mapping[str, object], float | None], {call}]", "", ""]
    methods = list(table())
    groups = list(dict.fromkeys(name.split(".")[0] for name, _, _ in methods if "." in name))
    for group in groups:
        lines += [f"class {prefix}{group.capitalize()}Methods:",
                  f'    """The methods `{group}.*`."""', "",
                  "    def __init__(self, call: Call) -> None:", "        self._call = call", ""]
        for name, parameters, text in methods:
            if name.split(".")[0] == group and "." in name:
                lines += method(name, parameters, text, is_async)
        lines.append("")
    lines += [f"class {prefix}Methods:", '    """All methods, by the first part of their names."""',
              "", "    def __init__(self, call: Call) -> None:", "        self._call = call"]
    lines += [f"        self.{group} = {prefix}{group.capitalize()}Methods(call)"
              for group in groups] + [""]
    for name, parameters, text in methods:
        if "." not in name:
            lines += method(name, parameters, text, is_async)
    return "\n".join(lines)


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    for name, is_async in (("_methods.py", False), ("_async_methods.py", True)):
        path, text = PACKAGE / name, module(is_async)
        if check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                sys.exit(f"{name} is not what docs/METHODS.md gives: run tools/dev python-methods")
        else:
            path.write_text(text, encoding="utf-8")


main()

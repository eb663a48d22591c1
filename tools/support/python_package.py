"""Writes the Python package: its own files, and its methods from what `daybook methods` prints."""
import json, keyword, re, shutil, subprocess, textwrap

import project

PACKAGE = project.ROOT / "Sources/Python/daybook"
# The type of a parameter, by its kind.
KINDS = {
    "text": "str", "secret": "str", "newSecret": "str", "amount": "str", "number": "int",
    "position": "int", "networkID": "int", "flag": "bool", "texts": "Sequence[str]",
    "object": "Mapping[str, object] | str", "wallet": "types.WalletName",
}
# The type of each result; a method that is missing here gives a plain dictionary.
RESULTS = {
    "info": "Info", "wallet.list": "Wallets", "wallet.add": "AddedWallet",
    "wallet.rename": "Wallet", "wallet.remove": "WalletID", "wallet.passphrase": "WalletID",
    "wallet.address": "Address", "coin.list": "Coins", "coin.freeze": "ChangedCoins",
    "coin.unfreeze": "ChangedCoins", "label.list": "Labels", "label.set": "Label",
    "label.export": "LabelFile", "label.import": "LabelTransfer",
    "price.set": "Prices", "price.import": "Prices", "gains": "Gains",
    "request.open": "Request", "request.list": "Requests",
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


def table(program):
    """The methods, as `daybook methods --json` prints them."""
    words = [str(program), "methods", "--json"]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def snake(name):
    """A parameter's name as Python spells it: `debugURL` is `debug_url`, `from` is `from_`."""
    words = re.sub(r"(?<=[a-z])([A-Z]+)", lambda found: "_" + found[0].lower(), name)
    return words + "_" if words == "from" else words


def signature(name, parameters, is_async):
    """The lines that declare a method."""
    positional, named = [], ["*"]
    for parameter in parameters:
        typed = f"{snake(parameter['name'])}: {KINDS[parameter['kind']]}"
        if parameter["required"]:
            positional.append(typed)
        elif not any(other["required"] for other in parameters) and not positional:
            # The one that a call without required parameters is most likely to have.
            positional.append(typed + " | None = None")
        else:
            named.append(typed + " | None = None")
    typed = positional + named + ["timeout: float | None = None"]
    lines = textwrap.wrap(
        "self, " + ", ".join(part.replace(" ", "\0") for part in typed), 90,
        initial_indent=" " * 8, subsequent_indent=" " * 8)
    result = f"types.{RESULTS[name]}" if name in RESULTS else "dict[str, Any]"
    start = "async def" if is_async else "def"
    word = name.split(".")[-1]
    # `label.import` is `label.import_`.
    word += "_" if keyword.iskeyword(word) else ""
    return [f"    {start} {word}(",
            *[line.replace("\0", " ") for line in lines], f"    ) -> {result}:"], result


def method(entry, is_async):
    """The lines of a method."""
    name, parameters = entry["method"], entry["parameters"]
    lines, result = signature(name, parameters, is_async)
    text = f"Calls `{name}`" + (f", which gives {entry['result']}." if entry["result"] else ".")
    if len(text) > 85:
        wrapped = textwrap.wrap(text, 90, initial_indent=" " * 8, subsequent_indent=" " * 8)
        wrapped[0] = wrapped[0].replace("Calls", '"""Calls', 1)
        lines += [*wrapped, '        """']
    else:
        lines.append(f'        """{text}"""')
    wait = "await " if is_async else ""
    pairs = [f'"{each["name"]}": {snake(each["name"])}' for each in parameters]
    call = f'        answer: {result} = {wait}self._call("{name}", {{{", ".join(pairs)}}}, timeout)'
    if len(call) > 100:
        inner = textwrap.wrap(", ".join(pair.replace(" ", "\0") for pair in pairs), 90,
                              initial_indent=" " * 12, subsequent_indent=" " * 12)
        lines += [f'        answer: {result} = {wait}self._call("{name}", {{',
                  *[line.replace("\0", " ") for line in inner], "        }, timeout)"]
    else:
        lines.append(call)
    return lines + ["        return answer", ""]


def module(methods, is_async):
    """The text of a module with all methods, in groups by the first part of their names."""
    prefix = "Async" if is_async else ""
    call = "Awaitable[Any]" if is_async else "Any"
    names = ["Awaitable", "Callable", "Mapping", "Sequence"][0 if is_async else 1:]
    lines = [
        f'"""The methods of docs/METHODS.md{", to be awaited" if is_async else ""}.', "",
        "Written from the table of methods; not to be edited.", '"""',
        "from __future__ import annotations", "",
        f"from collections.abc import {', '.join(names)}", "from typing import Any", "",
        "from . import types", "",
        f"Call = Callable[[str, Mapping[str, object], float | None], {call}]", "", ""]
    names = [entry["method"] for entry in methods]
    groups = list(dict.fromkeys(name.split(".")[0] for name in names if "." in name))
    for group in groups:
        lines += [f"class {prefix}{group.capitalize()}Methods:",
                  f'    """The methods `{group}.*`."""', "",
                  "    def __init__(self, call: Call) -> None:", "        self._call = call", ""]
        for entry in methods:
            if entry["method"].startswith(group + "."):
                lines += method(entry, is_async)
        lines.append("")
    lines += [f"class {prefix}Methods:", '    """All methods, by the first part of their names."""',
              "", "    def __init__(self, call: Call) -> None:", "        self._call = call"]
    lines += [f"        self.{group} = {prefix}{group.capitalize()}Methods(call)"
              for group in groups] + [""]
    for entry in methods:
        if "." not in entry["method"]:
            lines += method(entry, is_async)
    return "\n".join(lines)


def write(program, folder):
    """Writes the package to a folder, where `import daybook` finds it; its methods are those of a
    program `daybook`."""
    methods = [entry for entry in table(program) if entry["method"] not in LEFT_OUT]
    target = folder / "daybook"
    shutil.copytree(PACKAGE, target, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__"))
    for name, is_async in (("_methods.py", False), ("_async_methods.py", True)):
        (target / name).write_text(module(methods, is_async), encoding="utf-8")
    return target

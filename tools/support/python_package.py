"""Writes the Python package: its own files, and its methods, types and errors from what `daybook
methods` prints."""
import keyword, shutil, subprocess, textwrap

import method_table, project

PACKAGE = project.ROOT / "Sources/Python/daybook"
# The type of a parameter, by its kind.
PARAMETERS = {
    "text": "str", "secret": "str", "newSecret": "str", "amount": "Amount", "number": "int",
    "position": "int", "networkID": "int", "flag": "bool", "texts": "Sequence[str]",
    "object": "Mapping[str, object] | str", "wallet": "int | str", "path": "Path",
    "time": "Time",
}
# The type of a result's member by its kind, and the function that reads it.
MEMBERS = {
    "text": ("str", "text"), "number": ("int", "number"), "flag": ("bool", "flag"),
    "time": ("datetime", "time"), "amount": ("Decimal", "amount"), "minor": ("int", "minor"),
    "secret": ("str", "secret"), "any": ("Any", "anything"),
}
# The codes of errors that the package finds itself, besides those that are written by hand.
OWN_CODES = ("badAnswer", "libraryMissing", "noMemory")
# Changes are an iterator.
LEFT_OUT = {"subscribe", "unsubscribe"}
GENERATED = "Written from the table of methods; not to be edited."


def snake(name):
    """A name as Python spells it: `debugURL` is `debug_url`, `import` is `import_`."""
    words = method_table.words(name)
    return words + "_" if keyword.iskeyword(words) else words


def filled(text, indent, follows=None):
    """Lines of at most 100 columns; what is joined by a no-break space stays on one line."""
    lines = textwrap.wrap(text, 96, initial_indent=" " * indent, break_long_words=False,
                          subsequent_indent=" " * (indent if follows is None else follows))
    return [line.replace("\0", " ") for line in lines]


def docstring(text, indent):
    """The lines of a docstring."""
    lines = filled('"""' + text, indent)
    if len(lines) == 1 and len(lines[0]) < 95:
        return [lines[0] + '"""']
    return [*lines, " " * indent + '"""']


# Types

def member_type(kind):
    """A member's type, and what reads its value."""
    if isinstance(kind, str):
        typed, read = MEMBERS[kind]
        # With its module, because a class may have a member of that name.
        return typed, "_values." + read
    if "object" in kind:
        return kind["object"]["type"], kind["object"]["type"] + ".of"
    (form, inner), = kind.items()
    typed, read = member_type(inner)
    return {"list": (f"tuple[{typed}, ...]", f"_values.many({read})"),
            "map": (f"dict[str, {typed}]", f"_values.mapping({read})"),
            "orNull": (f"{typed} | None", f"_values.or_none({read})")}[form]


def result_class(entry):
    """The lines of a type's class."""
    members, base = entry["members"], "Result"
    if listed := method_table.listed(entry):
        base = f"Listing[{listed}]"
    if "base" in entry:
        base = entry["base"]["type"]
    readers = []
    lines = ["@dataclass(frozen=True, kw_only=True, slots=True, repr=False)",
             f"class {entry['type']}({base}):"]
    for member in members:
        typed, read = member_type(member["kind"])
        readers.append(f'("{member["name"]}",\0"{snake(member["name"])}",\0{read})')
        ending = "" if member["required"] else " | None = None"
        lines.append(f"    {snake(member['name'])}: {typed}{ending}")
        if member["help"]:
            lines += docstring(f"{member['help'][0].upper()}{member['help'][1:]}.", 4)
    start = f"{base}._members + (" if "base" in entry else "("
    return [*lines, "", f"    _members: ClassVar[tuple[Member, ...]] = {start}",
            *filled(", ".join(readers) + ",", 8), "    )", "", ""]


def types_module(types):
    """The text of the module with all types of results."""
    lines = [
        '"""Results of calls: whole coins as `Decimal`, the smallest unit as `int`, times in UTC.',
        "", "A member that an answer lacks is None. " + GENERATED, '"""',
        "from __future__ import annotations", "",
        "from dataclasses import dataclass", "from datetime import datetime",
        "from decimal import Decimal", "from typing import Any, ClassVar", "",
        "from . import _values", "from ._results import Listing, Member, Result", "", ""]
    for entry in types:
        lines += result_class(entry)
    return "\n".join(lines).rstrip("\n") + "\n"


# Errors

def errors_module(codes):
    """The text of the module with an exception for each code."""
    lines = ['"""An exception for each code of an error.', "",
             "Written from the table of codes; not to be edited.", '"""',
             "from ._errors import Closed as Closed, Error as Error",
             "from ._errors import NotConnected as NotConnected, Timeout as Timeout", ""]
    for code in [*codes, *OWN_CODES]:
        name = code[0].upper() + code[1:]
        lines += ["", f'class {name}(Error, code="{code}"):',
                  f'    """A call ended with `{code}`."""', ""]
    return "\n".join(lines).rstrip("\n") + "\n"


# Methods

def parameters_text(parameters, *others):
    """The lines that declare parameters."""
    positional, named = [], ["*"]
    for parameter in parameters:
        typed = f"{snake(parameter['name'])}: {PARAMETERS[parameter['kind']]}"
        if parameter["required"]:
            positional.append(typed)
        elif not any(other["required"] for other in parameters) and not positional:
            # The one that a call without required parameters is most likely to have.
            positional.append(typed + " | None = None")
        else:
            named.append(typed + " | None = None")
    typed = [*positional, *named, "timeout: float | None = None"]
    return filled("self, " + ", ".join(part.replace(" ", "\0") for part in typed), 8)


def parameter_value(parameter):
    """The text of a parameter that is sent."""
    name = snake(parameter["name"])
    return f"amount_text({name})" if parameter["kind"] == "amount" else name


def method(entry, is_async):
    """The lines of a method."""
    name, results = entry["method"], [result["type"] for result in entry["results"]]
    typed = " | ".join(f"types.{result}" for result in results)
    text = f"{entry['does'][0].upper()}{entry['does'][1:]} (`{name}`)."
    if entry["note"]:
        text += f" The result: {entry['note']}."
    pairs = [f'"{each["name"]}":\0{parameter_value(each)}' for each in entry["parameters"]]
    wait, start = ("await ", "async def") if is_async else ("", "def")
    read = "read(" if len(results) == 1 else "read_either("
    classes = ", ".join(f"types.{result}" for result in results)
    return [f"    {start} {snake(name.split('.')[-1])}(", *parameters_text(entry["parameters"]),
            f"    ) -> {typed}:", *docstring(text, 8),
            f"        answer = {wait}self._call(",
            *filled(f'"{name}", {{{", ".join(pairs)}}}, timeout)', 12),
            f"        return {read}answer, {classes})", ""]


def paging(entry, is_async):
    """The lines of a method that goes over all pages of another."""
    name, cursor = entry["method"].split(".")[-1], entry["pages"]
    names = [parameter["name"] for parameter in entry["parameters"]]
    kept = [each for each in entry["parameters"] if each["name"] != "limit"]
    given = [snake(each) for each in names if each not in ("limit", cursor, "after")]
    values = ", ".join(f"{each}={each}" for each in [*given, "timeout"])
    start = "        cursor, start = " + f'"{snake(cursor)}", {snake(cursor)}'
    if cursor != "after" and "after" in names:
        start += ' if after is None else ("after", after)'
        start = start.replace('= "', '= ("').replace(" if", ") if")
    entries = method_table.listed(entry["results"][0])
    prefix = "async_" if is_async else ""
    return ["    def all(", *parameters_text(kept),
            f"    ) -> {'Async' if is_async else ''}Iterator[types.{entries}]:",
            *docstring(f"Goes over all pages of `{entry['method']}`.", 8), start,
            f"        page = functools.partial(self.{name}, {values})",
            f"        return {prefix}pages(page, cursor, start)", ""]


def methods_module(methods, is_async):
    """The text of a module with all methods, in groups by the first part of their names."""
    prefix, call = ("Async", "Awaitable[Any]") if is_async else ("", "Any")
    imported = ["Awaitable"] * is_async + ["Callable", "Mapping", "Sequence"]
    imported.insert(0 if is_async else 1, "AsyncIterator" if is_async else "Iterator")
    pages = "async_pages" if is_async else "pages"
    lines = [
        f'"""The methods of docs/METHODS.md{", to be awaited" if is_async else ""}.', "",
        GENERATED, '"""', "from __future__ import annotations", "", "import functools",
        f"from collections.abc import {', '.join(imported)}", "from typing import Any", "",
        "from . import types", f"from ._results import {pages}, read, read_either",
        "from ._values import Amount, Path, Time, amount_text", "",
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
                lines += paging(entry, is_async) if "pages" in entry else []
        lines.append("")
    lines += [f"class {prefix}Methods:", '    """All methods, by the first part of their names."""',
              "", "    def __init__(self, call: Call) -> None:", "        self._call = call"]
    lines += [f"        self.{group} = {prefix}{group.capitalize()}Methods(call)"
              for group in groups] + [""]
    for entry in methods:
        if "." not in entry["method"]:
            lines += method(entry, is_async)
    return "\n".join(lines)


def version_module(program):
    """The text of the module with the package's version, which is the program's."""
    said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    return f'"""The version."""\n\n__version__ = "{said.split()[1]}"\n'


def write(program, folder):
    """Writes the package to a folder, where `import daybook` finds it; its methods and types are
    those of a program `daybook`."""
    table = method_table.read(program)
    methods = [entry for entry in table if entry["method"] not in LEFT_OUT]
    target = folder / "daybook"
    shutil.copytree(PACKAGE, target, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in (("types.py", types_module(method_table.types(table))),
                       ("errors.py", errors_module(method_table.codes(program))),
                       ("_methods.py", methods_module(methods, False)),
                       ("_async_methods.py", methods_module(methods, True)),
                       ("_version.py", version_module(program))):
        (target / name).write_text(text, encoding="utf-8")
    return target

"""Writes the tables of docs/METHODS.md from the methods of the program `daybook`.

usage: tools/dev methods [--check] [--program FILE]

The methods are those that `daybook methods` prints: of the program in FILE, else of one that is
built. With --check nothing is written, and the exit status says whether the tables are theirs.
"""
import pathlib, sys

import method_table, project

DOCUMENT = project.ROOT / "docs/METHODS.md"
METHODS = "| method | parameters | result |\n|---|---|---|\n"
TYPES = "| type | members |\n|---|---|\n"
KINDS = {"any": "any value", "flag": "boolean", "minor": "minor units", "secret": "text"}
# A result with more members is a type of the second table.
MOST_MEMBERS = 6


def kind_text(kind):
    """A member's kind in words; the name of a type is a code."""
    if isinstance(kind, str):
        return KINDS.get(kind, kind)
    if "object" in kind:
        return f"`{kind['object']['type']}`"
    (form, inner), = kind.items()
    return {"list": f"list of {kind_text(inner)}", "map": f"object, each member {kind_text(inner)}",
            "orNull": f"{kind_text(inner)} or null"}[form]


def is_short(entry):
    """Whether a row has all members of a result."""
    return len(method_table.members(entry)) <= MOST_MEMBERS


def short(entry):
    """A result as a row of the first table has it: its members, or its name if it has many."""
    if not is_short(entry):
        return f"`{entry['type']}`"
    named = []
    for member in method_table.members(entry):
        kind, text = member["kind"], f'"{member["name"]}"' + "?" * (not member["required"])
        if isinstance(kind, dict) and "list" in kind and "object" in kind["list"]:
            text += f":[{kind['list']['object']['type']}]"
        elif isinstance(kind, dict) and "object" in kind:
            text += f":{kind['object']['type']}"
        named.append(text)
    return f"`{{{','.join(named)}}}`"


def method_row(entry):
    """A method's line of the first table."""
    names = "".join(f"`{each['name']}`{'' if each['required'] else '?'} "
                    for each in entry["parameters"])
    result = " or ".join(map(short, entry["results"]))
    note = f": {entry['note']}" if entry["note"] else ""
    return f"| `{entry['method']}` | {names}| {result}{note} |\n"


def type_row(entry):
    """A type's line of the second table; a member without a kind is a text."""
    named = [f"those of `{entry['base']['type']}`"] if "base" in entry else []
    for member in entry["members"]:
        kind = kind_text(member["kind"])
        named.append(f"`{member['name']}`{'' if member['required'] else '?'}"
                     + (f" {kind}" if kind != "text" else "")
                     + (f" ({member['help']})" if member["help"] else ""))
    return f"| `{entry['type']}` | {', '.join(named)} |\n"


def named_types(table):
    """The types that a row of the first table or another type names."""
    results = [result for method in table for result in method["results"]]
    inner = {part["type"] for result in results for part in [*method_table.parts(result)][:-1]}
    left_out = {result["type"] for result in results if is_short(result)} - inner
    return [entry for entry in method_table.types(table) if entry["type"] not in left_out]


def replaced(text, head, rows):
    """The document with other rows of a table."""
    before, head, rest = text.partition(head)
    return before + head + "".join(rows).rstrip("\n") + rest[rest.index("\n\n"):]


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--program", type=pathlib.Path)
    options = parser.parse_args()
    program = options.program or project.build("daybook") / "daybook"
    table = method_table.read(program)
    old = DOCUMENT.read_text(encoding="utf-8")
    new = replaced(old, METHODS, map(method_row, table))
    new = replaced(new, TYPES, map(type_row, named_types(table)))
    if new == old:
        return
    if options.check:
        sys.exit("the tables of docs/METHODS.md are others: run tools/dev methods")
    DOCUMENT.write_text(new, encoding="utf-8")


main()

"""Writes the table of docs/METHODS.md from the methods of the program `daybook`.

usage: tools/dev methods [--check] [--program FILE]

The methods are those that `daybook methods` prints: of the program in FILE, else of one that is
built. With --check nothing is written, and the exit status says whether the table is theirs.
"""
import pathlib, sys

import project, python_package

DOCUMENT = project.ROOT / "docs/METHODS.md"
HEAD = "| method | parameters | result |\n|---|---|---|\n"


def row(entry):
    """A method's line of the table."""
    names = "".join(f"`{each['name']}`{'' if each['required'] else '?'} "
                    for each in entry["parameters"])
    return f"| `{entry['method']}` | {names}| {entry['result']} |\n"


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--program", type=pathlib.Path)
    options = parser.parse_args()
    program = options.program or project.build("daybook") / "daybook"
    old = DOCUMENT.read_text(encoding="utf-8")
    before, head, rest = old.partition(HEAD)
    after = rest[rest.index("\n\n"):]
    new = before + head + "".join(map(row, python_package.table(program))).rstrip("\n") + after
    if new == old:
        return
    if options.check:
        sys.exit("the table of docs/METHODS.md is another: run tools/dev methods")
    DOCUMENT.write_text(new, encoding="utf-8")


main()

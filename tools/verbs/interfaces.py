"""Compares what other programs may call with the lists of earlier releases.

usage: tools/dev interfaces [--programs FOLDER] [--record FOLDER]

The interfaces are Swift's public declarations, daybook.h, the table of methods, the codes of
errors, the commands with their options, and the Python package. Each difference that breaks a
caller is named, and then the status is 1; what is new breaks nobody. HACKING says what to do.

  --programs FOLDER  the programs of a build, with its modules; else they are built
  --record FOLDER    write the lists of interfaces to a folder, in place of comparing them
"""
import pathlib, sys

import interfaces, project, released


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--programs", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path)
    options = parser.parse_args()
    programs = options.programs
    if not programs:
        project.set_up()
        programs = released.build()
    if options.record:
        return interfaces.record(options.record, programs)
    releases = released.of_major(project.version())
    found = [f"{release.name}: {words}" for release in releases
             for words in interfaces.compare(release / "interfaces", programs)]
    if found:
        sys.exit("\n".join(found))
    names = ", ".join(release.name for release in releases)
    print(f"compared with {names or 'nothing: this major version has no release yet'}")


main()

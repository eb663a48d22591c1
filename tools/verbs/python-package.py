"""Writes the Python package to a folder, with the methods of the program `daybook`.

usage: tools/dev python-package [--program FILE] [FOLDER]

The package comes to the folder, .build/python without one, which then belongs in PYTHONPATH. The
methods are those that `daybook methods` prints: of the program in FILE, else of one that is built.
"""
import pathlib

import project, python_package


def main():
    parser = project.parser(__doc__)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("folder", nargs="?", default=project.BUILD / "python", type=pathlib.Path)
    options = parser.parse_args()
    program = options.program or project.build("daybook") / "daybook"
    print(f"the package is {python_package.write(program, options.folder.absolute())}")


main()

"""Makes the files by which later versions are tested, by the programs of this tree.

usage: tools/dev fixtures [FOLDER]

They come to FOLDER/VERSION, else to .build/releases/VERSION, in the place of earlier ones. The
folder of a real release, in Tests/Releases, is made by tools/dev release alone, once. The tests of
releases run with files made here by

    DAYBOOK_RELEASES=.build/releases swift test --filter ReleaseTests
"""
import pathlib, shutil, sys

import project, released


def main():
    parser = project.parser(__doc__)
    parser.add_argument("folder", nargs="?", default=project.BUILD / "releases", type=pathlib.Path)
    folder = parser.parse_args().folder.absolute()
    if folder == project.TESTS / "Releases":
        sys.exit("fixtures: tools/dev release makes those of a release, once")
    project.set_up("test")
    programs = released.build()
    target = folder / project.version()
    shutil.rmtree(target, ignore_errors=True)
    released.make(target, programs)
    print(f"the files are in {target}")


main()

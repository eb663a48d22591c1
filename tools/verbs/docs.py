"""Builds the library's documentation with DocC; a warning is an error.

usage: tools/dev docs

The pages come to .build/docs.
"""
import pathlib, shutil, subprocess, sys

import project

LOG = "docs.log"


def main():
    project.parser(__doc__).parse_args()
    project.set_up()
    graphs, pages = project.BUILD / "docs-graphs", project.BUILD / "docs"
    for folder in (graphs, pages):
        shutil.rmtree(folder, ignore_errors=True)
    graphs.mkdir(parents=True)
    if project.logged(LOG, "swift", "package", "dump-symbol-graph", "--minimum-access-level",
                      "public", "--skip-synthesized-members"):
        lines = (project.BUILD / LOG).read_text(errors="replace").splitlines()
        sys.exit("\n".join(lines[-20:]))
    # Users of the library see one module alone.
    shutil.copy(project.programs().parent / "symbolgraph/Daybook.symbols.json", graphs)
    docc = pathlib.Path(shutil.which("swift")).resolve().parent / "docc"
    done = subprocess.run(
        [docc, "convert", "Sources/Daybook/Daybook.docc", "--additional-symbol-graph-dir", graphs,
         "--fallback-display-name", "Daybook", "--fallback-bundle-identifier", "daybook",
         "--warnings-as-errors", "--output-path", pages], cwd=project.ROOT)
    if done.returncode:
        sys.exit(done.returncode)
    print("the documentation is in .build/docs")


main()

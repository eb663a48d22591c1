"""Makes the pictures of page, prompts, report and statement in docs/pictures.

usage: tools/dev page-pictures [--all FOLDER]

docs/pictures gets the top of those that README and the documents name. With --all, FOLDER gets
those of both widths, of both themes and of paper, to be looked at; docs/pictures stays as it is.
"""
import pathlib, re, shutil, sys, tempfile
import project

parser = project.parser(__doc__)
parser.add_argument("--all", metavar="FOLDER", type=pathlib.Path)
wanted = parser.parse_args().all
documents = [pathlib.Path("README.md"), *pathlib.Path("docs").glob("*.md")]
texts = [document.read_text() for document in documents]
named = sorted({name for text in texts for name in re.findall(r"pictures/([\w-]+\.png)", text)})


def draw(folder, **variables):
    try:
        project.run_tests("PageTests/|ReportPageTests/|PictureTests/", DAYBOOK_DRAW=str(folder),
                          **variables)
    except SystemExit as end:
        if end.code: raise


if wanted:
    wanted.mkdir(parents=True, exist_ok=True)
    draw(wanted.resolve())
    sys.exit()
pictures = pathlib.Path("docs/pictures").resolve()
with tempfile.TemporaryDirectory() as folder:
    # The repository takes small pictures.
    draw(folder, DAYBOOK_DRAW_HEIGHT="1200")
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir()
    for name in named:
        shutil.copy(pathlib.Path(folder, name), pictures)

"""Makes the pictures of the page and of the report in docs/pictures.

usage: tools/dev page-pictures
"""
import pathlib
import project

project.parser(__doc__).parse_args()
folder = pathlib.Path("docs/pictures").resolve()
folder.mkdir(exist_ok=True)
project.run_tests("PageTests/|ReportPageTests/", DAYBOOK_DRAW=str(folder))

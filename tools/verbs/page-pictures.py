"""Makes the pictures of the page in docs/pictures from a sandbox store.

usage: tools/dev page-pictures
"""
import pathlib
import project

project.parser(__doc__).parse_args()
folder = pathlib.Path("docs/pictures").resolve()
folder.mkdir(exist_ok=True)
project.run_tests("DaybookPageTests.PageTests", DAYBOOK_DRAW=str(folder))

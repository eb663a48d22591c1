"""Makes the books of a year, and compares the sums of hledger, ledger, beancount.

usage: tools/dev books [REQUESTS]

Each program reads its journal of a log of generated requests, spread over a year, and must have the
balances that `daybook balance` shows, to the last unit. The year's statement is verified, too.
Gains of as many generated movements are compared with those that a computation in Python finds.
tools/test takes 300 requests, and 200 movements.

  REQUESTS  how many requests; default 10000
"""
import os, subprocess, sys, tempfile
import project

arguments = project.parser(__doc__)
arguments.add_argument("requests", nargs="?", type=project.whole_number, default=10_000)
requests = str(arguments.parse_args().requests)
with tempfile.NamedTemporaryFile(suffix=".json") as movements:
    script = project.ROOT / "Tests/Fixtures/gains/gains.py"
    subprocess.run([sys.executable, "-B", script, requests, "7"], stdout=movements, check=True)
    project.run_tests(
        "BookYearTests|GainsTests", r"Test run with|movements$|recorded an issue|error:",
        DAYBOOK_BOOKS=requests, DAYBOOK_GAINS=movements.name)

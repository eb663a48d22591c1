"""Makes the books of a year, and compares the sums of hledger, ledger, beancount.

usage: tools/dev books [REQUESTS]

Each program reads its journal of a log of generated requests, spread over a year, and must have the
balances that `daybook balance` shows, to the last unit. The year's statement is verified, too.
tools/test takes 300 requests.

  REQUESTS  how many requests; default 10000
"""
import os

import project

arguments = project.parser(__doc__)
arguments.add_argument("requests", nargs="?", type=project.whole_number, default=10_000)
options = arguments.parse_args()
project.set_up("test")
project.swift_build("books.log", "--build-tests")
os.environ["DAYBOOK_BOOKS"] = str(options.requests)
project.become("swift", "test", "--skip-build", "--filter", "BookYearTests")

"""Makes the books of a year, and compares the sums of hledger, ledger, beancount.

usage: tools/dev books [REQUESTS]

Each program reads its journal of a log of generated requests, spread over a year, and must have the
balances that `daybook balance` shows, to the last unit. The year's statement is verified, too.
tools/test takes 300 requests.

  REQUESTS  how many requests; default 10000
"""
import project

project.run_longer(__doc__, "requests", 10_000, "DAYBOOK_BOOKS", "BookYearTests")

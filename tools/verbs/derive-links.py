"""Derives payment URIs from BIP 321's grammar, and checks what becomes of each.

usage: tools/dev derive-links [COUNT]

Each must be read, or refused by a rule with a name that its derivation calls for, and notes must be
read as they were meant. tools/test derives 10 000; the same ones come first here.

  COUNT  how many URIs; default 1000000
"""
import os

import project

arguments = project.parser(__doc__)
arguments.add_argument("count", nargs="?", type=project.whole_number, default=1_000_000)
options = arguments.parse_args()
project.set_up("test")
project.swift_build("derive-links.log", "--build-tests")
os.environ["DAYBOOK_DERIVATIONS"] = str(options.count)
project.become("swift", "test", "--skip-build", "--filter", "PaymentURIGrammarTests")

"""Derives payment URIs from BIP 321's grammar, and checks what becomes of each.

usage: tools/dev derive-links [COUNT]

Each must be read, or refused by a rule with a name that its derivation calls for, and notes must be
read as they were meant. tools/test derives 10 000; the same ones come first here.

  COUNT  how many URIs; default 1000000
"""
import project

project.run_longer(
    __doc__, "count", 1_000_000, "DAYBOOK_DERIVATIONS", "PaymentURIGrammarTests")

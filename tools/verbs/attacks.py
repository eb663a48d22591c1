"""Attacks a store in thousands of ways; no money may leave but as shown.

usage: tools/dev attacks [MINUTES] [--seed S] [--count N] [--kind TEXT]
       tools/dev attacks --only NUMBER
       tools/dev attacks --plant NAME

It alters the store, its log, exports and the answers of nodes; each time a simulated user, who
reads the prompts, works with the result. Each finding is printed with the number of its attack,
then a table of all kinds. The status is 1 where something was found.

  MINUTES        how long; 5 where nothing is given
  --seed S       which attacks come first
  --count N      how many attacks
  --guesses N    how many interleavings of guesses and payments by several processes come first
                 (10 000)
  --kind TEXT    only kinds with this text in their name
  --only NUMBER  one attack, told in words
  --plant NAME   with a weakness that the attacks must find
"""
import signal, subprocess, sys

import project

# The signals of a program that trapped.
TRAPS = [-number for number in
         (signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGFPE, signal.SIGSEGV)]


def main():
    program = project.build("attack", configuration="release") / "attack"
    journal = project.BUILD / "attacks.journal"
    journal.write_text("")
    # A trap is a finding: the program starts again and goes on with the next attack.
    while True:
        with open(journal, "a") as errors:
            done = subprocess.run([program, *sys.argv[1:], "--journal", journal], stderr=errors)
        if done.returncode not in TRAPS:
            sys.exit(done.returncode)


main()

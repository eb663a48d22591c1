"""Runs the long tests one after the other, each with its share of the time.

usage: tools/dev soak MINUTES [SEED]

At the end it says which of them found something; then the status is 1. docs/TESTING.md says what
each of them covers.

  SEED  where the tests that have seeds begin; random where nothing is given
"""
import random, subprocess, sys

import project

parser = project.parser(__doc__)
parser.add_argument("minutes", type=project.whole_number)
parser.add_argument("seed", type=int, nargs="?", default=random.randrange(1 << 15))
options = parser.parse_args()


def minutes(share):
    """A share of the time in hundredths, in whole minutes and at least one."""
    return -(-options.minutes * share // 100)


COMMANDS = [
    ["simulate", minutes(30), "--from", options.seed],
    ["crash-states", minutes(20), "--seed", options.seed],
    ["faults", minutes(15), "--seed", options.seed],
    ["fuzz", minutes(25)],
    ["stress", options.minutes * 60 * 8 // 100, 4],
    ["clients", minutes(2)],
    # It takes about a minute, whatever the time.
    ["canaries"],
]
found = []
for words in COMMANDS:
    command = " ".join(["tools/dev", *map(str, words)])
    print(f"== {command}", flush=True)
    if subprocess.run([project.ROOT / "tools/dev", *map(str, words)]).returncode:
        found.append(command)
if found:
    sys.exit("\n".join(f"found something: {command}" for command in found))
print(f"nothing was found; seed {options.seed}")

"""Exchanges words, keys, files, signatures and stamps with other programs.

usage: tools/dev test-peers [ROUNDS] [--seed N]

Each round makes a wallet of new words and compares keys and addresses, signs payments in turn with
another program, and exchanges ICON's keystores and signatures. The others are Python packages,
which are installed into .build/peers once; tools/test runs one round where they are there.

  ROUNDS    how many rounds; default 20
  --seed N  what determines the rounds; default 1
"""
import sys

import project

arguments = project.parser(__doc__)
arguments.add_argument("rounds", nargs="?", type=project.whole_number, default=20)
arguments.add_argument("--seed", type=project.whole_number, default=1)
options = arguments.parse_args()
if project.install_peers():
    sys.exit("test-peers: the Python packages can't be installed here")
programs = project.build("daybook")
project.become(project.PEERS, "-B", project.ROOT / "tools/support/peers.py", programs / "daybook",
               options.rounds, options.seed)

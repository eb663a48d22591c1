"""Tries out the clients of Dash, Axe and ICON on running nodes of your own.

usage: tools/dev test-nodes OPTION …

The nodes must be on regtest, or ICON's on a local network: blocks are mined, coins paid, spent
twice and reorganised. Any of the three chains may be left out.

    tools/dev test-nodes --dash http://127.0.0.1:19898/ --dash-password-file DATADIR/regtest/.cookie
    tools/dev test-nodes --axe http://127.0.0.1:19868/ --axe-user u --axe-password-file FILE
    tools/dev test-nodes --icon http://127.0.0.1:9080/api/v3 \\
        --icon-debug http://127.0.0.1:9080/api/v3d

The status is 0 where everything held, 1 where something did not, 2 for wrong usage, and 5 where a
node can't be asked or is of another chain; then nothing is done to any of them.

  --dash URL                a Dash node on regtest
  --dash-user U             its user
  --dash-password-file F    its password, or user:password as in .cookie
  --axe URL                 an Axe node on regtest
  --axe-user U              its user
  --axe-password-file F     its password, or user:password as in .cookie
  --icon URL                an ICON node of a local network, …/api/v3
  --icon-debug URL          where it estimates steps, …/api/v3d
  --icon-key-file F         the private key of a funded account, in hex
  --icon-keystore F         the keystore of a funded account
  --icon-passphrase-file F  the passphrase of the keystore
  --icon-token CX           a token contract whose tokens the account has

options of every command:
  --json     print JSON, one object a line
  --help     explain the command
  --version  print the version
"""
import sys

import project

project.become(
    project.build("node-suite", "daybook-replay") / "node-suite", "run", *sys.argv[1:])

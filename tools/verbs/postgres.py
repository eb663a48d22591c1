"""Runs a PostgreSQL of its own for trials and tests, until its input ends.

usage: tools/dev postgres [--port N] [SETTING=VALUE …]

It makes a server in a temporary folder, prints the address of its database, and waits. When its
standard input ends, or by Control-C, it ends the server and removes the folder. The server listens
on a Unix socket, which asks for no password.

    tools/dev postgres
    daybook store create 'postgres:///postgres?host=/tmp/…&user=daybook'

  --port N       listen on 127.0.0.1 too, with a password, which is printed behind the address
  SETTING=VALUE  a setting of the server, such as synchronous_commit=off
"""
import signal, sys

import databases, project

arguments = project.parser(__doc__)
arguments.add_argument("--port", type=project.whole_number)
arguments.add_argument("settings", nargs="*")
options = arguments.parse_args()
if not all("=" in setting for setting in options.settings):
    arguments.error("a setting is NAME=VALUE")
# A runner of tests that is killed ends the pipe, and with it the server.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
try:
    server = databases.Server(options.port, options.settings)
except databases.Missing as missing:
    sys.exit(f"tools/dev postgres: {missing}")
try:
    print(server.url, *([server.password] if options.port else []), flush=True)
    while sys.stdin.readline():
        pass
finally:
    server.remove()

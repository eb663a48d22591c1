"""Runs a PostgreSQL of its own for trials and tests, until its input ends.

usage: tools/dev postgres [--port N] [--proxy] [--pooler MODE] [SETTING=VALUE …]
       tools/dev postgres --pretend VERSION [--refuse STATE]

It makes a server in a temporary folder, prints the address of its database, and waits. When its
standard input ends, or by Control-C, it ends the server and removes the folder. The server listens
on a Unix socket, which asks for no password. The line "standby" makes a read-only standby of it.

    tools/dev postgres
    daybook store create 'postgres:///postgres?host=/tmp/…&user=daybook'

  --port N           listen on 127.0.0.1 too, with a password, which is printed behind the address
  --proxy            print the address of a proxy too, which cuts connections
  --pooler MODE      print the address of a PgBouncer too, in mode statement, transaction or session
  SETTING=VALUE      a setting of the server, such as synchronous_commit=off
  --pretend VERSION  run no server, but answer as one of that version would, and refuse everything
  --refuse STATE     the code of those refusals, of five characters; default 53100, a full disk

Each line of its input is a command, and has an answer:

  kill         kill -9 of the server, which is then started again
  standby      restarts it as a standby, which only lets its clients read
  cut N PLACE  the proxy cuts the connection at the N-th statement from now on: before the server
               gets it, during its work, or after it, when its answer is lost
  cuts         says how many connections it has cut since, of how many statements
"""
import signal, sys

import databases, pretending, project, proxy

arguments = project.parser(__doc__)
arguments.add_argument("--port", type=project.whole_number)
arguments.add_argument("--proxy", action="store_true")
arguments.add_argument("--pooler", choices=("statement", "transaction", "session"))
arguments.add_argument("--pretend", metavar="VERSION")
arguments.add_argument("--refuse", metavar="STATE", default="53100")
arguments.add_argument("settings", nargs="*")
options = arguments.parse_args()
if not all("=" in setting for setting in options.settings):
    arguments.error("a setting is NAME=VALUE")
# A runner of tests that is killed ends the pipe, and with it the server.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
try:
    server = (pretending.Pretender(options.pretend, options.refuse) if options.pretend
              else databases.Server(options.port, options.settings))
except databases.Missing as missing:
    sys.exit(f"tools/dev postgres: {missing}")


def kill():
    server.crash()
    return "killed"


def standby():
    server.become_standby()
    return "standby"


def cut(number, place):
    cutter.plan = proxy.Plan(place, int(number))
    return "set"


try:
    words = [server.url, *([server.password] if options.port else [])]
    commands = {"kill": kill, "standby": standby}
    if options.proxy:
        cutter, address = server.add_proxy()
        words.append(address)
        commands |= {"cut": cut, "cuts": lambda: f"{cutter.plan.cuts} {cutter.plan.seen}"}
    if options.pooler:
        words.append(server.add_pooler(options.pooler))
    print(*words, flush=True)
    project.answer_lines(commands)
finally:
    server.remove()

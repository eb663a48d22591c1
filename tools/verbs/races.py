"""Lets processes race for each position of a log in PostgreSQL: one wins each.

usage: tools/dev races [POSITIONS] [--processes N]

Each process tries to append at every position, expecting it to be the next. At the end each
position has the event of one process, which was told so, and every other process was refused.
The status is 0 then, and 1 otherwise.

  POSITIONS      how many positions; default 100000
  --processes N  how many processes; default 4
"""
import subprocess, sys

import databases, project

arguments = project.parser(__doc__)
arguments.add_argument("positions", nargs="?", type=project.whole_number, default=100_000)
arguments.add_argument("--processes", type=project.whole_number, default=4)
options = arguments.parse_args()
programs = project.build("daybook", "daybook-bench", configuration="release")
server = databases.Server()


def psql(query):
    return subprocess.run(["psql", "-X", "-q", "-t", "-A", server.url, "-c", query], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


try:
    log = "00" * 16
    address = server.url.replace("?", f"/{log}?")
    subprocess.run([programs / "daybook", "store", "create", address, "--home",
                    server.folder / "home"], check=True, stdout=subprocess.DEVNULL)
    racers = [subprocess.Popen([programs / "daybook-bench", "race", address, f"racer-{number}",
                                str(options.positions)], stdout=subprocess.PIPE, text=True)
              for number in range(options.processes)]
    won = {f"racer-{number}": int(racer.communicate()[0])
           for number, racer in enumerate(racers)}
    found = dict(line.split("|") for line in psql("""
        SELECT split_part(convert_from(bytes, 'UTF8'), ' ', 1) AS racer, count(*)
        FROM daybook.events GROUP BY racer""").splitlines())
    whole = psql("""
        SELECT (SELECT head FROM daybook.logs) = count(*) AND max(position) + 1 = count(*)
            AND bool_and(split_part(convert_from(bytes, 'UTF8'), ' ', 2) = position::text)
        FROM daybook.events""") == "t"
finally:
    server.remove()
for racer, count in won.items():
    print(f"{racer}: won {count}, has {found.get(racer, 0)}")
total = sum(won.values())
if not whole or any(int(found.get(racer, 0)) != count for racer, count in won.items()):
    sys.exit("races: a position has no event, or one whose process was told that it lost")
print(f"races: {options.positions} positions, {options.processes} processes, {total} wins")

"""Hurts a cluster's primary under load: nothing acknowledged is lost.

usage: tools/dev failover [HURTS]

Processes write to four logs of a cluster (tools/dev cluster), to half of them through a proxy,
while its primary is hurt in each way in turns. At the end each log must have every event, request,
decision and checkpoint that a process was told of; each payment must be on its chain once; a replay
must be clean. Without synchronous_commit it must be found to lose something. Then a connection is
cut at each statement of a payment, before, while and after the server runs it.

  HURTS  how often; 100 where nothing is given, which takes half an hour
"""
import project

parser = project.parser(__doc__)
parser.add_argument("hurts", type=project.whole_number, nargs="?", default=100)
options = parser.parse_args()
project.run_tests(
    r"DaybookTests\.(FailoverTests|CutConnectionTests)",
    r"^round |^\d+ rounds|^longest|^without|recorded an issue|error:",
    DAYBOOK_FAILOVER_ROUNDS=str(options.hurts))

"""Hurts a cluster's primary under load: nothing acknowledged is lost.

usage: tools/dev failover [HURTS]

Processes write to four logs of a cluster (tools/dev cluster), half of them through a proxy, while
its primary is hurt in each way in turns. At the end each log must have every event, request,
decision and checkpoint that a process was told of; each payment must be on its chain once; a replay
must be clean. Then the same without synchronous_commit must be found to lose something.

  HURTS  how often; 100 where nothing is given, which takes half an hour
"""
import project

parser = project.parser(__doc__)
parser.add_argument("hurts", type=project.whole_number, nargs="?", default=100)
options = parser.parse_args()
project.run_tests(
    "DaybookTests.FailoverTests",
    r"^round |^\d+ rounds|^longest|^without|recorded an issue|error:",
    DAYBOOK_FAILOVER_ROUNDS=str(options.hurts))

"""Lets several processes work on one store at once, and kills some.

usage: tools/dev stress [SECONDS [PROCESSES]]

For half of the time, processes receive, approve and reject: the log must lose, double and reorder
nothing, and each payment must be on its chain once. For the other half, a writer, four readers and
a replayer are killed again and again: each must have seen the log's events in order, without a gap.

  SECONDS    how long; 60 where nothing is given
  PROCESSES  how many processes write; 2 where nothing is given
"""
import project

parser = project.parser(__doc__)
parser.add_argument("seconds", type=project.whole_number, nargs="?", default=60)
parser.add_argument("processes", type=project.whole_number, nargs="?", default=2)
options = parser.parse_args()
project.run_tests(
    "DaybookTests.StressTests", r"^\d+ (processes|kills), |recorded an issue|error:",
    DAYBOOK_STRESS_SECONDS=str(options.seconds // 2),
    DAYBOOK_STRESS_PROCESSES=str(options.processes))

"""Plants secrets in every command and searches for them everywhere.

usage: tools/dev canaries [--short]

It searches the store's files, exports, temporary files, outputs, arguments and environments of
processes, cores, and the memory of a process that has used a key. As root it takes a minute.

  --short  each command once
"""
import sys

import project

folder = project.build("daybook", "daybook-replay", "fault-tracer")
project.become_python(
    project.TESTS / "Faults/Canaries/canaries.py", "--programs", folder, *sys.argv[1:])

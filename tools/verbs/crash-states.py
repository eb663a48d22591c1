"""Opens each state in which a power cut can leave the disk of a store.

usage: tools/dev crash-states [MINUTES] [--seed S] [--states N] [--workload NAME]…
                              [--ignore file-syncs|folder-syncs]

It records what a workload writes, enumerates the states that a power cut can leave, and opens each
one: everything acknowledged must be there, whole, and the next start must go on. Bad states are
kept in .build/crash-states.

  MINUTES          how long; one round where nothing is given
  --seed S         which states are drawn
  --states N       how many states of a workload in a round; 1500 where nothing is given
  --workload NAME  this workload alone; may be repeated
  --ignore WHICH   a disk that ignores syncs: a control, which must lose something and fail
"""
import sys

import project

arguments = sys.argv[1:]
if arguments and not arguments[0].startswith("-"):
    arguments = ["--minutes", *arguments]
project.set_up("test")
folder = project.build("CrashDriver", configuration="release")
project.become_python(project.TESTS / "Faults/CrashStates/crash_states.py", folder,
                      "--keep", project.BUILD / "crash-states", *arguments)

"""Lets each system call of daybook's commands fail; no store may be damaged.

usage: tools/dev faults [MINUTES] [--seed S] [--only WORKLOAD]… [--case WORKLOAD:FAULT:CALL]
                        [--limits-only | --calls-only]

It also takes files, memory and disk space away. After each fault the command must have done its
work or ended with a named error, and the store must be whole.

  MINUTES        how long; 10 where nothing is given
  --seed S       in which order; random where nothing is given
  --only NAME    this workload alone; may be repeated
  --case CASE    one case again, as a finding names it
  --calls-only   system calls, without limits and full disks
  --limits-only  limits and full disks alone
"""
import sys

import project

folder = project.build("daybook", "daybook-replay", "fault-tracer", "CrashDriver", "LogDriver")
project.become_python(project.TESTS / "Faults/faults.py", "--programs", folder, *sys.argv[1:])

"""Simulates front ends, users, nodes and faults by seed, against a model.

usage: tools/dev simulate [MINUTES] [--requests N] [--from S] [--go-on]
       tools/dev simulate --seed S
       tools/dev simulate --plant NAME

The first seed that finds something is shown by the fewest steps that find it; then the status is 1.

  MINUTES       how long; 1 where nothing is given
  --requests N  until so many requests were made, however long that takes
  --from S      the first seed; 0 where nothing is given
  --go-on       do not end at a seed that finds something
  --seed S      one seed, told in words
  --plant NAME  with a bug that the simulation must find
"""
import sys

import project

project.become(project.build("simulate", configuration="release") / "simulate", *sys.argv[1:])

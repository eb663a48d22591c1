"""Writes the golden logs of a version of the engine.

usage: tools/dev golden VERSION

They are in Tests/Fixtures/logs/VERSION, and every later version must replay them: a session, the
same with one outcome altered, the digest and the divergence that replay must find, and bad logs,
each with its first error. Only what is missing is written; a golden log is never edited.
"""
import project

parser = project.parser(__doc__)
parser.add_argument("version")
project.run_tests("GoldenLogTests|BadLogTests", DAYBOOK_GOLDEN=parser.parse_args().version)

"""Makes the tables and the drawing in the documents that follow from the code.

usage: tools/dev tables
"""
import project

project.parser(__doc__).parse_args()
project.run_tests("DocumentedTests|PaymentCommitTests|DatabaseStatementTests", DAYBOOK_DRAW="1")

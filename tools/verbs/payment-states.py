"""Draws docs/payment-states.svg from the table of a request's states.

usage: tools/dev payment-states
"""
import project

project.parser(__doc__).parse_args()
project.run_tests("PaymentStateDrawingTests", DAYBOOK_DRAW="1")

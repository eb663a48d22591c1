"""Performs requests of JSON-RPC, one a line, by the methods of the package: a door for other tests.

usage: method_calls.py connect SOCKET | open HOME
"""
import json
import keyword
import re
import sys

import daybook


def snake(name):
    """A parameter's name as the package spells it."""
    words = re.sub(r"(?<=[a-z])([A-Z]+)", lambda found: "_" + found[0].lower(), name)
    return words + "_" if words == "from" else words


def perform(store, method, params):
    """Calls a method by its name with dots; the members of an answer."""
    place = store
    for name in method.split("."):
        place = getattr(place, name + "_" * keyword.iskeyword(name), None)
    if place is None:
        return {"error": {"data": {"code": "unknownMethod"}}}
    try:
        return {"result": place(**{snake(name): value for name, value in params.items()})}
    except daybook.Error as problem:
        return {"error": {"message": problem.message, "data": {"code": problem.code}}}


way, place_of_store = sys.argv[1:]
with getattr(daybook, way)(place_of_store) as opened:
    for line in sys.stdin:
        request = json.loads(line)
        answer = perform(opened, request["method"], request["params"])
        print(json.dumps({"id": request["id"], **answer}), flush=True)

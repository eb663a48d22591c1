"""Compares every result of the package with the JSON that it was read from."""
import datetime
from decimal import Decimal

from daybook import _async_methods, _methods, _results, _store, aio


class Comparing:
    """Stands in for `read`: a member too many, too few or with another value is an error."""

    def __init__(self):
        self.last = None
        self._read = _results.read
        for module in (_results, _methods, _async_methods, _store, aio):
            module.read = self.read

    def read(self, value, result):
        """The result, which says all that the JSON says."""
        self.last = value
        given = self._read(value, result)
        compare(value, given, result.__name__)
        return given


def compare(json, given, place):
    """Ends where a result or a member differs from its JSON."""
    if isinstance(given, _results.Result):
        attributes = {name: attribute for name, attribute, _ in given._members}
        members = {name: value for name, value in json.items() if value is not None}
        assert members.keys() <= attributes.keys(), (
            f"{place} lacks {sorted(members.keys() - attributes.keys())}")
        for name, attribute in attributes.items():
            compare(members.get(name), getattr(given, attribute), f"{place}.{attribute}")
    elif isinstance(given, tuple):
        assert isinstance(json, list) and len(json) == len(given), place
        for number, value in enumerate(given):
            compare(json[number], value, f"{place}[{number}]")
    elif isinstance(given, dict):
        assert json.keys() == given.keys(), place
        for name, value in given.items():
            compare(json[name], value, f"{place}[{name}]")
    elif isinstance(given, datetime.datetime):
        assert given == datetime.datetime.fromisoformat(json), place
        assert given.utcoffset() == datetime.timedelta(0), place
    elif isinstance(given, Decimal) or isinstance(json, str):
        # An amount in the smallest unit is a number in Python.
        assert type(given)(json) == given, f"{place}: {json!r} and {given!r}"
    else:
        assert json is given or json == given and type(json) is type(given), place

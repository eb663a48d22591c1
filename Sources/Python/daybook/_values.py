"""Values of results and parameters: from JSON, and into it."""
from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from ._errors import USAGE, Error

# The types that calls take as an amount of whole coins, as a path and as a time.
Amount = Decimal | int | str
Path = str | os.PathLike[str]
Time = datetime.datetime | str

_Value = TypeVar("_Value")


def text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError("a member is no text")
    return value


def secret(value: Any) -> str:
    """A text that is not shown."""
    return text(value)


def number(value: Any) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("a member is no whole number")
    return value


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TypeError("a member is neither true nor false")
    return value


def time(value: Any) -> datetime.datetime:
    """A time in UTC."""
    return datetime.datetime.fromisoformat(text(value)).astimezone(datetime.timezone.utc)


def amount(value: Any) -> Decimal:
    """An amount of whole coins."""
    return Decimal(text(value))


def minor(value: Any) -> int:
    """An amount in the smallest unit."""
    return int(text(value))


def anything(value: Any) -> Any:
    """Any value."""
    return value


def many(convert: Callable[[Any], _Value]) -> Callable[[Any], tuple[_Value, ...]]:
    """A list of values."""
    def converted(values: Any) -> tuple[_Value, ...]:
        if not isinstance(values, list):
            raise TypeError("a member is no list")
        return tuple(convert(value) for value in values)

    return converted


def mapping(convert: Callable[[Any], _Value]) -> Callable[[Any], dict[str, _Value]]:
    """Values by their names."""
    def converted(values: Any) -> dict[str, _Value]:
        if not isinstance(values, Mapping):
            raise TypeError("a member is no object")
        return {name: convert(value) for name, value in values.items()}

    return converted


def or_none(convert: Callable[[Any], _Value]) -> Callable[[Any], _Value | None]:
    """A value, or null."""
    return lambda value: None if value is None else convert(value)


def in_json(value: object) -> object:
    """A parameter as JSON has it, where `json` knows no form of it."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError("an amount is finite")
        return format(value, "f")
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError("a time needs its zone, such as datetime.timezone.utc")
        in_utc = value.astimezone(datetime.timezone.utc)
        return in_utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def amount_text(value: Amount | None) -> Decimal | str | None:
    """An amount that a call takes: no binary fraction, which is seldom what was meant."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None or isinstance(value, (Decimal, str)):
        return value
    raise Error("usage", "an amount is a Decimal, an int or a text", USAGE)

"""The common parts of the types of results: reading an object of JSON, and showing it."""
from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar

from ._errors import STORE, Error
from ._values import secret

_Entry = TypeVar("_Entry")
_Result = TypeVar("_Result", bound="Result")
_Other = TypeVar("_Other", bound="Result")

# A member's name in JSON and in Python, and what reads its value.
Member = tuple[str, str, Callable[[Any], Any]]


class Result:
    """An object that a call returns; a member that it lacks is None."""

    __slots__ = ()
    _members: ClassVar[tuple[Member, ...]] = ()

    @classmethod
    def of(cls, value: Any) -> Self:
        """The result that an object of JSON is, without members that this version doesn't know."""
        if not isinstance(value, Mapping):
            raise TypeError("it is no object")
        given = {attribute: convert(value[name])
                 for name, attribute, convert in cls._members if name in value}
        return cls(**given)

    def __repr__(self) -> str:
        """The members that it has, without those that are secret."""
        shown = [f"{attribute}={getattr(self, attribute)!r}"
                 for _, attribute, reads in self._members
                 if reads is not secret and getattr(self, attribute) is not None]
        return f"{type(self).__name__}({', '.join(shown)})"


class Listing(Result, Generic[_Entry]):
    """A result that is a list: it has a length, an index, and its entries one by one."""

    __slots__ = ()

    @property
    def _entries(self) -> tuple[_Entry, ...]:
        """The first member."""
        entries: tuple[_Entry, ...] = getattr(self, self._members[0][1])
        return entries

    def __iter__(self) -> Iterator[_Entry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> _Entry:
        return self._entries[index]


def read(value: Any, result: type[_Result]) -> _Result:
    """The result that an answer has."""
    try:
        return result.of(value)
    except (TypeError, ValueError, ArithmeticError) as problem:
        raise Error("badAnswer", f"the answer is no {result.__name__}: {problem}", STORE) from None


def read_either(value: Any, first: type[_Result], second: type[_Other]) -> _Result | _Other:
    """The result of the first type whose members an answer has, where it may be of two."""
    is_first = isinstance(value, Mapping) and first._members[0][0] in value
    return read(value, first) if is_first else read(value, second)


def pages(
    page: Callable[..., Listing[_Entry]], cursor: str, start: object
) -> Iterator[_Entry]:
    """The entries of all pages, of which each is read when the one before it was gone over."""
    while True:
        entries = page(**{cursor: start})
        yield from entries
        start = getattr(entries, "next")
        if start is None or not entries:
            return


async def async_pages(
    page: Callable[..., Awaitable[Listing[_Entry]]], cursor: str, start: object
) -> AsyncIterator[_Entry]:
    """The same, to be awaited."""
    while True:
        entries = await page(**{cursor: start})
        for entry in entries:
            yield entry
        start = getattr(entries, "next")
        if start is None or not entries:
            return

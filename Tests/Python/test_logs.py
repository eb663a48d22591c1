"""Logs that are named: of a server of many, or the one that is open."""
import asyncio

import pytest

import daybook
import daybook.aio
from fake_server import info

FIRST, SECOND = "0" * 31 + "1", "0" * 31 + "2"


def answering(asked):
    """Answers each call by the log that it names; each subscription is dropped after a change."""

    def handle(request, server):
        params = request["params"]
        asked.append((request["method"], params.get("log"), params.get("after")))
        if request["method"] == "subscribe":
            position = 0 if params.get("after") is None else params["after"]
            server.answer(request, {"subscription": 1, "position": position})
            server.changed(position + 1)
            server.dropped()
        else:
            server.answer(request, info(log=params.get("log")))

    return handle


def test_calls_and_changes_of_several_logs_share_a_connection(fake):
    asked = []
    with daybook.connect(fake(answering(asked)).path, log=FIRST) as first:
        second = first.of_log(SECOND)
        assert first.info().log == FIRST
        assert second.info().log == SECOND
        with second.changes() as changes:
            assert [next(changes).position, next(changes).position] == [1, 2]
        second.close()
        assert first.info().log == FIRST
    assert ("subscribe", SECOND, None) in asked and ("subscribe", SECOND, 1) in asked
    with pytest.raises(daybook.Closed):
        first.info()
    with pytest.raises(daybook.Closed):
        second.info()


def test_the_same_with_asyncio(fake):
    asked = []

    async def use(path):
        async with await daybook.aio.connect(path, log=FIRST) as first:
            second = first.of_log(SECOND)
            assert (await first.info()).log == FIRST
            async with second.changes() as changes:
                assert (await anext(changes)).position == 1
                assert (await anext(changes)).position == 2
            await second.close()
            assert (await second.info()).log == SECOND
        with pytest.raises(daybook.Closed):
            await second.info()

    asyncio.run(use(fake(answering(asked)).path))
    assert ("subscribe", SECOND, None) in asked and ("subscribe", SECOND, 1) in asked


def test_a_single_store_takes_its_own_log_and_no_other(wallets):
    own = wallets.of_log(wallets.info().log)
    assert own.wallet.list() == wallets.wallet.list()
    other = wallets.of_log(FIRST)
    for call in (other.info, other.changes):
        with pytest.raises(daybook.Error) as failure:
            call()
        assert (failure.value.code, failure.value.status) == ("logNotServed", 3)
    for malformed in ("", "x" * 32, FIRST + "0"):
        with pytest.raises(daybook.Error) as failure:
            wallets.of_log(malformed).info()
        assert failure.value.code == "usage"

"""The calls for asyncio, through both doors and with servers that fail."""
import asyncio

import pytest

import daybook
import daybook.aio
from conftest import LINK, PASSPHRASE


@pytest.fixture(params=["socket", "library"])
def opening(request, home):
    """Opens the same store through both doors."""
    if request.param == "library":
        return lambda: daybook.aio.open(home)
    path = request.getfixturevalue("socket_path")
    return lambda: daybook.aio.connect(path)


def test_a_payment_is_approved_while_changes_are_read(opening):
    async def session():
        async with await opening() as wallets:
            async with wallets.changes() as changes:
                opened = await wallets.request.open(LINK)
                change = await asyncio.wait_for(anext(changes), 10)
                changed = daybook.types.Changed(what="request", request=opened.request)
                assert changed in change.changes
                done = await wallets.request.approve(
                    opened.request, opened.prompt.digest, passphrase=PASSPHRASE)
                assert done.status == "completed"
            assert [each async for each in changes] == []
            listed = [each.request async for each in wallets.request.all()]
            assert listed == [opened.request]
            assert "daybook.aio" in repr(wallets)
            answers = await asyncio.gather(*[wallets.info() for _ in range(50)])
            assert len({each.log for each in answers}) == 1

    asyncio.run(session())


def test_closing_ends_readers_and_calls(opening):
    async def session():
        wallets = await opening()

        async def read(changes):
            return [each async for each in changes]

        async with wallets.changes() as changes:
            reader = asyncio.create_task(read(changes))
            await wallets.info()
            await wallets.close()
            assert await asyncio.wait_for(reader, 10) == []
        with pytest.raises(daybook.Closed):
            await wallets.info()

    asyncio.run(session())


def test_a_failure_has_its_code(opening):
    async def session():
        async with await opening() as wallets:
            with pytest.raises(daybook.Error) as failure:
                await wallets.request.show(99)
            assert (failure.value.code, failure.value.status) == ("unknownRequest", 1)

    asyncio.run(session())


@pytest.mark.parametrize("text", [b"", b'{"id":1,', b"nonsense\n", b"3\n"])
def test_a_server_that_fails_ends_calls_and_changes(fake, text):
    def handle(request, server):
        if request["method"] == "subscribe":
            server.answer(request, {"subscription": 1, "position": 4})
        else:
            server.send_raw(text)
            server.hang_up()

    async def session():
        async with await daybook.aio.connect(fake(handle).path) as wallets:
            async with wallets.changes() as changes:
                with pytest.raises(daybook.Closed):
                    await wallets.info()
                with pytest.raises(daybook.Closed):
                    await anext(changes)

    asyncio.run(session())


def test_a_late_answer_is_a_timeout(fake):
    async def session():
        server = fake(lambda request, server: None)
        async with await daybook.aio.connect(server.path, timeout=0.01) as wallets:
            with pytest.raises(daybook.Timeout):
                await wallets.info()

    asyncio.run(session())


def test_a_dropped_subscription_continues(fake):
    def handle(request, server):
        if request["method"] != "subscribe":
            return server.answer(request, {})
        number = 1 if "after" not in request["params"] else 2
        server.answer(request, {"subscription": number, "position": 4})
        server.changed(4 + number, number)
        if number == 1:
            server.dropped(number)

    async def session():
        async with await daybook.aio.connect(fake(handle).path) as wallets:
            changes = wallets.changes()
            assert [(await anext(changes)).position for _ in range(2)] == [5, 6]

    asyncio.run(session())

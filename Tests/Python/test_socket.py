"""The socket's side with servers that answer late, wrongly or not at all."""
import threading

import pytest

import daybook
from daybook import _door
from fake_server import info


def test_no_server_is_an_error_with_the_path(folder):
    with pytest.raises(daybook.Error) as failure:
        daybook.connect(folder + "/none")
    assert failure.value.code == "notConnected"
    assert folder in failure.value.message


def test_answers_may_come_out_of_order(fake):
    waiting = []

    def handle(request, server):
        waiting.append(request)
        if len(waiting) == 2:
            for each in reversed(waiting):
                server.answer(each, {"address": str(each["params"]["wallet"]), "uri": ""})

    store = daybook.connect(fake(handle).path)
    given = {}

    def call(number):
        given[number] = store.wallet.address(number).address

    threads = [threading.Thread(target=call, args=(number,)) for number in (7, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert given == {7: "7", 8: "8"}
    store.close()


def test_a_late_answer_is_a_timeout_and_the_connection_goes_on(fake):
    late = []

    def handle(request, server):
        if late:
            server.answer(late[0], info(1))
            server.answer(request, info(2))
        else:
            late.append(request)

    store = daybook.connect(fake(handle).path, timeout=0.01)
    with pytest.raises(daybook.Timeout) as failure:
        store.info()
    assert isinstance(failure.value, TimeoutError)
    assert store.info(timeout=30).events == 2
    store.close()


@pytest.mark.parametrize(("text", "message"), [
    (b"", "closed the connection"),
    (b'{"jsonrpc":"2.0","id":1,"res', "closed the connection"),
    (b"no JSON\n", "no JSON"),
    (b"[1]\n", "no object"),
    (b"[" * 100_000 + b"\n", "no JSON"),
    (b"\xff\xfe\n", "no JSON"),
])
def test_a_server_that_dies_or_talks_nonsense_ends_calls_and_changes(fake, text, message):
    def handle(request, server):
        if request["method"] == "subscribe":
            server.answer(request, {"subscription": 1, "position": 4})
        else:
            server.send_raw(text)
            server.hang_up()

    store = daybook.connect(fake(handle).path)
    changes = store.changes()
    for _ in range(2):
        with pytest.raises(daybook.Closed, match=message):
            store.info()
        with pytest.raises(daybook.Closed, match=message):
            next(changes)
    store.close()


def test_a_line_without_an_end_is_given_up(fake, monkeypatch):
    monkeypatch.setattr(_door, "LONGEST_LINE", 1000)
    store = daybook.connect(fake(lambda _, server: server.send_raw(b"x" * 2000)).path)
    with pytest.raises(daybook.Closed, match="without an end"):
        store.info()
    store.close()


@pytest.mark.parametrize("value", [
    {"id": 1}, {"id": 1, "error": 3}, {"id": 1, "error": {"code": "x", "data": []}},
    {"id": 1, "result": [1]}, {"id": 1, "result": {}}, {"id": 1, "result": info() | {"log": 1}},
    {"id": 1, "result": info() | {"events": "5"}}, {"id": 1, "result": info() | {"events": True}},
])
def test_an_answer_without_sense_fails_its_call_alone(fake, value):
    answers = [value]

    def handle(request, server):
        server.send(answers.pop() if answers else {"id": request["id"], "result": info()})

    store = daybook.connect(fake(handle).path)
    with pytest.raises(daybook.Error):
        store.info()
    assert store.info().events == 5
    store.close()


def test_foreign_ids_and_notifications_are_ignored(fake):
    def handle(request, server):
        server.send({"id": 999, "result": {}})
        server.send({"method": "changed", "params": {"subscription": 3}})
        server.send({"method": "news", "params": [1]})
        server.answer(request, info())

    store = daybook.connect(fake(handle).path)
    assert store.info().events == 5
    store.close()


def test_a_dropped_subscription_continues_after_the_last_change(fake):
    asked = []

    def handle(request, server):
        if request["method"] != "subscribe":
            return server.answer(request, {})
        asked.append(request["params"])
        number = len(asked)
        server.answer(request, {"subscription": number, "position": 4})
        server.changed(4 + number, number)
        if number == 1:
            server.dropped(number)

    store = daybook.connect(fake(handle).path)
    changes = store.changes()
    assert [next(changes).position for _ in range(2)] == [5, 6]
    assert asked == [{}, {"after": 5}]
    store.close()


def test_changes_that_nobody_takes_are_read_again_later(fake, monkeypatch):
    monkeypatch.setattr(_door, "LONGEST_FEED", 3)
    asked = []

    def handle(request, server):
        if request["method"] != "subscribe":
            return server.answer(request, info())
        asked.append(request["params"].get("after"))
        server.answer(request, {"subscription": len(asked), "position": -1})
        for position in range((asked[-1] or 0) + 1, 10):
            server.changed(position, len(asked))

    store = daybook.connect(fake(handle).path)
    with store.changes() as changes:
        store.info()
        assert [next(changes).position for _ in range(9)] == list(range(1, 10))
    assert asked[:2] == [None, 3]
    store.close()


def test_a_parameter_that_is_no_json_is_refused_before_it_is_sent(fake):
    store = daybook.connect(fake(lambda request, server: server.answer(request, {})).path)
    with pytest.raises(daybook.Error, match="can't be sent"):
        store.request.open({1, 2})
    store.close()

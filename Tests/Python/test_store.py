"""A store through the socket and through the library."""
import concurrent.futures
import subprocess
import sys
import threading

import pytest

import daybook
from conftest import LINK, PASSPHRASE


def test_a_payment_is_opened_shown_approved_and_delivered(wallets):
    opened = wallets.request.open(LINK)
    assert opened["status"] == "pending"
    prompt = wallets.request.prompt(opened["request"])["prompt"]
    assert prompt["amounts"][0]["amount"] == "0.25"
    done = wallets.request.approve(
        opened["request"], shown=prompt["digest"], passphrase=PASSPHRASE)
    assert done["status"] == "completed"
    assert [each["url"] for each in wallets.callback.list()["callbacks"]] == [done["callback"]]
    wallets.callback.delivered(opened["request"])
    assert wallets.callback.list()["callbacks"] == []


def test_a_failure_has_its_code_status_and_message(wallets):
    with pytest.raises(daybook.Error) as failure:
        wallets.request.prompt(99)
    assert failure.value.code == "unknownRequest"
    assert failure.value.status == 1
    assert failure.value.message == "there is no such request"
    prompt = wallets.request.open(LINK)["prompt"]
    with pytest.raises(daybook.Error) as failure:
        wallets.request.approve(
            wallets.log.read(0)["next"] - 2, shown=prompt["digest"], passphrase="no such")
    assert (failure.value.code, failure.value.status) == ("wrongPassphrase", 4)
    assert "no such" not in str(failure.value)
    with pytest.raises(daybook.Error) as failure:
        wallets.wallet.address("nobody's")
    assert failure.value.code == "unknownWallet"


def test_changes_come_in_order_and_end_with_the_store(wallets):
    changes = wallets.changes()
    start = changes.position
    request = wallets.request.open(LINK)["request"]
    first = changes.take(timeout=10)
    assert {"what": "request", "request": request} in first["changes"]
    assert first["position"] > start
    again = wallets.changes(after=start)
    assert again.take(timeout=10)["position"] >= first["position"]
    wallets.request.reject(request)
    assert changes.take(timeout=10)["position"] > first["position"]
    again.close()
    wallets.close()
    assert list(changes) == []
    with pytest.raises(daybook.Closed):
        wallets.info()


def test_all_changes_are_read_from_the_first_event_on(wallets):
    with wallets.changes(after=-1) as changes:
        seen = [changes.take(timeout=10)]
        while seen[-1]["position"] < wallets.info()["events"] - 1:
            seen.append(changes.take(timeout=10))
    kinds = {change["what"] for each in seen for change in each["changes"]}
    assert {"wallet", "balance"} <= kinds


def test_a_position_beyond_the_log_is_refused(wallets):
    with pytest.raises(daybook.Error) as failure:
        wallets.changes(after=10_000)
    assert failure.value.code == "unknownPosition"


@pytest.mark.parametrize("after", [2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -2, -2**63])
def test_a_position_that_no_log_has_is_a_wrong_argument(wallets, after):
    with pytest.raises(daybook.Error) as failure:
        wallets.changes(after=after)
    assert (failure.value.code, failure.value.status) == ("usage", 2)
    assert wallets.info()["events"] > 0


def test_closing_from_another_thread_ends_a_waiting_reader(wallets):
    changes = wallets.changes()
    ended = threading.Event()

    def read():
        assert list(changes) == []
        ended.set()

    thread = threading.Thread(target=read)
    thread.start()
    changes.close()
    assert ended.wait(10)
    thread.join()


def test_many_threads_call_at_once(wallets):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: wallets.info()["log"], range(80)))
    assert len(set(answers)) == 1


def test_a_time_limit_does_not_disturb_a_call_that_keeps_it(wallets):
    assert wallets.info(timeout=30)["version"] == daybook.__version__


def test_a_store_can_be_opened_again_at_once(home):
    for _ in range(5):
        with daybook.open(home) as store:
            store.balance.list()


def test_a_store_that_is_forgotten_is_closed(home):
    for _ in range(3):
        store = daybook.open(home)
        changes = store.changes(after=-1)
        assert changes.take(timeout=10)
        del store, changes


def test_a_program_may_end_without_closing_anything(home):
    text = (
        "import daybook, sys\n"
        "store = daybook.open(sys.argv[1])\n"
        "changes = store.changes(after=-1)\n"
        "store.sandbox.mine(3)\n")
    done = subprocess.run([sys.executable, "-B", "-c", text, home], check=False)
    assert done.returncode == 0


def test_a_second_opening_and_a_missing_store_are_refused(home, folder):
    with daybook.open(home):
        with pytest.raises(daybook.Error) as failure:
            daybook.open(home)
        assert (failure.value.code, failure.value.status) == ("storeAlreadyOpen", 3)
    with pytest.raises(daybook.Error) as failure:
        daybook.open(folder + "/none")
    assert (failure.value.code, failure.value.status) == ("storeMissing", 3)

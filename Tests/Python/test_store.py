"""A store through the socket and through the library."""
import concurrent.futures
import copy
import dataclasses
import datetime
import pathlib
import pickle
import subprocess
import sys
import threading
from decimal import Decimal

import pytest

import daybook
from conftest import LINK, PASSPHRASE


def test_a_payment_is_opened_shown_approved_and_delivered(wallets):
    opened = wallets.request.open(LINK)
    assert opened.status == "pending"
    prompt = wallets.request.prompt(opened.request).prompt
    assert prompt.amounts[0].amount == Decimal("0.25")
    done = wallets.request.approve(
        opened.request, shown=prompt.digest, passphrase=PASSPHRASE)
    assert done.status == "completed"
    assert [each.url for each in wallets.callback.list()] == [done.callback]
    wallets.callback.delivered(opened.request)
    assert not wallets.callback.list()


def test_a_failure_has_its_code_status_and_message(wallets):
    with pytest.raises(daybook.Error) as failure:
        wallets.request.prompt(99)
    assert failure.value.code == "unknownRequest"
    assert failure.value.status == 1
    assert failure.value.message == "there is no such request"
    prompt = wallets.request.open(LINK).prompt
    with pytest.raises(daybook.Error) as failure:
        wallets.request.approve(
            wallets.log.read(0).next - 2, shown=prompt.digest, passphrase="no such")
    assert (failure.value.code, failure.value.status) == ("wrongPassphrase", 4)
    assert "no such" not in str(failure.value)
    with pytest.raises(daybook.Error) as failure:
        wallets.wallet.address("nobody's")
    assert failure.value.code == "unknownWallet"


def test_changes_come_in_order_and_end_with_the_store(wallets):
    changes = wallets.changes()
    start = changes.position
    request = wallets.request.open(LINK).request
    first = changes.take(timeout=10)
    assert daybook.types.Changed(what="request", request=request) in first.changes
    assert first.position > start
    again = wallets.changes(after=start)
    assert again.take(timeout=10).position >= first.position
    wallets.request.reject(request)
    assert changes.take(timeout=10).position > first.position
    again.close()
    wallets.close()
    assert list(changes) == []
    with pytest.raises(daybook.Closed):
        wallets.info()


def test_all_changes_are_read_from_the_first_event_on(wallets):
    with wallets.changes(after=-1) as changes:
        seen = [changes.take(timeout=10)]
        while seen[-1].position < wallets.info().events - 1:
            seen.append(changes.take(timeout=10))
    kinds = {change.what for each in seen for change in each.changes}
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
    assert wallets.info().events > 0


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
        answers = list(pool.map(lambda _: wallets.info().log, range(80)))
    assert len(set(answers)) == 1


def test_a_time_limit_does_not_disturb_a_call_that_keeps_it(wallets):
    assert wallets.info(timeout=30).version == daybook.__version__


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


def test_lists_are_gone_over_page_by_page(wallets):
    numbers = [wallets.request.open(LINK + str(number)).request for number in range(5)]
    asked = []
    pages = wallets.request._call
    wallets.request._call = lambda method, params, timeout: (
        asked.append(params["before"]) or pages(method, params | {"limit": 2}, timeout))
    assert [each.request for each in wallets.request.all()] == numbers[::-1]
    assert asked == [None, numbers[3], numbers[1]]
    wallets.request._call = pages
    assert [each.request for each in wallets.request.all(after=numbers[2])] == numbers[3:]
    assert list(wallets.request.all(["rejected"])) == []
    assert [each.position for each in wallets.log.all(0)] == list(range(wallets.info().events))
    assert sum(each.amount for each in wallets.history.all("my")) == 10
    assert {each.amount for each in wallets.coin.all("my")} == {Decimal(10)}
    assert list(wallets.callback.all()) == []


def test_a_list_has_a_length_an_index_and_its_entries(wallets):
    listed = wallets.wallet.list()
    assert (len(listed), listed[0].label, [each.chain for each in listed]) == (1, "my", ["dash"])
    assert bool(wallets.payment.list()) is False


def test_values_have_the_types_of_python(wallets):
    balance = wallets.balance.list()[0]
    assert balance.available == 10 * 10**balance.decimals
    entry = wallets.history.list("my")[0]
    assert (entry.amount, entry.minor) == (Decimal(10), 10**8 * 10)
    assert entry.time.utcoffset() == datetime.timedelta(0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        entry.amount = Decimal(0)
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert hash(entry) == hash(wallets.history.list("my")[0])


@pytest.mark.parametrize("amount", [Decimal("0.5"), "0.5", Decimal("5e-1")])
def test_amounts_are_sent_as_they_are_meant(wallets, amount):
    assert wallets.sandbox.fund("my", amount).amount == Decimal("0.5")
    assert wallets.sandbox.fund("my", 2).amount == 2


@pytest.mark.parametrize("amount", [0.5, True, Decimal("NaN"), Decimal("Infinity")])
def test_an_amount_that_is_none_is_refused_before_it_is_sent(wallets, amount):
    with pytest.raises(daybook.Error) as failure:
        wallets.sandbox.fund("my", amount)
    assert (failure.value.code, failure.value.status) == ("usage", 2)


def test_what_is_shown_of_an_object_says_what_it_is_and_has_no_secret(wallets, home, socket_path):
    made = wallets.wallet.add("dash", new=True, passphrase=PASSPHRASE, label="new")
    assert len(made.mnemonic.split()) == 12
    assert repr(made).startswith("AddedWallet(wallet=") and "label='new'" in repr(made)
    assert made.mnemonic not in repr(made) and "mnemonic" not in repr(made)
    assert "None" not in repr(made)
    assert (home if "library" in repr(wallets) else socket_path) in repr(wallets)
    with wallets.changes() as changes:
        assert str(changes.position) in repr(changes)


def test_paths_may_be_objects(folder):
    made = pathlib.Path(folder, "other")
    daybook.create(made)
    with daybook.open(made) as store:
        assert store.info().home == str(made)


@pytest.mark.parametrize("code", sorted(daybook.Error._by_code))
def test_every_code_has_an_exception_that_survives_pickling(code):
    error = daybook.Error(code, "it failed", 4, 17)
    name = code[0].upper() + code[1:]
    assert type(error) is getattr(daybook.errors, name)
    for copied in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(copied) is type(error) and str(copied) == f"it failed ({code})"
        assert (copied.code, copied.message, copied.status, copied.position) == (
            code, "it failed", 4, 17)
    with pytest.raises(daybook.Error, match="it failed"):
        raise error


def test_a_code_of_a_later_version_is_a_plain_error():
    error = daybook.Error("codeOfTomorrow", "it failed", 3)
    assert type(error) is daybook.Error
    assert type(pickle.loads(pickle.dumps(error))) is daybook.Error


def test_failures_are_caught_by_their_codes(wallets, folder):
    prompt = wallets.request.open(LINK).prompt
    request = wallets.request.list()[0].request
    with pytest.raises(daybook.errors.PromptChanged):
        wallets.request.approve(request, shown="00" * 32, passphrase=PASSPHRASE)
    with pytest.raises(daybook.errors.WrongPassphrase):
        wallets.request.approve(request, shown=prompt.digest, passphrase="no such")
    with pytest.raises(daybook.errors.UnknownPosition):
        wallets.changes(after=10_000)
    with pytest.raises(ConnectionError):
        daybook.connect(folder + "/none")

"""A wallet's back end as an application on the event store `eventsourcing`, with SQLite.

usage: lifecycles.py DIR PAYERS PAYMENTS      prints the number of payments and the nanoseconds
"""
import concurrent.futures, hashlib, os, sys, time, urllib.parse

os.environ.update(
    PERSISTENCE_MODULE="eventsourcing.sqlite",
    SQLITE_DBNAME=os.path.join(sys.argv[1], "events.sqlite"),
    # One process writes: an aggregate in the cache needs no look at the database.
    AGGREGATE_CACHE_MAXSIZE="1000", AGGREGATE_CACHE_FASTFORWARD="n")

from coincurve import PrivateKey, PublicKey
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

FEE = 1000
DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def double_sha256(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def script_of(digest):
    """The script that pays to a hash of a public key."""
    return b"\x76\xa9\x14" + digest + b"\x88\xac"


def decode_address(text):
    """The script of an address."""
    number = 0
    for digit in text:
        number = number * 58 + DIGITS.index(digit)
    data = number.to_bytes(25, "big")
    if double_sha256(data[:21])[:4] != data[21:]:
        raise ValueError("an address has a wrong checksum")
    return script_of(data[1:21])


def decode_amount(text):
    """An amount in coins, without floating point."""
    whole, _, fraction = text.partition(".")
    if len(fraction) > 8:
        raise ValueError("a link has no amount")
    return int(whole + fraction.ljust(8, "0"))


def serialize(coins, scripts, outputs):
    """A transaction that spends coins to outputs, each an amount and a script."""
    parts = [(1).to_bytes(4, "little"), bytes([len(coins)])]
    for (txid, number, _), script in zip(coins, scripts):
        parts += [bytes.fromhex(txid), number.to_bytes(4, "little"), bytes([len(script)]), script,
                  b"\xff" * 4]
    parts.append(bytes([len(outputs)]))
    for amount, script in outputs:
        parts += [amount.to_bytes(8, "little"), bytes([len(script)]), script]
    return b"".join(parts) + bytes(4)


def verify(public_key, digests, signatures):
    key = PublicKey(public_key)
    if not all(key.verify(signature, digest, hasher=None)
               for digest, signature in zip(digests, signatures)):
        raise ValueError("a signature does not verify")


class Wallet(Aggregate):
    @event("Added")
    def __init__(self, public_key):
        self.public_key = public_key
        self.coins = {}
        self.balance = 0

    @event("Observed")
    def observe(self, txid, number, amount):
        self.coins[f"{txid}:{number}"] = [txid, number, amount]
        self.balance += amount

    @event("Spent")
    def spend(self, coins):
        for txid, number, amount in coins:
            del self.coins[f"{txid}:{number}"]
            self.balance -= amount

    def select(self, needed):
        """The largest coins that make up an amount."""
        if self.balance < needed:
            raise ValueError("the balance is too small")
        chosen, total = [], 0
        for coin in sorted(self.coins.values(), key=lambda coin: -coin[2]):
            if total >= needed:
                break
            chosen.append(coin)
            total += coin[2]
        return chosen


class Request(Aggregate):
    @event("Received")
    def __init__(self, text):
        self.text, self.status = text, "received"

    @event("Accepted")
    def accept(self, script, amount, prompt):
        self.script, self.amount, self.prompt = script, amount, prompt
        self.status = "pending"

    @event("Decided")
    def decide(self, prompt):
        if self.status != "pending" or prompt != self.prompt:
            raise ValueError("it is decided, or another prompt was shown")
        self.status = "approved"

    @event("Prepared")
    def prepare(self, transaction, digests):
        self.digests = digests

    @event("SignatureMade")
    def sign(self, signatures):
        self.signatures = signatures

    @event("Signed")
    def complete(self, transaction, txid):
        self.txid, self.status = txid, "signed"

    @event("Answered")
    def answer(self, answer):
        pass

    @event("Sent")
    def send(self):
        self.status = "sent"

    @event("CallbackEmitted")
    def emit(self, callback):
        self.callback = callback

    @event("Locked")
    def lock(self):
        self.locked = True

    @event("Delivered")
    def deliver(self):
        self.status = "completed"


class Wallets(Application):
    """Makes payments in four steps, each saved at once."""

    def add(self, secret):
        public_key = PrivateKey(secret).public_key.format()
        wallet = Wallet(public_key.hex())
        wallet.observe(hashlib.sha256(public_key).hexdigest(), 0, 100_000_000_000)
        self.save(wallet)
        return wallet.id

    def receive(self, text):
        """Records a link; the request's id, and the digest of what is shown."""
        fields = dict(urllib.parse.parse_qsl(text.partition("://")[2]))
        script, amount = decode_address(fields["pay"]), decode_amount(fields["amount"])
        shown = f"pay {amount} to {fields['pay']} for {fields['sender']}"
        prompt = hashlib.sha256(shown.encode()).hexdigest()
        request = Request(text)
        request.accept(script.hex(), amount, prompt)
        self.save(request)
        return request.id, prompt

    def approve(self, id, prompt, wallet_id, secret):
        request, wallet = self.repository.get(id), self.repository.get(wallet_id)
        request.decide(prompt)
        public_key, private_key = bytes.fromhex(wallet.public_key), PrivateKey(secret)
        if private_key.public_key.format() != public_key:
            raise ValueError("it is the key of another wallet")

        coins = wallet.select(request.amount + FEE)
        own = script_of(hashlib.sha256(public_key).digest()[:20])
        change = sum(amount for _, _, amount in coins) - request.amount - FEE
        outputs = [(request.amount, bytes.fromhex(request.script)), (change, own)]
        digests = []
        for index in range(len(coins)):
            scripts = [own if other == index else b"" for other in range(len(coins))]
            digests.append(double_sha256(serialize(coins, scripts, outputs)
                                         + (1).to_bytes(4, "little")))
        signatures = [private_key.sign(digest, hasher=None) for digest in digests]
        verify(public_key, digests, signatures)

        request.prepare(serialize(coins, [b""] * len(coins), outputs).hex(),
                        [digest.hex() for digest in digests])
        request.sign([signature.hex() for signature in signatures])
        scripts = [bytes([len(signature)]) + signature + bytes([len(public_key)]) + public_key
                   for signature in signatures]
        transaction = serialize(coins, scripts, outputs)
        verify(public_key, [bytes.fromhex(digest) for digest in request.digests],
               [bytes.fromhex(signature) for signature in request.signatures])
        request.complete(transaction.hex(), double_sha256(transaction).hex())
        wallet.spend(coins)
        self.save(request, wallet)
        return change

    def settle(self, id, wallet_id, change):
        """Records the node's answer, what it says of the wallet, and the callback."""
        request, wallet = self.repository.get(id), self.repository.get(wallet_id)
        request.answer("accepted")
        request.send()
        displayed = bytes.fromhex(request.txid)[::-1].hex()
        request.emit(f"caller://callback=payack&txid={displayed}")
        wallet.observe(request.txid, 1, change)
        request.lock()
        self.save(request, wallet)

    def deliver(self, id):
        request = self.repository.get(id)
        request.deliver()
        self.save(request)


def pay(application, wallet, secret, payments):
    for number in range(payments):
        id, prompt = application.receive(
            "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
            f"&amount=0.0{1000 + number}{10 + secret[0]}&sender=shop")
        change = application.approve(id, prompt, wallet, secret)
        application.settle(id, wallet, change)
        application.deliver(id)


def main():
    payers, payments = int(sys.argv[2]), int(sys.argv[3])
    application = Wallets()
    secrets = [bytes([number + 1]) * 32 for number in range(payers)]
    wallets = [application.add(secret) for secret in secrets]
    with concurrent.futures.ThreadPoolExecutor(payers) as threads:
        started = time.perf_counter_ns()
        # A payment that failed raises its error here.
        list(threads.map(lambda *payer: pay(application, *payer, payments), wallets, secrets))
        nanoseconds = time.perf_counter_ns() - started
    print(payers * payments, nanoseconds)


main()

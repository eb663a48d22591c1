"""Measures requests in the event store `eventsourcing` on SQLite; prints the seconds for one."""
import os, sys, time

os.environ["PERSISTENCE_MODULE"] = "eventsourcing.sqlite"
os.environ["SQLITE_DBNAME"] = os.path.join(sys.argv[1], "events.sqlite")

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event


class Request(Aggregate):
    @event("Received")
    def __init__(self, text):
        self.text, self.status = text, "received"

    @event("Accepted")
    def accept(self, prompt):
        self.status = "pending"

    @event("Decided")
    def decide(self, digest):
        self.digest = digest

    @event("Prepared")
    def prepare(self, transaction):
        self.status = "approved"

    @event("Signed")
    def sign(self, signature):
        self.status = "signed"

    @event("Sent")
    def send(self, txid):
        self.status = "sent"

    @event("Answered")
    def answer(self, callback):
        self.callback = callback

    @event("Observed")
    def observe(self, height):
        self.height = height

    @event("Delivered")
    def deliver(self):
        self.status = "completed"


class Arrived(Aggregate):
    """What the embedded chain keeps of a payment."""

    @event("Arrived")
    def __init__(self, transaction):
        self.transaction = transaction


store = Application()
count = 100
started = time.perf_counter()
for number in range(count):
    request = Request(f"dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=0.{number}1")
    request.accept("pay 0.1 to XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa")
    store.save(request)
    request.decide("ab" * 32)
    request.prepare("cd" * 120)
    request.sign("ef" * 64)
    store.save(request)
    request.send("01" * 32)
    request.answer(f"caller://callback=payack&txid={'01' * 32}")
    request.observe(number)
    store.save(request)
    request.deliver()
    store.save(request)
    store.save(Arrived("cd" * 150))
print((time.perf_counter() - started) / count)

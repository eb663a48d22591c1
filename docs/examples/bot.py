"""Approves payments of known senders up to limits; everything else is left to a person.

usage: bot.py SOCKET PASSPHRASE-FILE

Whoever makes a link writes its sender: a name proves nothing, the limits are what protects.
"""
import pathlib
import sys
from decimal import Decimal

import daybook

# The most that a sender may ask for at once, and what may be spent until the bot starts again.
LIMITS = {"shop": Decimal("0.5"), "cafe": Decimal("0.01")}
BUDGET = Decimal("1")


def decide(wallets: daybook.Store, request: int, passphrase: str, spent: Decimal) -> Decimal:
    """Decides about a request if it is a payment within the limits; what was spent after it."""
    if wallets.request.show(request).status != "pending":
        return spent
    prompt = wallets.request.prompt(request).prompt
    details = {line.name: line.text for line in prompt.details}
    amounts = {line.name: line for line in prompt.amounts}
    if details.get("method") != "pay" or "total" not in amounts or amounts["total"].unit != "DASH":
        return spent
    amount, total = amounts["amount"].amount, amounts["total"].amount
    if amount > LIMITS.get(details.get("sender", ""), 0) or spent + total > BUDGET:
        print(f"request {request}: {amount} is left to you", flush=True)
        return spent
    done = wallets.request.approve(request, prompt.digest, passphrase=passphrase)
    print(f"request {request}: {amount} {done.status} {done.callback or ''}", flush=True)
    return spent + total


def main(path: str, passphrase_file: str) -> None:
    passphrase = pathlib.Path(passphrase_file).read_text(encoding="utf-8").rstrip("\n")
    spent = Decimal(0)
    with daybook.connect(path) as wallets:
        for change in wallets.changes(after=-1):
            for what in change.changes:
                try:
                    if what.what == "request" and what.request is not None:
                        spent = decide(wallets, what.request, passphrase, spent)
                except daybook.Error as problem:
                    # Such as a prompt that has changed in between.
                    print(f"request {what.request}: {problem}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

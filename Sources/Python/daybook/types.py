"""What calls return: dictionaries with these keys, as the command line's `--json` gives them.

Amounts are texts: of whole coins in `amount`, of the smallest unit in `minor` and in balances.
Times are ISO 8601 in UTC. An answer may have further keys.
"""
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

WalletName = int | str
"""A wallet's id, or its label."""


class Info(TypedDict):
    log: str
    home: str
    version: str
    engine: int
    events: int


class Problem(TypedDict):
    code: str
    message: str
    position: NotRequired[int]


class Unlocking(TypedDict):
    until: str
    remaining: str
    """What may still be paid, fees included, in whole coins."""
    minor: str
    symbol: str


class Wallet(TypedDict):
    wallet: int
    chain: str
    network: str
    address: str | None
    label: str | None
    problem: NotRequired[str]
    unlocked: NotRequired[Unlocking]
    """There while `unlock` lets payments do without the passphrase."""
    watch: NotRequired[str]


class SearchedAccount(TypedDict):
    account: int
    used: bool
    coinJoin: bool


class WalletSearch(TypedDict):
    """What was looked at when a wallet was restored from words."""

    gap: int
    accounts: list[SearchedAccount]
    coinJoin: NotRequired[bool]
    problem: NotRequired[dict[str, object]]


class AddedWallet(Wallet):
    otherAddress: NotRequired[str]
    search: NotRequired[WalletSearch]
    mayBeElectrum: NotRequired[bool]
    mnemonic: NotRequired[str]
    """The words of a new wallet, this once."""


class Wallets(TypedDict):
    wallets: list[Wallet]


class WalletID(TypedDict):
    wallet: int


class Address(TypedDict):
    address: str
    uri: str


class PageAddress(TypedDict):
    page: str


class PromptLine(TypedDict):
    name: str
    text: str


class PromptWarning(TypedDict):
    code: str
    text: str


class PromptAmount(TypedDict):
    name: str
    """`amount`, `fee`, `highestFee` or `total`."""
    amount: str
    unit: str
    share: NotRequired[str]
    """The share of a fee in the amount, such as `0.02 %`."""


class Prompt(TypedDict):
    headline: str
    """One sentence that says what an approval does."""
    problem: NotRequired[str]
    """Why it can't be approved as it stands."""
    warnings: list[PromptWarning]
    amounts: list[PromptAmount]
    amountMissing: NotRequired[bool]
    """Whether `request.approve` needs an `amount`."""
    details: list[PromptLine]
    """Everything else; the recipient comes first."""
    left: NotRequired[str]
    """What can be spent afterwards, as of now."""
    expires: NotRequired[str]
    digest: str
    """What `request.approve` takes as `shown`."""


class Event(TypedDict):
    position: int
    type: str
    at: str
    session: int
    request: int | None
    cause: int | None
    stream: str
    revision: int
    actor: str
    data: dict[str, Any]


class Request(TypedDict):
    request: int
    status: str
    protocol: NotRequired[str]
    method: NotRequired[str]
    sender: NotRequired[str]
    code: NotRequired[int]
    refusal: NotRequired[str]
    reason: NotRequired[str]
    nodeReason: NotRequired[str]
    advice: NotRequired[str]
    prompt: NotRequired[Prompt]
    otherWallets: NotRequired[list[int]]
    expires: NotRequired[str]
    callback: NotRequired[str]
    """The URL that answers the caller: open it, then call `callback.delivered`."""
    txid: NotRequired[str]
    height: NotRequired[int]
    blockTime: NotRequired[str]
    """When that block was made, as the node says."""
    mayStillExecute: NotRequired[bool]
    into: NotRequired[int]
    label: NotRequired[str]
    error: NotRequired[Problem]


class RequestWithEvents(Request):
    events: list[Event]


class RequestSummary(Request):
    wallet: NotRequired[int]
    amount: NotRequired[str]
    minor: NotRequired[str]
    asset: NotRequired[str]
    symbol: NotRequired[str]
    to: NotRequired[str]
    fee: NotRequired[str]


class Requests(TypedDict):
    requests: list[RequestSummary]
    next: NotRequired[int]


class RequestPrompt(TypedDict):
    request: int
    prompt: Prompt


class Rejected(TypedDict):
    request: NotRequired[int]
    status: NotRequired[str]
    callback: NotRequired[str]
    requests: NotRequired[list[Request]]


class Held(TypedDict):
    asset: str
    symbol: str
    minor: str


class Payment(Request):
    held: list[Held]
    since: NotRequired[str]
    asked: NotRequired[str]


class Payments(TypedDict):
    payments: list[Payment]


class Callback(TypedDict):
    request: int
    url: str
    delivered: bool


class Callbacks(TypedDict):
    callbacks: list[Callback]
    next: NotRequired[int]


class Delivered(TypedDict):
    request: int
    delivered: bool


class Outage(TypedDict):
    chain: str
    network: str
    lastRead: NotRequired[str]
    since: str
    reason: str


class Balance(TypedDict):
    wallet: int
    asset: str
    symbol: str
    decimals: NotRequired[int]
    confirmed: str
    unconfirmed: str
    reserved: str
    held: str
    frozen: str
    """What the user froze, which no payment spends."""
    immature: str
    available: str
    outage: NotRequired[Outage]
    """Set while the chain can't be read: the amounts are of `lastRead`."""


class Balances(TypedDict):
    balances: list[Balance]
    outages: NotRequired[list[Outage]]


class Coin(TypedDict):
    coin: str
    """The transaction's id and the output's index: `TXID:INDEX`."""
    wallet: int
    amount: str
    minor: str
    address: str
    height: NotRequired[int]
    frozen: bool
    spendable: bool
    reservedBy: NotRequired[int]
    """The request whose payment is to spend it."""
    label: NotRequired[str]


class Coins(TypedDict):
    coins: list[Coin]
    next: NotRequired[str]


class ChangedCoins(TypedDict):
    coins: list[Coin]


class Label(TypedDict):
    about: str
    """Such as `tx:TXID`, `wallet:4` or `sender:shop`."""
    label: str | None


class Labels(TypedDict):
    labels: list[Label]
    next: NotRequired[str]


class LabelFile(TypedDict):
    labels: int
    passedOver: int
    file: str
    """The lines by BIP 329."""


class LabelTransfer(TypedDict):
    labels: int
    passedOver: int


class Prices(TypedDict):
    prices: int


class Gain(TypedDict):
    asset: str
    symbol: str
    acquired: NotRequired[str]
    disposed: str
    amount: str
    kind: str
    """`payment`, or `fee`, which leaves for nothing."""
    cost: str | None
    proceeds: str | None
    gain: str | None
    request: NotRequired[int]
    txid: NotRequired[str]


class MissingPrice(TypedDict):
    asset: str
    at: str


class Gains(TypedDict):
    gains: list[Gain]
    missing: list[MissingPrice]
    csv: NotRequired[str]


class Binding(TypedDict):
    request: int
    caller: str
    wallet: int
    kind: str
    values: list[str]
    at: str


class Bindings(TypedDict):
    bindings: list[Binding]


class HistoryEntry(TypedDict):
    position: int
    time: str
    height: NotRequired[int]
    blockTime: NotRequired[str]
    """When its block was made, as the node says."""
    kind: str
    asset: str
    amount: str
    minor: str
    fee: NotRequired[str]
    txid: NotRequired[str]
    request: NotRequired[int]
    label: NotRequired[str]


class History(TypedDict):
    entries: list[HistoryEntry]
    next: NotRequired[int]


class Node(TypedDict):
    chain: str
    network: str
    url: str
    proxy: NotRequired[str]
    ok: bool
    tip: NotRequired[int]
    problem: NotRequired[str]
    code: NotRequired[str]
    notes: NotRequired[list[str]]


class Nodes(TypedDict):
    nodes: list[Node]


class RemovedNode(TypedDict):
    chain: str
    network: str
    url: NotRequired[str]


class Sync(TypedDict):
    events: int
    tips: dict[str, int]
    more: NotRequired[bool]
    differences: NotRequired[int]
    corrected: NotRequired[list[dict[str, Any]]]
    payments: NotRequired[list[dict[str, Any]]]
    passedOver: NotRequired[list[dict[str, Any]]]
    setAside: NotRequired[list[dict[str, Any]]]
    problems: NotRequired[list[dict[str, Any]]]


class Events(TypedDict):
    events: list[Event]
    next: int


class Checkpoint(TypedDict):
    size: int
    root: str
    note: str
    key: str
    position: int


class Verification(TypedDict):
    events: int
    root: str
    ok: bool
    first: NotRequired[dict[str, Any]]
    problems: list[dict[str, Any]]


class Unlocked(TypedDict):
    until: str


class Funded(TypedDict):
    wallet: int
    amount: str
    minor: str
    txid: str


class Tips(TypedDict):
    tips: dict[str, int]


class Changed(TypedDict):
    what: Literal["request", "balance", "callback", "wallet", "node", "policy"]
    request: NotRequired[int]
    wallet: NotRequired[int]


class Change(TypedDict):
    """What some events changed: hints about what to read again, never the values."""

    subscription: int
    position: int
    """The last event that the changes follow from."""
    changes: list[Changed]

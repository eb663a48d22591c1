"""The methods of docs/METHODS.md, to be awaited.

Written by `tools/dev python-methods`; not to be edited.
"""
from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from . import types

Call = Callable[[str, Mapping[str, object], float | None], Awaitable[Any]]


class AsyncWalletMethods:
    """The methods `wallet.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def list(
        self, *, timeout: float | None = None
    ) -> types.Wallets:
        """Calls `wallet.list`, which gives `{"wallets":[…]}`; an unlocked one has
        `unlocked`: `{"until","remaining","minor","symbol"}`.
        """
        answer: types.Wallets = await self._call("wallet.list", {}, timeout)
        return answer

    async def add(
        self, chain: str, *, network: str | None = None, label: str | None = None,
        new: bool | None = None, words: bool | None = None, mnemonic: str | None = None,
        mnemonic_passphrase: str | None = None, gap: int | None = None,
        wif: str | None = None, key: str | None = None,
        keystore: Mapping[str, object] | str | None = None,
        keystore_passphrase: str | None = None, watch: str | None = None,
        passphrase: str | None = None, weak: bool | None = None,
        accounts: int | None = None, coin_type: int | None = None, nid: int | None = None,
        timeout: float | None = None
    ) -> types.AddedWallet:
        """Calls `wallet.add`, which gives the wallet, with `mnemonic` if words were made,
        and `search` if it was restored from words (see [COMMANDS](COMMANDS.md)); exactly
        one source of the key is given, and `passphrase` unless it is `watch`.
        """
        answer: types.AddedWallet = await self._call("wallet.add", {
            "chain": chain, "network": network, "label": label, "new": new,
            "words": words, "mnemonic": mnemonic,
            "mnemonicPassphrase": mnemonic_passphrase, "gap": gap, "wif": wif, "key": key,
            "keystore": keystore, "keystorePassphrase": keystore_passphrase,
            "watch": watch, "passphrase": passphrase, "weak": weak, "accounts": accounts,
            "coinType": coin_type, "nid": nid
        }, timeout)
        return answer

    async def remove(
        self, wallet: types.WalletName, *, timeout: float | None = None
    ) -> types.WalletID:
        """Calls `wallet.remove`, which gives `{"wallet"}`."""
        answer: types.WalletID = await self._call("wallet.remove", {"wallet": wallet}, timeout)
        return answer

    async def rename(
        self, wallet: types.WalletName, *, label: str | None = None,
        timeout: float | None = None
    ) -> types.Wallet:
        """Calls `wallet.rename`, which gives the wallet; without `label` it has none."""
        answer: types.Wallet = await self._call("wallet.rename", {
            "wallet": wallet, "label": label
        }, timeout)
        return answer

    async def passphrase(
        self, wallet: types.WalletName, passphrase: str, new: str, *,
        weak: bool | None = None, timeout: float | None = None
    ) -> types.WalletID:
        """Calls `wallet.passphrase`, which gives `{"wallet"}`."""
        answer: types.WalletID = await self._call("wallet.passphrase", {
            "wallet": wallet, "passphrase": passphrase, "new": new, "weak": weak
        }, timeout)
        return answer

    async def address(
        self, wallet: types.WalletName, *, timeout: float | None = None
    ) -> types.Address:
        """Calls `wallet.address`, which gives `{"address","uri"}`: the next unused address."""
        answer: types.Address = await self._call("wallet.address", {"wallet": wallet}, timeout)
        return answer


class AsyncCoinMethods:
    """The methods `coin.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def list(
        self, wallet: types.WalletName, *, after: str | None = None,
        limit: int | None = None, timeout: float | None = None
    ) -> types.Coins:
        """Calls `coin.list`, which gives `{"coins":[…],"next"?}`: the unspent
        [coins](COMMANDS.md#coins) of a Dash or Axe wallet, in the order of their ids;
        `next` is the `after` of the next page.
        """
        answer: types.Coins = await self._call("coin.list", {
            "wallet": wallet, "after": after, "limit": limit
        }, timeout)
        return answer

    async def freeze(
        self, coins: Sequence[str], *, wallet: types.WalletName | None = None,
        timeout: float | None = None
    ) -> types.ChangedCoins:
        """Calls `coin.freeze`, which gives `{"coins":[…]}`: no payment spends these any
        more; `coins` is an array of `TXID:INDEX`, `wallet` is needed if wallets of
        several chains have such a coin.
        """
        answer: types.ChangedCoins = await self._call("coin.freeze", {
            "coins": coins, "wallet": wallet
        }, timeout)
        return answer

    async def unfreeze(
        self, coins: Sequence[str], *, wallet: types.WalletName | None = None,
        timeout: float | None = None
    ) -> types.ChangedCoins:
        """Calls `coin.unfreeze`, which gives `{"coins":[…]}`: payments may spend these again."""
        answer: types.ChangedCoins = await self._call("coin.unfreeze", {
            "coins": coins, "wallet": wallet
        }, timeout)
        return answer


class AsyncRequestMethods:
    """The methods `request.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def open(
        self, url: str, *, timeout: float | None = None
    ) -> types.Request:
        """Calls `request.open`, which gives the request; a refused one is a result with
        `error`, not an error.
        """
        answer: types.Request = await self._call("request.open", {"url": url}, timeout)
        return answer

    async def list(
        self, status: Sequence[str] | None = None, *, before: int | None = None,
        after: int | None = None, limit: int | None = None, timeout: float | None = None
    ) -> types.Requests:
        """Calls `request.list`, which gives `{"requests":[…],"next"?}`, newest first; with
        `after` (-1: from the first one on) oldest first; `status` is an array of
        statuses, `next` the `before` or `after` of the next page.
        """
        answer: types.Requests = await self._call("request.list", {
            "status": status, "before": before, "after": after, "limit": limit
        }, timeout)
        return answer

    async def show(
        self, request: int, *, timeout: float | None = None
    ) -> types.RequestWithEvents:
        """Calls `request.show`, which gives the request, with `events`."""
        answer: types.RequestWithEvents = await self._call("request.show", {
            "request": request
        }, timeout)
        return answer

    async def prompt(
        self, request: int, *, wallet: types.WalletName | None = None,
        amount: str | None = None, coins: Sequence[str] | None = None,
        timeout: float | None = None
    ) -> types.RequestPrompt:
        """Calls `request.prompt`, which gives `{"request","prompt"}`: the prompt with its
        `digest`; `amount` may be `"all"`, `coins` is an array of `TXID:INDEX`, at most
        100.
        """
        answer: types.RequestPrompt = await self._call("request.prompt", {
            "request": request, "wallet": wallet, "amount": amount, "coins": coins
        }, timeout)
        return answer

    async def approve(
        self, request: int, shown: str, *, passphrase: str | None = None,
        wallet: types.WalletName | None = None, amount: str | None = None,
        coins: Sequence[str] | None = None, timeout: float | None = None
    ) -> types.Request:
        """Calls `request.approve`, which gives the request after signing and sending;
        `shown` is the digest of the prompt that the user saw, with the same `wallet`,
        `amount` and `coins`.
        """
        answer: types.Request = await self._call("request.approve", {
            "request": request, "shown": shown, "passphrase": passphrase,
            "wallet": wallet, "amount": amount, "coins": coins
        }, timeout)
        return answer

    async def reject(
        self, request: int | None = None, *, sender: str | None = None,
        timeout: float | None = None
    ) -> types.Rejected:
        """Calls `request.reject`, which gives the request; or `{"requests":[…]}` of a sender."""
        answer: types.Rejected = await self._call("request.reject", {
            "request": request, "sender": sender
        }, timeout)
        return answer

    async def bump(
        self, request: int, *, timeout: float | None = None
    ) -> types.Request:
        """Calls `request.bump`, which gives a new request that speeds up a payment."""
        answer: types.Request = await self._call("request.bump", {"request": request}, timeout)
        return answer

    async def cancel(
        self, request: int, *, timeout: float | None = None
    ) -> types.Request:
        """Calls `request.cancel`, which gives a new request that replaces a payment."""
        answer: types.Request = await self._call("request.cancel", {"request": request}, timeout)
        return answer


class AsyncPaymentMethods:
    """The methods `payment.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def list(
        self, *, timeout: float | None = None
    ) -> types.Payments:
        """Calls `payment.list`, which gives `{"payments":[…]}`: those in flight, with what
        they hold.
        """
        answer: types.Payments = await self._call("payment.list", {}, timeout)
        return answer


class AsyncCallbackMethods:
    """The methods `callback.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def list(
        self, after: int | None = None, *, limit: int | None = None,
        timeout: float | None = None
    ) -> types.Callbacks:
        """Calls `callback.list`, which gives `{"callbacks":[…],"next"?}`: those that were
        not opened yet, oldest first; `next` is the `after` of the next page.
        """
        answer: types.Callbacks = await self._call("callback.list", {
            "after": after, "limit": limit
        }, timeout)
        return answer

    async def delivered(
        self, request: int, *, timeout: float | None = None
    ) -> types.Delivered:
        """Calls `callback.delivered`, which gives `{"request","delivered":true}`."""
        answer: types.Delivered = await self._call("callback.delivered", {
            "request": request
        }, timeout)
        return answer


class AsyncBalanceMethods:
    """The methods `balance.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def list(
        self, wallet: types.WalletName | None = None, *, at: int | None = None,
        timeout: float | None = None
    ) -> types.Balances:
        """Calls `balance.list`, which gives `{"balances":[…],"outages"?}`, now or as of an
        event; `outages` are the chains that cannot be read now.
        """
        answer: types.Balances = await self._call("balance.list", {
            "wallet": wallet, "at": at
        }, timeout)
        return answer


class AsyncBindingMethods:
    """The methods `binding.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def list(
        self, *, timeout: float | None = None
    ) -> types.Bindings:
        """Calls `binding.list`, which gives `{"bindings":[…]}`."""
        answer: types.Bindings = await self._call("binding.list", {}, timeout)
        return answer


class AsyncHistoryMethods:
    """The methods `history.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def list(
        self, wallet: types.WalletName, *, before: int | None = None,
        limit: int | None = None, timeout: float | None = None
    ) -> types.History:
        """Calls `history.list`, which gives `{"entries":[…],"next"?}`:
        [entries](COMMANDS.md#an-entry-of-a-history), newest first; `next` is the `before`
        of the next page.
        """
        answer: types.History = await self._call("history.list", {
            "wallet": wallet, "before": before, "limit": limit
        }, timeout)
        return answer


class AsyncNodeMethods:
    """The methods `node.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def list(
        self, *, timeout: float | None = None
    ) -> types.Nodes:
        """Calls `node.list`, which gives `{"nodes":[…]}`, each asked whether it can serve."""
        answer: types.Nodes = await self._call("node.list", {}, timeout)
        return answer

    async def check(
        self, chain: str | None = None, *, network: str | None = None,
        timeout: float | None = None
    ) -> types.Nodes:
        """Calls `node.check`, which gives the same, of one chain."""
        answer: types.Nodes = await self._call("node.check", {
            "chain": chain, "network": network
        }, timeout)
        return answer

    async def set(
        self, chain: str, network: str, *, url: str | None = None,
        urls: Sequence[str] | None = None, also: bool | None = None,
        user: str | None = None, password: str | None = None,
        cookie_file: str | None = None, debug_url: str | None = None,
        certificates: str | None = None, proxy: str | None = None,
        proxy_password: str | None = None, timeout: float | None = None
    ) -> types.Nodes:
        """Calls `node.set`, which gives the nodes, checked."""
        answer: types.Nodes = await self._call("node.set", {
            "chain": chain, "network": network, "url": url, "urls": urls, "also": also,
            "user": user, "password": password, "cookieFile": cookie_file,
            "debugURL": debug_url, "certificates": certificates, "proxy": proxy,
            "proxyPassword": proxy_password
        }, timeout)
        return answer

    async def remove(
        self, chain: str, network: str, *, url: str | None = None,
        timeout: float | None = None
    ) -> types.RemovedNode:
        """Calls `node.remove`, which gives `{"chain","network","url"?}`."""
        answer: types.RemovedNode = await self._call("node.remove", {
            "chain": chain, "network": network, "url": url
        }, timeout)
        return answer


class AsyncLogMethods:
    """The methods `log.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def read(
        self, from_: int, *, limit: int | None = None, timeout: float | None = None
    ) -> types.Events:
        """Calls `log.read`, which gives `{"events":[…],"next"}`, lossless."""
        answer: types.Events = await self._call("log.read", {
            "from": from_, "limit": limit
        }, timeout)
        return answer

    async def checkpoint(
        self, new_key: bool | None = None, *, timeout: float | None = None
    ) -> types.Checkpoint:
        """Calls `log.checkpoint`, which gives as the command."""
        answer: types.Checkpoint = await self._call("log.checkpoint", {"newKey": new_key}, timeout)
        return answer

    async def verify(
        self, checkpoint: str | None = None, *, timeout: float | None = None
    ) -> types.Verification:
        """Calls `log.verify`, which gives as the command."""
        answer: types.Verification = await self._call("log.verify", {
            "checkpoint": checkpoint
        }, timeout)
        return answer


class AsyncPageMethods:
    """The methods `page.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def address(
        self, *, timeout: float | None = None
    ) -> types.PageAddress:
        """Calls `page.address`, which gives `{"page"}`: an address that opens [the
        page](FRONTS.md#the-page) once, within a minute; `noPage` without `serve --page`,
        and to the page itself; `tooManyTokens` if 16 wait to be opened.
        """
        answer: types.PageAddress = await self._call("page.address", {}, timeout)
        return answer


class AsyncSandboxMethods:
    """The methods `sandbox.*`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def fund(
        self, wallet: types.WalletName, amount: str, *, token: bool | None = None,
        timeout: float | None = None
    ) -> types.Funded:
        """Calls `sandbox.fund`, which gives `{"wallet","amount","minor","txid"}`."""
        answer: types.Funded = await self._call("sandbox.fund", {
            "wallet": wallet, "amount": amount, "token": token
        }, timeout)
        return answer

    async def mine(
        self, count: int | None = None, *, timeout: float | None = None
    ) -> types.Tips:
        """Calls `sandbox.mine`, which gives `{"tips"}`."""
        answer: types.Tips = await self._call("sandbox.mine", {"count": count}, timeout)
        return answer


class AsyncMethods:
    """All methods, by the first part of their names."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.wallet = AsyncWalletMethods(call)
        self.coin = AsyncCoinMethods(call)
        self.request = AsyncRequestMethods(call)
        self.payment = AsyncPaymentMethods(call)
        self.callback = AsyncCallbackMethods(call)
        self.balance = AsyncBalanceMethods(call)
        self.binding = AsyncBindingMethods(call)
        self.history = AsyncHistoryMethods(call)
        self.node = AsyncNodeMethods(call)
        self.log = AsyncLogMethods(call)
        self.page = AsyncPageMethods(call)
        self.sandbox = AsyncSandboxMethods(call)

    async def info(
        self, *, timeout: float | None = None
    ) -> types.Info:
        """Calls `info`, which gives `{"log","home","version","engine","events"}`."""
        answer: types.Info = await self._call("info", {}, timeout)
        return answer

    async def sync(
        self, full: bool | None = None, *, timeout: float | None = None
    ) -> types.Sync:
        """Calls `sync`, which gives as the command; problems of nodes are part of the result."""
        answer: types.Sync = await self._call("sync", {"full": full}, timeout)
        return answer

    async def unlock(
        self, wallet: types.WalletName, passphrase: str, seconds: int, limit: str, *,
        timeout: float | None = None
    ) -> types.Unlocked:
        """Calls `unlock`, which gives `{"until"}`: until then, approvals up to `limit` coins
        in all need no passphrase, through any door of this process; `unlockOvertaken` if
        `lock` came meanwhile.
        """
        answer: types.Unlocked = await self._call("unlock", {
            "wallet": wallet, "passphrase": passphrase, "seconds": seconds, "limit": limit
        }, timeout)
        return answer

    async def lock(
        self, wallet: types.WalletName, *, timeout: float | None = None
    ) -> types.WalletID:
        """Calls `lock`, which gives `{"wallet"}`, also by the id of a wallet that was removed."""
        answer: types.WalletID = await self._call("lock", {"wallet": wallet}, timeout)
        return answer

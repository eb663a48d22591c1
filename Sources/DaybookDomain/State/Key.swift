package import DaybookChains
package import DaybookEncoding

/// The keys of the state's rows: a projection's name, then parts of fixed or marked length.
///
/// Numbers are big-endian, so that the bytewise order of rows is their natural order.
package enum Key {
    /// The session that first worked by the newest engine of the log, if that is not the first.
    package static let engine = table("engine")
    package static func session(_ id: UInt64) -> Bytes { key(sessions, id) }
    private static let sessions = table("sessions")
    /// The last session of a front end.
    package static func lastSession(_ frontEnd: String) -> Bytes {
        table("frontEnds") + text(frontEnd)
    }

    package static let wallets = table("wallets")
    package static func wallet(_ id: UInt64) -> Bytes { key(wallets, id) }
    package static func unlock(_ wallet: UInt64) -> Bytes { key(unlocks, wallet) }
    package static let unlocks = table("unlocks")

    /// Which wallet and path an address's script belongs to.
    package static func script(_ chain: Chain, _ network: Network, _ script: Bytes) -> Bytes {
        key(scripts, chain, network, script)
    }
    private static let scripts = table("scripts")

    package static func addresses(_ wallet: UInt64) -> Bytes { key(addresses, wallet) }
    private static let addresses = table("addresses")
    /// How far a branch of addresses is derived and used.
    package static func branch(_ wallet: UInt64, _ branch: AddressRow.Branch) -> Bytes {
        key(branches, wallet) + branch.key
    }
    private static let branches = table("branches")
    package static func address(
        _ wallet: UInt64, _ branch: AddressRow.Branch, _ index: UInt32
    ) -> Bytes {
        addresses(wallet) + branch.key + BigEndian.fourBytes(index)
    }

    /// Unspent outputs of a wallet.
    package static func outputs(_ wallet: UInt64) -> Bytes { key(outputs, wallet) }
    package static let outputs = table("outputs")
    package static func output(_ wallet: UInt64, _ outpoint: Outpoint) -> Bytes {
        key(outputs, wallet, outpoint)
    }
    /// Coinbase outputs that can't be spent yet, by the height at which they can.
    package static func immature(_ wallet: UInt64) -> Bytes { key(immature, wallet) }
    private static let immature = table("immature")
    package static func immature(_ wallet: UInt64, _ height: UInt64, _ outpoint: Outpoint)
        -> Bytes
    {
        immature(wallet) + BigEndian.bytes(height) + outpoint.displayed
            + BigEndian.fourBytes(outpoint.index)
    }
    /// Outputs that a transaction spends, kept for a reorganisation that gives them back.
    package static func spentOutputs(_ wallet: UInt64) -> Bytes { key(spentOutputs, wallet) }
    package static let spentOutputs = table("spent")
    package static func spent(_ wallet: UInt64, _ outpoint: Outpoint) -> Bytes {
        key(spentOutputs, wallet, outpoint)
    }

    /// Outputs that no block had when the chain was last heard of, or whose spending none had.
    package static func unconfirmed(_ wallet: UInt64) -> Bytes { key(unconfirmed, wallet) }
    private static let unconfirmed = table("unconfirmed")
    package static func unconfirmed(_ wallet: UInt64, _ outpoint: Outpoint) -> Bytes {
        key(unconfirmed, wallet, outpoint)
    }

    /// The output that a key of `unconfirmed` names.
    package static func outpoint(ofUnconfirmed key: Bytes) -> Outpoint? {
        TransactionID(Bytes(key.dropLast(4).suffix(32).reversed())).map {
            Outpoint($0, BigEndian.number(key.suffix(4)))
        }
    }

    /// The requests that hold back coins which no node shows now: a coin that comes back is theirs.
    package static func reserved(_ wallet: UInt64) -> Bytes { key(reserved, wallet) }
    private static let reserved = table("reserved")
    package static func reserved(_ wallet: UInt64, _ outpoint: Outpoint) -> Bytes {
        key(reserved, wallet, outpoint)
    }

    package static let balances = table("balances")
    package static func balances(_ wallet: UInt64) -> Bytes { key(balances, wallet) }
    package static func balance(_ wallet: UInt64, _ asset: String) -> Bytes {
        key(balances, 8 + asset.utf8.count + 1) { key in
            BigEndian.append(wallet, to: &key)
            append(asset, to: &key)
        }
    }
    /// The asset that a balance's key names.
    package static func asset(ofBalance key: Bytes) -> String? {
        Text.utf8String(Bytes(key.dropFirst(balances.count + 8).dropLast()))
    }
    /// The counterpart of every wallet: what came from and went to the rest of the world.
    package static func world(_ chain: Chain, _ network: Network, _ asset: String) -> Bytes {
        key(worlds, chain, network, text(asset))
    }
    package static let worlds = table("world")

    package static let chains = table("chains")
    package static func chain(_ chain: Chain, _ network: Network) -> Bytes {
        key(chains, chain, network)
    }
    package static func token(_ network: Network, _ contract: String) -> Bytes {
        table("tokens") + text(network.rawValue) + text(contract)
    }
    package static func transaction(_ chain: Chain, _ network: Network, _ txid: Bytes) -> Bytes {
        key(transactions, chain, network, txid)
    }
    private static let transactions = table("transactions")
    /// Signed transactions that may be executed although no node has said that it has them.
    package static func attempt(_ chain: Chain, _ network: Network, _ txid: Bytes) -> Bytes {
        key(attempts, chain, network, txid)
    }
    private static let attempts = table("attempts")
    /// The same by what they pay; a transaction's id follows.
    package static func attempts(_ terms: Bytes) -> Bytes { attemptsByTerms + terms }
    private static let attemptsByTerms = table("attemptTerms")
    /// Transactions whose fate is still open, so that `sync` need not look at all.
    package static let followed = table("followed")
    package static func followed(_ chain: Chain, _ network: Network) -> Bytes {
        key(followed, chain, network)
    }
    package static func followed(_ chain: Chain, _ network: Network, _ txid: Bytes) -> Bytes {
        key(followed, chain, network, txid)
    }

    package static let requests = table("requests")
    package static func request(_ id: UInt64) -> Bytes { key(requests, id) }
    /// Requests that wait for their user, by the time at which they expire.
    package static let pending = table("pending")
    package static func pending(_ expires: UInt64, _ id: UInt64) -> Bytes {
        key(pending, expires, id)
    }
    /// When the request that a key of `pending` is about expires.
    package static func time(ofPending key: Bytes) -> UInt64 {
        BigEndian.number(key.dropFirst(pending.count).prefix(8))
    }
    /// Requests for which something remains to be done; see `Work`.
    package static let work = table("work")
    package static func work(_ id: UInt64) -> Bytes { key(work, id) }
    /// Callbacks that are due: to be opened, and not delivered yet.
    package static let callbacks = table("callbacks")
    package static func callback(_ id: UInt64) -> Bytes { key(callbacks, id) }
    /// The latest request with the same link text.
    package static func identical(_ digest: Bytes) -> Bytes { identical + digest }
    private static let identical = table("identical")
    /// The front end's own keys for requests.
    package static func frontEndKey(_ frontEnd: String, _ key: String) -> Bytes {
        table("keys") + text(frontEnd) + text(key)
    }

    package static let callers = table("callers")
    package static func caller(_ scheme: String) -> Bytes { callers + text(scheme) }
    /// Senders that the user approved a request of, beside those that look like them.
    package static func approvedSenders(looking looks: String) -> Bytes {
        approvedSenders + text(looks)
    }
    package static let approvedSenders = table("approved")
    package static func approvedSender(_ caller: Caller) -> Bytes {
        approvedSenders(looking: caller.looks) + text(caller.scheme)
    }
    package static let bindings = table("bindings")
    package static func binding(_ request: UInt64) -> Bytes { key(bindings, request) }
    package static func history(_ wallet: UInt64) -> Bytes { key(history, wallet) }
    private static let history = table("history")
    package static func history(_ wallet: UInt64, _ position: UInt64) -> Bytes {
        key(history, wallet, position)
    }

    /// The number that the last eight bytes of a key hold.
    package static func lastNumber(_ key: Bytes) -> UInt64 {
        BigEndian.number(key.suffix(8))
    }
}

// MARK: - Putting keys together

extension Key {
    private static func table(_ name: String) -> Bytes { Bytes(name.utf8) + [0x2f] }

    /// A text of any length: its bytes, then a zero that no text holds.
    private static func text(_ text: String) -> Bytes { Bytes(text.utf8) + [0] }

    private static func append(_ text: String, to key: inout Bytes) {
        key.append(contentsOf: text.utf8)
        key.append(0)
    }

    /// A table and what follows, which has so many bytes.
    ///
    /// Keys are made at every turn: the parts of one have no memory of their own.
    private static func key(
        _ table: Bytes, _ count: Int, _ write: (inout Bytes) -> Void
    ) -> Bytes {
        var key = Bytes()
        key.reserveCapacity(table.count + count)
        key.append(contentsOf: table)
        write(&key)
        return key
    }

    private static func key(_ table: Bytes, _ number: UInt64) -> Bytes {
        key(table, 8) { BigEndian.append(number, to: &$0) }
    }

    private static func key(_ table: Bytes, _ number: UInt64, _ second: UInt64) -> Bytes {
        key(table, 16) { key in
            BigEndian.append(number, to: &key)
            BigEndian.append(second, to: &key)
        }
    }

    private static func key(_ table: Bytes, _ wallet: UInt64, _ outpoint: Outpoint) -> Bytes {
        key(table, 8 + 32 + 4) { key in
            BigEndian.append(wallet, to: &key)
            key.append(contentsOf: outpoint.displayed)
            BigEndian.append(outpoint.index, to: &key)
        }
    }

    private static func key(
        _ table: Bytes, _ chain: Chain, _ network: Network, _ rest: Bytes = []
    ) -> Bytes {
        let (chain, network) = (chain.rawValue, network.rawValue)
        return key(table, chain.utf8.count + network.utf8.count + 2 + rest.count) { key in
            append(chain, to: &key)
            append(network, to: &key)
            key.append(contentsOf: rest)
        }
    }
}

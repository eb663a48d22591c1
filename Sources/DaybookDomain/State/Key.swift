package import DaybookChains
package import DaybookEncoding

/// The keys of the state's rows: a projection's name, then parts of fixed or marked length.
///
/// Numbers are big-endian, so that the bytewise order of rows is their natural order.
package enum Key {
    /// The session that first worked by the newest engine of the log, if that is not the first.
    package static let engine = table("engine")
    package static func session(_ id: UInt64) -> Bytes { table("sessions") + BigEndian.bytes(id) }

    package static let wallets = table("wallets")
    package static func wallet(_ id: UInt64) -> Bytes { wallets + BigEndian.bytes(id) }
    package static func unlock(_ wallet: UInt64) -> Bytes {
        table("unlocks") + BigEndian.bytes(wallet)
    }

    /// Which wallet and path an address's script belongs to.
    package static func script(_ chain: Chain, _ network: Network, _ script: Bytes) -> Bytes {
        table("scripts") + text(chain.rawValue) + text(network.rawValue) + script
    }

    package static func addresses(_ wallet: UInt64) -> Bytes {
        table("addresses") + BigEndian.bytes(wallet)
    }
    /// How far a branch of addresses is derived and used.
    package static func branch(_ wallet: UInt64, _ branch: AddressRow.Branch) -> Bytes {
        table("branches") + BigEndian.bytes(wallet) + branch.key
    }
    package static func address(
        _ wallet: UInt64, _ branch: AddressRow.Branch, _ index: UInt32
    ) -> Bytes {
        addresses(wallet) + branch.key + BigEndian.fourBytes(index)
    }

    /// Unspent outputs of a wallet.
    package static func outputs(_ wallet: UInt64) -> Bytes { outputs + BigEndian.bytes(wallet) }
    package static let outputs = table("outputs")
    package static func output(_ wallet: UInt64, _ outpoint: Outpoint) -> Bytes {
        outputs(wallet) + outpoint.displayed + BigEndian.fourBytes(outpoint.index)
    }
    /// Coinbase outputs that can't be spent yet, by the height at which they can.
    package static func immature(_ wallet: UInt64) -> Bytes {
        table("immature") + BigEndian.bytes(wallet)
    }
    package static func immature(_ wallet: UInt64, _ height: UInt64, _ outpoint: Outpoint)
        -> Bytes
    {
        immature(wallet) + BigEndian.bytes(height) + outpoint.displayed
            + BigEndian.fourBytes(outpoint.index)
    }
    /// Outputs that a transaction spends, kept for a reorganisation that gives them back.
    package static func spentOutputs(_ wallet: UInt64) -> Bytes {
        spentOutputs + BigEndian.bytes(wallet)
    }
    package static let spentOutputs = table("spent")
    package static func spent(_ wallet: UInt64, _ outpoint: Outpoint) -> Bytes {
        spentOutputs(wallet) + outpoint.displayed + BigEndian.fourBytes(outpoint.index)
    }

    /// Outputs that no block had when the chain was last heard of, or whose spending none had.
    package static func unconfirmed(_ wallet: UInt64) -> Bytes {
        table("unconfirmed") + BigEndian.bytes(wallet)
    }
    package static func unconfirmed(_ wallet: UInt64, _ outpoint: Outpoint) -> Bytes {
        unconfirmed(wallet) + outpoint.displayed + BigEndian.fourBytes(outpoint.index)
    }

    /// The output that a key of `unconfirmed` names.
    package static func outpoint(ofUnconfirmed key: Bytes) -> Outpoint? {
        TransactionID(Bytes(key.dropLast(4).suffix(32).reversed())).map {
            Outpoint($0, BigEndian.number(key.suffix(4)))
        }
    }

    /// The requests that hold back coins which no node shows now: a coin that comes back is theirs.
    package static func reserved(_ wallet: UInt64) -> Bytes {
        table("reserved") + BigEndian.bytes(wallet)
    }
    package static func reserved(_ wallet: UInt64, _ outpoint: Outpoint) -> Bytes {
        reserved(wallet) + outpoint.displayed + BigEndian.fourBytes(outpoint.index)
    }

    package static let balances = table("balances")
    package static func balances(_ wallet: UInt64) -> Bytes { balances + BigEndian.bytes(wallet) }
    package static func balance(_ wallet: UInt64, _ asset: String) -> Bytes {
        balances(wallet) + text(asset)
    }
    /// The asset that a balance's key names.
    package static func asset(ofBalance key: Bytes) -> String? {
        Text.utf8String(Bytes(key.dropFirst(balances.count + 8).dropLast()))
    }
    /// The counterpart of every wallet: what came from and went to the rest of the world.
    package static func world(_ chain: Chain, _ network: Network, _ asset: String) -> Bytes {
        worlds + text(chain.rawValue) + text(network.rawValue) + text(asset)
    }
    package static let worlds = table("world")

    package static let chains = table("chains")
    package static func chain(_ chain: Chain, _ network: Network) -> Bytes {
        chains + text(chain.rawValue) + text(network.rawValue)
    }
    package static func token(_ network: Network, _ contract: String) -> Bytes {
        table("tokens") + text(network.rawValue) + text(contract)
    }
    package static func transaction(_ chain: Chain, _ network: Network, _ txid: Bytes) -> Bytes {
        table("transactions") + text(chain.rawValue) + text(network.rawValue) + txid
    }
    /// Transactions whose fate is still open, so that `sync` need not look at all.
    package static let followed = table("followed")
    package static func followed(_ chain: Chain, _ network: Network) -> Bytes {
        followed + text(chain.rawValue) + text(network.rawValue)
    }
    package static func followed(_ chain: Chain, _ network: Network, _ txid: Bytes) -> Bytes {
        followed(chain, network) + txid
    }

    package static let requests = table("requests")
    package static func request(_ id: UInt64) -> Bytes { requests + BigEndian.bytes(id) }
    /// Requests that wait for their user, by the time at which they expire.
    package static let pending = table("pending")
    package static func pending(_ expires: UInt64, _ id: UInt64) -> Bytes {
        pending + BigEndian.bytes(expires) + BigEndian.bytes(id)
    }
    /// When the request that a key of `pending` is about expires.
    package static func time(ofPending key: Bytes) -> UInt64 {
        BigEndian.number(key.dropFirst(pending.count).prefix(8))
    }
    /// Requests for which something remains to be done; see `Work`.
    package static let work = table("work")
    package static func work(_ id: UInt64) -> Bytes { work + BigEndian.bytes(id) }
    /// Callbacks that the front end has not delivered yet.
    package static let callbacks = table("callbacks")
    package static func callback(_ id: UInt64) -> Bytes { callbacks + BigEndian.bytes(id) }
    /// The latest request with the same link text.
    package static func identical(_ digest: Bytes) -> Bytes { table("identical") + digest }
    /// The front end's own keys for requests.
    package static func frontEndKey(_ frontEnd: String, _ key: String) -> Bytes {
        table("keys") + text(frontEnd) + text(key)
    }

    package static let callers = table("callers")
    package static func caller(_ scheme: String) -> Bytes { callers + text(scheme) }
    /// Senders that the user approved a request of, beside those that look like them.
    package static func approvedSenders(looking looks: String) -> Bytes {
        table("approved") + text(looks)
    }
    package static func approvedSender(_ caller: Caller) -> Bytes {
        approvedSenders(looking: caller.looks) + text(caller.scheme)
    }
    package static let bindings = table("bindings")
    package static func binding(_ request: UInt64) -> Bytes { bindings + BigEndian.bytes(request) }
    package static func history(_ wallet: UInt64) -> Bytes {
        table("history") + BigEndian.bytes(wallet)
    }
    package static func history(_ wallet: UInt64, _ position: UInt64) -> Bytes {
        history(wallet) + BigEndian.bytes(position)
    }

    private static func table(_ name: String) -> Bytes { Bytes(name.utf8) + [0x2f] }

    /// A text of any length: its bytes, then a zero that no text holds.
    private static func text(_ text: String) -> Bytes { Bytes(text.utf8) + [0] }

    /// The number that the last eight bytes of a key hold.
    package static func lastNumber(_ key: Bytes) -> UInt64 {
        BigEndian.number(key.suffix(8))
    }
}

package import DaybookChains
package import DaybookEncoding

/// What a link asks a wallet for, parsed from its text.
package struct Request: Equatable, Sendable {
    /// The `id` of the `LinkProtocol` that read it and that will word the callback.
    ///
    /// It is `own` for what the user asked for without a link.
    package let link: String
    package let chain: Chain
    package let action: Action
    /// Whom the callback goes to; nil where the protocol does not ask for one (a BIP 21 URI).
    package let caller: Caller?
    /// The caller's own number for the request (ICONex Connect's `id`), echoed in the answer.
    package let reference: Int64?
    /// Free text of the caller's (`label`, `message`), decoded, untrusted: escape to show.
    package let notes: [Note]
    /// What becomes of the proof of payment that the link asks for; nil where it asks for none.
    package let proof: Proof?

    package init(
        link: String, chain: Chain, action: Action, caller: Caller?, reference: Int64? = nil,
        notes: [Note] = [], proof: Proof? = nil
    ) {
        self.link = link
        self.chain = chain
        self.action = action
        self.caller = caller
        self.reference = reference
        self.notes = notes
        self.proof = proof
    }

    /// What the user asks to be done about a payment: nobody is told of it.
    init(_ remedy: Remedy, of payment: RequestID, on chain: Chain) {
        self.init(
            link: Self.ownLink, chain: chain, action: .remedy(remedy, of: payment), caller: nil)
    }

    /// In place of a protocol's id.
    static let ownLink = "own"

    /// One untrusted text that came with the request.
    package struct Note: Equatable, Sendable {
        package let name: String
        package let text: String

        package init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }
}

/// The one thing that a request asks for.
///
/// Addresses stand as their validated text: what was asked for is what is shown and recorded.
package enum Action: Equatable, Sendable {
    /// Dash, Axe: pay an address. `amount` in duffs; nil when the user is to enter it.
    case pay(address: String, amount: UInt64?, instantSend: InstantSend)
    /// Dash, Axe: hand out an unused receive address of an account.
    case address(account: UInt32)
    /// Dash, Axe: hand out the extended public keys `m/account'` and `m/44'/coin'/account'`.
    case masterPublicKey(account: UInt32)
    /// ICONex Connect: hand out the address of a wallet that the user picks.
    case bind
    /// ICONex Connect `sign`: sign exactly these transaction parameters, send nothing.
    case sign(parameters: JSON)
    /// ICONex Connect `sendICX`: `value` in loop; `data` is put in the transaction as given.
    case sendICX(from: String, to: String, value: UInt256, data: CallData?)
    /// ICONex Connect `sendToken`: IRC-2 `transfer`; `value` in the token's smallest unit.
    case sendToken(from: String, to: String, value: UInt256, contract: String)
    /// Connect's second form: send the caller's own `icx_sendTransaction` parameters.
    case sendTransaction(parameters: JSON)
    /// Dash, Axe: help a payment of ours into a block, or replace it, as its user asks.
    case remedy(Remedy, of: RequestID)

    /// What a request says about InstantSend (`IS`, `req-IS`).
    package enum InstantSend: String, Sendable {
        case unspecified, preferred, required
    }

    /// A transaction's `dataType` and `data`, as the caller gave them.
    package struct CallData: Equatable, Sendable {
        /// `message` or `call`.
        package let type: String
        package let data: JSON

        package init(type: String, data: JSON) {
            self.type = type
            self.data = data
        }
    }

    /// The method's name on the command line and in the log.
    package var method: String {
        switch self {
        case .pay: "pay"
        case .address: "address"
        case .masterPublicKey: "masterPublicKey"
        case .bind: "bind"
        case .sign: "sign"
        case .sendICX: "sendICX"
        case .sendToken: "sendToken"
        case .sendTransaction: "sendTransaction"
        case .remedy(let remedy, _): remedy.rawValue
        }
    }
}

/// What a user can do about a payment that no block has. The names are those of the log.
package enum Remedy: String, Sendable, CaseIterable {
    /// Spend an output of ours that the payment makes, at a fee that pays for both.
    case bump
    /// Spend a coin of the payment to ourselves, so that the network can take only one of both.
    case cancel
}

extension Action {
    /// Whether answering takes a signature of the wallet's key.
    package var makesTransaction: Bool {
        switch self {
        case .pay, .sign, .sendICX, .sendToken, .sendTransaction, .remedy: true
        case .address, .masterPublicKey, .bind: false
        }
    }

    /// Whether it bumps or cancels a payment of ours.
    package var isRemedy: Bool {
        if case .remedy = self { true } else { false }
    }

    /// Whether its transaction names the time of the approval, not one that the caller chose.
    package var takesTimeOfApproval: Bool {
        switch self {
        case .sendICX, .sendToken: true
        default: false
        }
    }
}

extension Request {
    /// What becomes of the proof of payment that a link asks for with `pop` (BIP 321).
    ///
    /// The proof is the signed transaction. It is the request's callback: it stands behind the
    /// prefix that the link named, and `Caller` has that prefix.
    package enum Proof: String, Sendable {
        /// The caller gets it, unless the transaction is too long.
        case wanted
        /// Likewise, and a payment that is too long for it is not made.
        case required
        /// The caller gets none and the payment is made: no app may be opened with that prefix.
        case declined
    }

    /// Whether the caller gets the transaction of a payment that spends so many coins.
    ///
    /// It depends on nothing that only a signature tells: the user reads it before approving.
    package func sendsProof(spending coins: Int) -> Bool {
        switch proof {
        case .wanted, .required: coins <= Self.maxCoinsInProof
        case .declined, nil: false
        }
    }

    /// A coin takes 148 bytes of a transaction, in hexadecimal twice that: with a prefix of 512
    /// bytes the URL stays below 64 KiB, the most that a callback may have.
    private static let maxCoinsInProof = 200

    /// What the caller is told of a transaction that was sent; nil for nothing.
    ///
    /// `signed` is the transaction where the caller gets it as proof.
    package func reply(sending txid: Bytes, signed: Bytes?) -> Reply? {
        let hex = Hex.encode(txid)
        guard case .pay(let address, _, _) = action else { return .transactionHash("0x" + hex) }
        switch proof {
        case .wanted, .required: return signed.map { .proof(transaction: $0) }
        case .declined, nil: return .paid(address: address, transaction: hex)
        }
    }
}

extension Request {
    /// Whether only the chain can say if the request can be met.
    package var needsChain: Bool {
        switch action {
        case .sendICX, .sendToken, .sendTransaction, .remedy: true
        default: false
        }
    }

    /// The parameter that can be too much to be shown.
    var shownKey: String? { chain == .icon ? "data" : nil }

    /// Whether answering it sends a transaction, and so needs a node.
    package var sendsTransaction: Bool {
        if case .pay = action { true } else { needsChain }
    }
}

extension Action {
    /// The ICON address that is to sign.
    package var sender: String? {
        switch self {
        case .sign(let parameters), .sendTransaction(let parameters):
            parameters["from"]?.stringValue
        case .sendICX(let from, _, _, _), .sendToken(let from, _, _, _): from
        default: nil
        }
    }

    /// The ICON address that is to receive.
    var receiver: String? {
        switch self {
        case .sign(let parameters), .sendTransaction(let parameters):
            parameters["to"]?.stringValue
        case .sendICX(_, let to, _, _), .sendToken(_, let to, _, _): to
        default: nil
        }
    }

    /// The ICON network that the caller names.
    var networkID: UInt64? {
        switch self {
        case .sign(let parameters), .sendTransaction(let parameters):
            parameters["nid"]?.stringValue.flatMap(ICONInteger.parseSmall)
        default: nil
        }
    }
}

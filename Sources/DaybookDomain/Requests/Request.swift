package import DaybookChains
package import DaybookEncoding

/// A parsed request: what a link asks a wallet for.
package struct Request: Equatable, Sendable {
    /// The `id` of the `LinkProtocol` that parsed it and that writes its callback.
    ///
    /// It is `own` for a request of the user's without a link.
    package let link: String
    package let chain: Chain
    package let action: Action
    /// The receiver of the callback; nil if the protocol does not name one (a BIP 21 URI).
    package let caller: Caller?
    /// The caller's own number for the request (ICONex Connect's `id`), echoed in the answer.
    package let reference: Int64?
    /// The caller's free texts (`label`, `message`): decoded and untrusted, so escape them to show.
    package let notes: [Note]
    /// How the request for a proof of payment is answered; nil if the link asks for none.
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

    /// The user's own request to bump or cancel a payment, which has no caller.
    init(_ remedy: Remedy, of payment: RequestID, on chain: Chain) {
        self.init(
            link: Self.ownLink, chain: chain, action: .remedy(remedy, of: payment), caller: nil)
    }

    /// The protocol id of requests without a link.
    package static let ownLink = "own"

    /// An untrusted text of the request.
    package struct Note: Equatable, Sendable {
        package let name: String
        package let text: String

        package init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }
}

/// What a request asks for.
///
/// Addresses are kept as their validated text, so that exactly this text is shown and recorded.
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
    /// ICONex Connect's second form: send the caller's own `icx_sendTransaction` parameters.
    case sendTransaction(parameters: JSON)
    /// Dash, Axe: bump or cancel a payment of ours, as the user asks.
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

/// What a user can do about an unconfirmed payment. The raw values are recorded in the log.
package enum Remedy: String, Sendable, CaseIterable {
    /// Spend our output of the payment with a fee that pays for both (child pays for parent).
    case bump
    /// Spend a coin of the payment to ourselves, so that the network can execute only one of the
    /// two.
    case cancel
}

extension Action {
    /// Whether answering needs a signature by the wallet's key.
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

    /// Whether its transaction's timestamp is the time of the approval, not one that the caller
    /// chose.
    package var takesTimeOfApproval: Bool {
        switch self {
        case .sendICX, .sendToken: true
        case .pay, .address, .masterPublicKey, .bind, .sign, .sendTransaction, .remedy: false
        }
    }
}

extension Request {
    /// The answer to a link that asks for a proof of payment with `pop` (BIP 321).
    ///
    /// The proof is the signed transaction. It is sent in the request's callback, after the prefix
    /// that the link named, which `Caller` holds.
    package enum Proof: String, Sendable {
        /// The caller gets it, unless the transaction is too long.
        case wanted
        /// The caller gets it, and a payment that is too long for it is not made.
        case required
        /// The caller gets none, because no app may be opened with that prefix; the payment is
        /// made.
        case declined
    }

    /// Whether the caller gets the transaction of a payment with some number of inputs.
    ///
    /// It is known before the signature, because the user reads it before approving.
    package func sendsProof(spending coins: Int) -> Bool {
        switch proof {
        case .wanted, .required: coins <= Self.maxCoinsInProof
        case .declined, nil: false
        }
    }

    /// The maximum number of inputs of a transaction that is sent as proof.
    ///
    /// An input has 148 bytes, twice that in hexadecimal: with a prefix of 512 bytes, the URL stays
    /// below 64 KiB, the limit of a callback.
    private static let maxCoinsInProof = 200

    /// The reply to the caller after a transaction was sent; nil if there is none.
    ///
    /// `signed` is the transaction if the caller gets it as proof.
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
    /// Whether a node's answer is needed to decide whether the request can be met.
    package var needsChain: Bool {
        switch action {
        case .sendICX, .sendToken, .sendTransaction, .remedy: true
        case .pay, .address, .masterPublicKey, .bind, .sign: false
        }
    }

    /// The parameter that can be too long to be shown.
    var shownKey: String? { chain.rules.ledger == .accounts ? "data" : nil }

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
        case .pay, .address, .masterPublicKey, .bind, .remedy: nil
        }
    }

    /// The ICON address that is to receive.
    var receiver: String? {
        switch self {
        case .sign(let parameters), .sendTransaction(let parameters):
            parameters["to"]?.stringValue
        case .sendICX(_, let to, _, _), .sendToken(_, let to, _, _): to
        case .pay, .address, .masterPublicKey, .bind, .remedy: nil
        }
    }

    /// The address that is paid; of tokens, the one to which their contract credits them.
    package var recipient: String? {
        switch self {
        case .pay(let address, _, _): return address
        case .sendICX(_, let to, _, _), .sendToken(_, let to, _, _): return to
        case .sign(let parameters), .sendTransaction(let parameters):
            // The network changes nothing about what is transferred.
            let terms = ICONTerms(network: .mainnet, params: parameters, highestFee: nil)
            let token = parameters["value"] == nil ? terms.token : nil
            let credited = token == nil ? nil : parameters["data"]?["params"]?["_to"]
            return (credited ?? parameters["to"])?.stringValue
        case .address, .masterPublicKey, .bind, .remedy: return nil
        }
    }

    /// The ICON network that the caller names.
    var networkID: UInt64? {
        switch self {
        case .sign(let parameters), .sendTransaction(let parameters):
            parameters["nid"]?.stringValue.flatMap(ICONInteger.parseSmall)
        case .pay, .address, .masterPublicKey, .bind, .sendICX, .sendToken, .remedy: nil
        }
    }
}

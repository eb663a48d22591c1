import DaybookChains
import DaybookDomain
public import DaybookEncoding

/// A thing that can have a label, such as a transaction; as text `tx:TXID`.
public struct LabelTarget: Codable, Hashable, Sendable, CustomStringConvertible {
    enum Thing: Hashable {
        case wallet(WalletID)
        case other(LabelSubject)
    }

    let thing: Thing

    init(_ subject: LabelSubject) { thing = .other(subject) }

    /// A wallet, whose label is the one that `Store.rename` gives.
    public static func wallet(_ id: WalletID) -> LabelTarget { LabelTarget(.wallet(id)) }

    /// A request.
    public static func request(_ id: RequestID) -> LabelTarget { LabelTarget(.request(id)) }

    /// An output of a transaction, spent or not.
    public static func output(_ coin: CoinID) -> LabelTarget {
        LabelTarget(.output(coin.outpoint))
    }

    private init(_ thing: Thing) { self.thing = thing }

    /// A thing from its text.
    ///
    /// That is `wallet:N`, `address:A`, `tx:TXID`, `output:TXID:N`, `request:N` or `sender:NAME`.
    ///
    /// - Throws: `invalidLabel` for anything else.
    public init(_ text: String) throws(DaybookError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let kind = parts.count == 2 ? Kind(rawValue: String(parts[0])) : nil
        guard let kind else {
            throw Self.invalid(
                "a label is about wallet:N, address:A, tx:TXID, output:TXID:N, request:N or "
                    + "sender:NAME")
        }
        let name = kind.usual(String(parts[1]))
        if kind == .wallet, let number = UInt64(name), String(number) == name {
            self.init(.wallet(WalletID(number)))
        } else if kind != .wallet, let subject = LabelSubject("\(kind.rawValue):\(name)") {
            self.init(subject)
        } else {
            throw Self.invalid(kind.expected)
        }
    }

    private static func invalid(_ message: String) -> DaybookError {
        DaybookError("invalidLabel", .usage, message)
    }

    /// The kinds of things, as their texts begin.
    private enum Kind: String {
        case wallet, address, tx, output, request, sender

        /// A name in the one form that is recorded; others write ids in capitals, or with `0x`.
        func usual(_ name: String) -> String {
            switch self {
            case .wallet, .address, .request: return name
            case .output, .sender: return name.lowercased()
            case .tx:
                let digits = name.lowercased()
                return digits.hasPrefix("0x") ? String(digits.dropFirst(2)) : digits
            }
        }

        var expected: String {
            switch self {
            case .wallet: "a wallet is named by its id: wallet:N"
            case .address: "this is no address of Dash, Axe or ICON"
            case .tx: "a transaction is named by 64 hex digits: tx:TXID"
            case .output: "an output is named by 64 hex digits and its number: output:TXID:N"
            case .request: "a request is named by its id: request:N"
            case .sender: "a sender's name has 1 to 64 letters, digits and signs, and no spaces"
            }
        }
    }

    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The text, such as `wallet:4`.
    public var description: String {
        switch thing {
        case .wallet(let id): "wallet:\(id)"
        case .other(let subject): subject.text
        }
    }
}

/// A thing and its label, which the user wrote or another program did: untrusted text.
public struct Label: Codable, Hashable, Sendable {
    /// The thing.
    public let about: LabelTarget
    /// The label; nil if it has none.
    public let text: String?

    /// A label of a thing; nil or an empty text takes it away.
    public init(about: LabelTarget, text: String?) {
        self.about = about
        self.text = text?.isEmpty == true ? nil : text
    }
}

/// A part of the list of labels.
public struct LabelPage: Codable, Hashable, Sendable {
    /// The labels: first those of addresses, outputs, requests, senders and transactions.
    public let labels: [Label]
    /// The value of `after` for the next page; nil at the end.
    public let next: LabelTarget?
}

/// The result of an import or export of labels.
public struct LabelTransfer: Codable, Hashable, Sendable {
    /// How many labels were taken in, or written.
    public let labels: Int
    /// How many were not, because one of the two sides has no place for them.
    public let passedOver: Int
}

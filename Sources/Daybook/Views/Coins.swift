package import DaybookChains
import DaybookDomain
public import DaybookEncoding

/// A coin of Dash or Axe: an output of a transaction, as text `TXID:INDEX`.
public struct CoinID: Codable, Hashable, Sendable, CustomStringConvertible {
    package let outpoint: Outpoint

    package init(_ outpoint: Outpoint) { self.outpoint = outpoint }

    /// A coin from its text: 64 hex digits, a colon and a number; nil if it is anything else.
    public init?(_ text: String) {
        guard let outpoint = Outpoint(text: text) else { return nil }
        self.outpoint = outpoint
    }

    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let coin = CoinID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a coin is TXID:INDEX")
        }
        self = coin
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// `TXID:INDEX`.
    public var description: String { outpoint.text }
}

/// The coins that a payment on Dash or Axe spends.
public struct ChosenCoins: Hashable, Sendable {
    /// The coins that it spends, all of them and no others; empty if the user named none.
    public let named: [CoinID]
    /// Whether it pays all that these coins hold, or else all that can be spent, less the fee.
    public let isAll: Bool

    private init(_ named: [CoinID], isAll: Bool) { (self.named, self.isAll) = (named, isAll) }

    /// The coins that the wallet's rules choose, which are never frozen ones.
    public static let automatic = ChosenCoins([], isAll: false)

    /// All that can be spent, the fee inside, for a request that leaves the amount open.
    public static let all = ChosenCoins([], isAll: true)

    /// Exactly these coins; what they hold above amount and fee comes back.
    public static func named(_ coins: [CoinID]) -> ChosenCoins { ChosenCoins(coins, isAll: false) }

    /// All that these coins hold, the fee inside, for a request that leaves the amount open.
    public static func all(of coins: [CoinID]) -> ChosenCoins { ChosenCoins(coins, isAll: true) }

    /// The most coins that can be named: a prompt shows each of them.
    public static let mostNamed = 100

    /// The choice as it is recorded.
    func recorded() throws(DaybookError) -> CoinChoice {
        guard named.count <= Self.mostNamed else {
            throw DaybookError(
                "tooManyCoins", .usage, "at most \(Self.mostNamed) coins can be named")
        }
        return CoinChoice(named: named.map(\.outpoint), isAll: isAll)
    }
}

/// A coin that a wallet has: an output that no transaction spends.
public struct WalletCoin: Codable, Hashable, Sendable, Identifiable {
    /// The transaction's id and the output's index.
    public let id: CoinID
    /// The wallet that has it.
    public let wallet: WalletID
    /// The amount, in duffs.
    public let amount: MinorAmount
    /// The wallet's address that it pays.
    public let address: String
    /// The height of its block; nil while it is in none.
    public let height: UInt64?
    /// Whether the user froze it, so that no payment spends it.
    public let isFrozen: Bool
    /// The request whose payment is to spend it.
    public let reservedBy: RequestID?
    /// Whether a payment may spend it now.
    public let isSpendable: Bool
    /// The user's label of the output, or else of its address; untrusted if imported.
    public let label: String?

    /// A coin for previews and tests of a front end.
    public init(
        id: CoinID, wallet: WalletID, amount: MinorAmount, address: String, height: UInt64? = nil,
        isFrozen: Bool = false, reservedBy: RequestID? = nil, isSpendable: Bool = true,
        label: String? = nil
    ) {
        (self.id, self.wallet, self.amount, self.address) = (id, wallet, amount, address)
        (self.height, self.isFrozen) = (height, isFrozen)
        (self.reservedBy, self.isSpendable, self.label) = (reservedBy, isSpendable, label)
    }
}

/// A part of a wallet's coins.
public struct CoinPage: Codable, Hashable, Sendable {
    /// The coins, in the order of their ids.
    public let coins: [WalletCoin]
    /// The `after` of the next page; nil at the end.
    public let next: CoinID?

    /// A page for previews and tests of a front end.
    public init(coins: [WalletCoin], next: CoinID? = nil) {
        self.coins = coins
        self.next = next
    }
}

import DaybookChains
import DaybookDomain
public import DaybookEncoding

/// The conditions of a list of requests, or of a wallet's history; all of them count.
///
/// For example:
///
///     var filter = RequestFilter()
///     filter.sender = "coffee-shop"
///     filter.amountInCoins = "1.25"
///     let page = try await store.requests(matching: filter)
public struct RequestFilter: Codable, Hashable, Sendable {
    /// Only these statuses; of a history, those of the requests that made the transactions.
    public var status: Set<WalletRequest.Status>?
    /// The scheme of the app that asked, such as `coffee-shop`.
    public var sender: String?
    /// The address that is paid; of a history, also an own one that received.
    public var address: String?
    /// The amount in whole coins, such as `1.5`, of any asset; of a history, also the entry's own.
    public var amountInCoins: String?
    /// A text in its link, also of a refused one, or in why it was refused or failed.
    ///
    /// ASCII letters count in both cases. Eight or more digits also find the transaction whose id
    /// begins with them.
    public var text: String?
    /// The first time at which it may have been recorded.
    public var from: Timestamp?
    /// The time before which it was recorded.
    public var to: Timestamp?

    /// A filter without conditions.
    public init(status: Set<WalletRequest.Status>? = nil) { self.status = status }
}

extension RequestFilter {
    /// The longest text that is looked for, in bytes.
    private static let longestText = 1024
    /// The longest name of a sender, which is a scheme, and the longest address.
    private static let longestWord = 128
    /// The longest amount: one of 256 bits with 18 decimals has 79 characters at most.
    private static let longestAmount = 80

    /// The conditions on the content, checked.
    ///
    /// - Throws: `invalidSender`, `invalidAddress`, `invalidAmount`, `invalidText`,
    ///   `invalidPeriod`.
    func query() throws(DaybookError) -> SearchQuery {
        try check(sender, "invalidSender", "a sender's name", upTo: Self.longestWord)
        try check(address, "invalidAddress", "an address", upTo: Self.longestWord)
        try check(amountInCoins, "invalidAmount", "an amount", upTo: Self.longestAmount)
        try check(text, "invalidText", "the text to look for", upTo: Self.longestText)
        if let address, !Self.isAddress(address) {
            throw DaybookError(
                "invalidAddress", .usage,
                "'\(Self.quoted(address))' is no address of Dash, Axe or ICON")
        }
        // It has no more decimals than characters.
        if let amount = amountInCoins,
            DecimalAmount.parse(amount, decimals: amount.utf8.count) == nil
        {
            throw DaybookError(
                "invalidAmount", .usage,
                "'\(Self.quoted(amount))' is not a decimal amount such as 1.5")
        }
        if let from, let to, from >= to {
            throw DaybookError(
                "invalidPeriod", .usage, "the period ends before it begins, or when it begins")
        }
        return SearchQuery(
            sender: sender?.lowercased(), address: address, amount: amountInCoins, text: text,
            from: from?.microseconds, to: to?.microseconds)
    }

    private func check(
        _ value: String?, _ code: DaybookError.Code, _ name: String, upTo most: Int
    ) throws(DaybookError) {
        guard let value else { return }
        if value.isEmpty { throw DaybookError(code, .usage, "\(name) is empty") }
        guard value.utf8.count <= most else {
            throw DaybookError(code, .usage, "\(name) has at most \(most) bytes")
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        ICONAddress(text) != nil
            || DaybookChains.Chain.allCases.contains { UTXOAddress(text, chain: $0) != nil }
    }

    private static func quoted(_ text: String) -> String { Text.escaped(String(text.prefix(48))) }
}

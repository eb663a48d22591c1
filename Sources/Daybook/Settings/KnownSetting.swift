import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLinks

/// A setting that `settings.json` can have: its name, help, values, and place in `Settings`.
///
/// This table is the only place that lists the settings: the file is read by it, the command
/// `settings` prints it, and a test compares `docs/OPERATIONS.md` with it.
struct KnownSetting: Sendable {
    /// The key in the file.
    let key: String
    /// Its effect, in one line.
    let help: String
    /// The values that it takes, in words.
    let values: String
    /// The present value.
    let read: @Sendable (Settings) -> JSON
    /// Sets a value; false if it is not one of the setting's.
    let write: @Sendable (inout Settings, JSON) -> Bool
    /// The JSON value of a text that a user types.
    let parse: @Sendable (String) -> JSON

    /// All settings, in the order in which they are listed.
    static let all: [KnownSetting] = [
        .number(
            "expirySeconds", 1...86_400, "how long a request waits for its user",
            read: { $0.expirySeconds }, write: { $0.expirySeconds = $1 }),
        .number(
            "freeUnlockFailures", 1...100,
            "wrong passphrases in a row before a wallet is locked for a while",
            read: { $0.freeUnlockFailures }, write: { $0.freeUnlockFailures = $1 }),
        .number(
            "pendingPerSender", 1...1000, "how many requests of one sender may wait",
            read: { $0.pendingPerSender ?? 0 }, write: { $0.pendingPerSender = $1 }),
        .number(
            "pendingInTotal", 1...1000,
            "how many may wait before those of senders that were never approved are refused",
            read: { $0.pendingInTotal ?? 0 }, write: { $0.pendingInTotal = $1 }),
        .number(
            "maxFeeRate", UTXOFees.leastRate...UTXOFees.absurd,
            "the highest fee that is paid on Dash and Axe, in duffs for 1000 bytes",
            read: { $0.maxFeeRate ?? UTXOFees.highestRate },
            write: { $0.maxFeeRate = $1 }),
        .blockedSenders,
    ]

    /// Members of the file that other code reads.
    static let otherMembers = [
        StoreFolder.versionMember, "nodes", WitnessSettings.member,
    ]

    static func named(_ key: String) -> KnownSetting? { all.first { Text.equal($0.key, key) } }

    private static func number(
        _ key: String, _ range: ClosedRange<UInt64>, _ help: String,
        read: @escaping @Sendable (Settings) -> UInt64,
        write: @escaping @Sendable (inout Settings, UInt64) -> Void
    ) -> KnownSetting {
        KnownSetting(
            key: key, help: help,
            values: "a number from \(range.lowerBound) to \(range.upperBound)",
            read: { .number(String(read($0))) },
            write: { settings, value in
                guard let number = value.intValue.flatMap({ UInt64(exactly: $0) }),
                    range.contains(number)
                else { return false }
                write(&settings, number)
                return true
            },
            // The parser of JSON knows what a number is; a text is refused.
            parse: { text in
                guard let value = try? JSON.parse(Bytes(text.utf8)), value.intValue != nil else {
                    return .string(text)
                }
                return value
            })
    }

    private static let blockedSenders = KnownSetting(
        key: "blockedSenders", help: "the senders whose requests are refused",
        values: "a list of at most \(mostSenders) names",
        read: { .array($0.blockedSenders.map(JSON.string)) },
        write: { settings, value in
            guard case .array(let items) = value, items.count <= mostSenders else { return false }
            var schemes: [String] = []
            for item in items {
                guard let name = item.stringValue, let caller = Caller(sender: name) else {
                    return false
                }
                schemes.append(caller.scheme)
            }
            settings.blockedSenders = schemes
            return true
        },
        parse: { text in
            .array(text.split(separator: ",").map { JSON.string(String($0)) })
        })

    private static let mostSenders = 1000
}

extension KnownSetting {
    /// The known key that a name was probably meant to be; nil if none is like it.
    ///
    /// That is one that begins with the name, or differs from it by a few letters.
    static func meant(by name: String) -> String? {
        let name = String(String.UnicodeScalarView(name.lowercased().unicodeScalars.prefix(64)))
        let count = name.unicodeScalars.count
        let near = all.compactMap { setting -> (key: String, distance: Int)? in
            let key = setting.key.lowercased()
            if count > 2, key.hasPrefix(name) { return (setting.key, 0) }
            let distance = Text.distance(name, key)
            return distance <= 3 && distance * 3 <= count ? (setting.key, distance) : nil
        }
        return near.min { $0.distance < $1.distance }?.key
    }

    /// The sentence about a name that no setting has.
    static func unknown(_ name: String) -> String {
        let shown = Text.escaped(String(name.prefix(64)))
        let advice = meant(by: name).map { "did you mean '\($0)'?" }
            ?? "the settings are \(all.map(\.key).joined(separator: ", "))"
        return "there is no setting '\(shown)'; \(advice)"
    }
}

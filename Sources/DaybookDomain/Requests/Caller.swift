import DaybookEncoding

/// The app that asked, by the name that it gives itself: never verified.
package struct Caller: Equatable, Sendable {
    /// The URL scheme in lower case: it is shown to the user, and bindings are recorded under it.
    package let scheme: String
    /// The prefix of every callback, in the protocol's form (`myapp://`, `my-app:`).
    package let prefix: String

    package init(scheme: String, prefix: String) {
        self.scheme = scheme
        self.prefix = prefix
    }

    /// The caller that a callback URL goes to, named by the text before the first colon.
    init(ofCallback url: String) {
        let spelled = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        scheme = String(decoding: spelled.map(Self.lowercased), as: UTF8.self)
        prefix = String(decoding: spelled, as: UTF8.self) + ":"
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension Caller {
    /// The scheme's confusable skeleton (as in Unicode TR 39): equal for names that look alike.
    ///
    /// For example `shop1` and `shopl`, `my-app` and `myapp`, `rnail` and `mail`.
    package var skeleton: String {
        var seen: [UInt8] = []
        for letter in scheme.utf8 {
            guard let letter = Self.seenAs(letter), letter != seen.last else { continue }
            seen.append(letter)
            for (pair, one) in Self.pairs where seen.suffix(2).elementsEqual(pair) {
                seen.replaceSubrange((seen.count - 2)..., with: [one])
            }
        }
        return Text.utf8String(seen) ?? scheme
    }

    private static let pairs: [(pair: [UInt8], one: UInt8)] = [
        (Bytes("rn".utf8), UInt8(ascii: "m")), (Bytes("cl".utf8), UInt8(ascii: "d")),
    ]

    /// The letter that a letter can be mistaken for; nil for punctuation, which readers overlook.
    private static func seenAs(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "0"): UInt8(ascii: "o")
        case UInt8(ascii: "1"), UInt8(ascii: "i"), UInt8(ascii: "j"): UInt8(ascii: "l")
        case UInt8(ascii: "2"): UInt8(ascii: "z")
        case UInt8(ascii: "5"): UInt8(ascii: "s")
        case UInt8(ascii: "8"): UInt8(ascii: "b")
        case UInt8(ascii: "9"): UInt8(ascii: "g")
        // `vv` looks like `w`, and a doubled letter counts once: `v`, `w` and `u` become one.
        case UInt8(ascii: "v"), UInt8(ascii: "w"): UInt8(ascii: "u")
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): nil
        default: letter
        }
    }
}

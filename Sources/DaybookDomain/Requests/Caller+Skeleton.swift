import DaybookEncoding

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

    /// The letter that this one can be mistaken for; nil for marks, which a reader skips.
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

extension State {
    /// Whether the user ever approved a request of this sender's.
    func hasApproved(_ caller: Caller) -> Bool {
        approved.contains(Pair(caller.skeleton, caller.scheme))
    }

    /// An approved sender with which this one can be confused: the most similar, then the first
    /// by name.
    ///
    /// A sender that the user approved before is compared only with those of the same skeleton:
    /// nobody reads a warning that comes with every request.
    func confusable(with caller: Caller) -> String? {
        for (key, _) in approved.rows(.first(KeyText(caller.skeleton)), limit: 2)
        where key.text != caller.scheme {
            return key.text
        }
        if hasApproved(caller) { return nil }
        let name = SenderName(caller.scheme, skeleton: caller.skeleton)
        var nearest: (scheme: String, likeness: SenderName.Likeness)?
        for (key, _) in approved.rows(limit: SenderName.mostCompared) {
            let other = SenderName(key.text, skeleton: key.first.text)
            guard let likeness = name.likeness(to: other),
                nearest.map({ likeness < $0.likeness }) ?? true
            else { continue }
            nearest = (other.scheme, likeness)
        }
        return nearest?.scheme
    }
}

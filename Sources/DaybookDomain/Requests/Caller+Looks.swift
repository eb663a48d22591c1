import DaybookEncoding

extension Caller {
    /// What a hasty reader sees of the scheme: the same for names that look alike.
    ///
    /// For example `shop1` and `shopl`, `my-app` and `myapp`, `rnail` and `mail`.
    package var looks: String {
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

    /// The letter that this one is taken for; nil for what the eye skips.
    private static func seenAs(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "0"): UInt8(ascii: "o")
        case UInt8(ascii: "1"), UInt8(ascii: "i"), UInt8(ascii: "j"): UInt8(ascii: "l")
        case UInt8(ascii: "2"): UInt8(ascii: "z")
        case UInt8(ascii: "5"): UInt8(ascii: "s")
        case UInt8(ascii: "8"): UInt8(ascii: "b")
        case UInt8(ascii: "9"): UInt8(ascii: "g")
        // Two v look like a w, and a letter that stands twice counts once.
        case UInt8(ascii: "v"), UInt8(ascii: "w"): UInt8(ascii: "u")
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): nil
        default: letter
        }
    }
}

extension State {
    /// Whether the user ever approved a request of this sender's.
    func hasApproved(_ caller: Caller) -> Bool {
        approved.contains(Pair(caller.looks, caller.scheme))
    }

    /// A sender that the user approved a request of, and that this one may be taken for.
    ///
    /// The most similar one; among those that are equally so the first by their names. A sender
    /// whom the user approved itself is told only from those that look the same: a warning that
    /// comes each time is read by nobody.
    func lookalike(of caller: Caller) -> String? {
        for (key, _) in approved.rows(.first(KeyText(caller.looks)), limit: 2)
        where key.text != caller.scheme {
            return key.text
        }
        if hasApproved(caller) { return nil }
        let name = SenderName(caller.scheme, looks: caller.looks)
        var nearest: (scheme: String, likeness: SenderName.Likeness)?
        for (key, _) in approved.rows(limit: SenderName.mostCompared) {
            let other = SenderName(key.text, looks: key.first.text)
            guard let likeness = name.likeness(to: other),
                nearest.map({ likeness < $0.likeness }) ?? true
            else { continue }
            nearest = (other.scheme, likeness)
        }
        return nearest?.scheme
    }
}

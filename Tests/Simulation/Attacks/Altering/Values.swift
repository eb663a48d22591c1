import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// The values that an attacker puts in the places of others.
struct Values {
    /// The attacker's own values of the user's kinds: addresses, scripts, keys, texts.
    private var own: [String: String] = [:]
    private var ownBytes: [Bytes: Bytes] = [:]
    /// Parts to search for inside longer values.
    private var parts: [(Bytes, Bytes)] = []
    /// Values of the same field elsewhere.
    private var siblings: [String: [Tree.Leaf]] = [:]

    init(_ user: Owner, _ attacker: Owner) {
        for chain in [Chain.dash, .axe] {
            let theirs = (attacker.scripts[chain] ?? [:]).keys.sorted(by: ByteOrder.precedes)
            let mine = (user.scripts[chain] ?? [:]).keys.sorted(by: ByteOrder.precedes)
            for (script, replacement) in zip(mine, theirs) { ownBytes[script] = replacement }
            for number: UInt8 in 1...9 {
                let shop = OpenedLinks.shop(number)
                ownBytes[shop] = theirs[Int(number) % theirs.count]
                parts.append((Bytes(shop[3..<23]), Bytes(theirs[0][3..<23])))
                let links = OpenedLinks(network: user.network, owner: user, now: 0)
                replace(links.address(shop, chain), by: links.address(theirs[0], chain))
            }
        }
        replace(OpenedLinks.payee, by: attacker.icon.text)
        replace(user.icon.text, by: attacker.icon.text)
        replace("shop", by: "evil")
    }

    private mutating func replace(_ text: String, by other: String) {
        own[text] = other
        parts.append((Bytes(text.utf8), Bytes(other.utf8)))
    }

    /// Learns from two things that are the same but for whose they are, and from what there is.
    mutating func learn(_ tree: Tree, beside other: Tree?) {
        let others = other.map { $0.leaves() } ?? []
        for (index, (place, leaf)) in tree.leaves().enumerated() {
            let known = siblings[place, default: []]
            if known.count < 6, !known.contains(leaf) { siblings[place, default: []].append(leaf) }
            guard others.indices.contains(index), others[index].place == place else { continue }
            switch (leaf, others[index].leaf) {
            case (.text(let mine), .text(let theirs)) where mine != theirs: own[mine] = theirs
            case (.bytes(let mine), .bytes(let theirs)) where mine != theirs:
                ownBytes[mine] = theirs
            default: break
            }
        }
    }

    /// The values to try in the place of one.
    func instead(of leaf: Tree.Leaf, at place: String, _ other: Tree.Leaf?) -> [Tree] {
        var values: [Tree.Leaf] = []
        if let other { values.append(other) }
        switch leaf {
        case .number(let number):
            values += [.number(0), .number(number &+ 1), .number(.max)]
            values.append(.number(number > UInt64.max / 1000 ? number / 1000 : number * 1000))
        case .bytes(let bytes):
            if let theirs = ownBytes[bytes] { values.append(.bytes(theirs)) }
            values.append(.bytes(replacingParts(bytes)))
            values.append(.bytes(bytes.dropLast() + bytes.suffix(1).map { $0 ^ 1 }))
            values.append(.bytes([]))
        case .text(let text):
            if let theirs = own[text] { values.append(.text(theirs)) }
            values.append(.text(String(decoding: replacingParts(Bytes(text.utf8)), as: UTF8.self)))
            values += Self.words.filter { $0.0 == text }.map { .text($0.1) }
            if text.hasPrefix("m/") || text == "m" { values += [.text("m/0'/0/3"), .text("m/1")] }
            if text.hasPrefix("0x") { values += [.text("0x0"), .text("0x1"), .text(text + "00")] }
            values.append(.text(text + "x"))
            values.append(.text(""))
        case .flag(let flag): values.append(.flag(!flag))
        case .other: values += [.number(0), .flag(true)]
        }
        values += Self.closest(siblings[Self.general(place)] ?? [], leaf)
        var unique: [Tree.Leaf] = []
        for value in values where value != leaf && !unique.contains(value) { unique.append(value) }
        return unique.map { .leaf($0) } + [.list([.leaf(leaf)])]
    }

    /// Words that mean something to the program.
    private static let words: [(String, String)] = [
        ("dash", "axe"), ("axe", "dash"), ("sandbox", "mainnet"), ("regtest", "mainnet"),
        ("approve", "reject"), ("reject", "approve"), ("required", "unspecified"),
        ("pending", "approved"), ("pending", "signed"), ("pending", "sent"), ("sent", "failed"),
        ("completed", "pending"), ("rejected", "pending"), ("accepted", "refused"),
    ]

    private static func general(_ place: String) -> String {
        var result = ""
        var isIndex = false
        for character in place {
            if character == "]" { isIndex = false }
            if !isIndex { result.append(character) }
            if character == "[" { isIndex = true }
        }
        return result
    }

    private static func closest(_ leaves: [Tree.Leaf], _ leaf: Tree.Leaf) -> [Tree.Leaf] {
        Array(leaves.filter { $0 != leaf }.prefix(2))
    }

    private func replacingParts(_ bytes: Bytes) -> Bytes {
        var bytes = bytes
        for (part, other) in parts where bytes.count >= part.count {
            var start = 0
            while start + part.count <= bytes.count {
                let range = start..<(start + part.count)
                if bytes[start] == part[0], bytes[range].elementsEqual(part) {
                    bytes.replaceSubrange(range, with: other)
                    start += other.count
                } else {
                    start += 1
                }
            }
        }
        return bytes
    }
}

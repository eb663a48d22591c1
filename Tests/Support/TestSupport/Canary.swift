package import DaybookEncoding

/// Finds secrets in bytes: raw and in hexadecimal, Base58 and Base64, whole or in part.
package struct Canary {
    /// Every part's first bytes, so that one pass over a file is enough.
    private var needles: [[UInt8]: [(name: String, bytes: Bytes)]] = [:]

    package init(_ secrets: [(String, Bytes)]) {
        for (name, secret) in secrets {
            add(name, Bytes(Base58.encode(secret).utf8))
            // Twelve bytes of a secret are enough to know it by, wherever they begin.
            for start in 0...(secret.count - 12) {
                let part = Bytes(secret[start..<(start + 12)])
                add(name, part)
                add(name, Bytes(Hex.encode(part).utf8))
                add(name, Bytes(Hex.encode(part).uppercased().utf8))
                add(name, Bytes(Base64.encode(part).utf8))
            }
        }
    }

    private mutating func add(_ name: String, _ bytes: Bytes) {
        needles[Bytes(bytes.prefix(4)), default: []].append((name, bytes))
    }

    package func found(in bytes: Bytes) -> String? {
        guard bytes.count >= 12 else { return nil }
        let firsts = Set(needles.keys.map { number($0[...]) })
        for start in 0...(bytes.count - 12) {
            let head = bytes[start..<(start + 4)]
            guard firsts.contains(number(head)) else { continue }
            for needle in needles[Bytes(head), default: []]
            where bytes[start...].starts(with: needle.bytes) {
                return needle.name
            }
        }
        return nil
    }

    /// All that a value shows, to people and to a debugger.
    package static func trace(of value: Any) -> Bytes {
        var dumped = ""
        dump(value, to: &dumped)
        return Bytes("\(value) \(String(reflecting: value)) \(dumped)".utf8)
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
